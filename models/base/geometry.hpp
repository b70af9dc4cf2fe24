#pragma once
// The geometry of the platters as a value: what the media builds and what a translation layer plans with.
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "base/address.hpp"
#include "base/arms.hpp"
#include "base/track_order.hpp"

namespace tessera {

/// Tracks of one recording density. Skews, seek curve and timing are the media's own affair (media/media_config.hpp).
struct GeometryZone {
  std::uint32_t first_radius = 0;
  std::uint32_t radii = 0;
  std::uint32_t sectors_per_track = 0;           ///< of a conventional, shingled or bottom track, in drive sectors
  std::uint32_t spare_sectors = 0;               ///< kept back at the zone's end
  std::vector<std::uint32_t> surface_sectors{};  ///< as sectors_per_track and at most that, by surface; empty: all have as many

  [[nodiscard]] std::uint32_t sectors_on(std::uint32_t surface) const {
    return surface_sectors.empty() ? sectors_per_track : surface_sectors[surface];
  }
  /// Of the fewest on any surface.
  [[nodiscard]] std::uint32_t fewest_sectors() const;
  /// On `surfaces` surfaces from `first` on, at one radius.
  [[nodiscard]] std::uint64_t radius_sectors(std::uint32_t first, std::uint32_t surfaces) const;
};

/// How much later than a track the next one may begin so that a sequential transfer loses no turn between them: fractions of a turn in
/// units of 2^-32, whole turns left out. All 0 where the drive declares no skew.
struct TrackSwitches {
  static constexpr std::size_t distances = 25;  ///< up to 2^24 radii
  std::uint32_t head = 0;                       ///< to another surface at the same radius
  std::array<std::uint32_t, distances> over{};  ///< over up to 2^i radii, to another surface or not

  [[nodiscard]] constexpr bool any() const { return over.front() != 0; }
  [[nodiscard]] constexpr std::uint32_t angle(std::uint32_t radii, bool other_surface) const {
    if (radii == 0) return other_surface ? head : 0;
    return over[static_cast<std::size_t>(std::bit_width(radii - 1))];
  }
};

/// A sector that the factory moved: its data lies at `to`, which has no number.
struct RemappedSector {
  PhysicalSector from;
  PhysicalSector to;
  constexpr bool operator==(const RemappedSector&) const = default;
};

struct DriveGeometry {
  std::uint32_t sector_bytes = 4096;
  std::uint32_t surfaces = 1;
  std::uint32_t reserved_sectors = 0;  ///< in front of the first logical sector of the first zone
  std::uint64_t exported_sectors = 0;  ///< capacity a conventional mapping exports, from the first; 0 = all that there is
  std::vector<GeometryZone> zones;     ///< from the outer diameter inwards, without gaps
  TrackSwitches switches{};
  std::uint32_t track_spares = 0;   ///< places after the sectors of each track that pass under the head, and hold nothing
  std::uint32_t spare_radii = 0;    ///< conventional tracks behind radii(), as dense as the last zone: no layer's, see firmware/defects
  std::vector<ArmSurfaces> arms{};  ///< in order of surfaces; empty: one arm for all
  TrackOrder track_order = TrackOrder::cylinder;
  std::uint32_t serpent_radii = 0;       ///< of TrackOrder::serpentine; 0: all of a zone
  std::vector<RemappedSector> remaps{};  ///< ascending by radius, surface and index of `from`

  [[nodiscard]] std::uint32_t radii() const { return zones.empty() ? 0 : zones.back().first_radius + zones.back().radii; }
  /// As `arms`, but never empty.
  [[nodiscard]] std::vector<ArmSurfaces> all_arms() const { return arms.empty() ? std::vector<ArmSurfaces>{{0, surfaces}} : arms; }
  [[nodiscard]] std::uint64_t tracks() const { return std::uint64_t{radii()} * surfaces; }
  [[nodiscard]] TrackUnits units_of(const GeometryZone& zone) const {
    return TrackUnits::of(track_order, serpent_radii, zone.first_radius, zone.radii);
  }
  /// Zone of a radius; the radius must exist.
  [[nodiscard]] const GeometryZone& zone_of(std::uint32_t radius) const;
  /// Sectors of all tracks as if none overlapped.
  [[nodiscard]] std::uint64_t physical_sectors() const;
};

}  // namespace tessera
