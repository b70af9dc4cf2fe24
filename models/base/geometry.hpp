#pragma once
// The geometry of the platters as a value: what the media builds and what a translation layer plans with.
#include <cstdint>
#include <vector>

#include "base/address.hpp"

namespace tessera {

/// Tracks of one recording density. Skews, seek curve and timing are the media's own affair (media/media_config.hpp).
struct GeometryZone {
  std::uint32_t first_radius = 0;
  std::uint32_t radii = 0;
  std::uint32_t sectors_per_track = 0;  ///< of a conventional, shingled or bottom track, in drive sectors
  std::uint32_t spare_sectors = 0;      ///< kept back at the zone's end
};

struct DriveGeometry {
  std::uint32_t sector_bytes = 4096;
  std::uint32_t surfaces = 1;
  std::uint32_t reserved_sectors = 0;  ///< in front of the first logical sector of the first zone
  std::uint64_t exported_sectors = 0;  ///< capacity a conventional mapping exports, from the first; 0 = all that there is
  std::vector<GeometryZone> zones;     ///< from the outer diameter inwards, without gaps
  std::uint32_t spare_radii = 0;       ///< conventional tracks behind radii(), as dense as the last zone: no layer's, see firmware/defects

  [[nodiscard]] std::uint32_t radii() const { return zones.empty() ? 0 : zones.back().first_radius + zones.back().radii; }
  [[nodiscard]] std::uint64_t tracks() const { return std::uint64_t{radii()} * surfaces; }
  /// Zone of a radius; the radius must exist.
  [[nodiscard]] const GeometryZone& zone_of(std::uint32_t radius) const;
  /// Sectors of all tracks as if none overlapped.
  [[nodiscard]] std::uint64_t physical_sectors() const;
};

}  // namespace tessera
