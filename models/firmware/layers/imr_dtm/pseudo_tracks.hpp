#pragma once
// Pseudo-tracks (Hajkazemi et al., section 2.4): the sectors of a zone's bottom tracks, one track behind the other, are cut into pieces of
// equal length, and so are those of its top tracks. What is left of each is too short and never moves. A pseudo-bottom normally
// straddles two bottoms.
#include <optional>
#include <vector>

#include "firmware/layout/interlaced_layout.hpp"

namespace tessera::dtm {

/// A zone's pseudo-tracks are numbered from 0: first the bottoms, then the tops. A number is a place, or what has its home there.
struct PseudoZone {
  std::uint64_t first = 0;    ///< its first sector, in the order of bottoms and tops by zone
  std::uint64_t tops_at = 0;  ///< the first sector of its tops in that order, and of its bottoms
  std::uint64_t bottoms_at = 0;
  std::uint64_t base = 0;     ///< number of its first pseudo-track among those of the drive
  std::uint32_t length = 0;   ///< sectors of a pseudo-track
  std::uint32_t bottoms = 0;  ///< pseudo-tracks on bottoms
  std::uint32_t tops = 0;
  [[nodiscard]] std::uint32_t count() const { return bottoms + tops; }
};

class PseudoTracks {
 public:
  static constexpr std::uint32_t most = 256;  ///< of a zone: a place is a byte

  /// `regions`: the interlaced ones. Zones have at most `zone_tracks` pseudo-tracks.
  PseudoTracks(const MediaPort& media, const DriveGeometry& geometry, const FormatPlan& regions, std::uint32_t zone_tracks);

  [[nodiscard]] std::uint32_t zones() const { return static_cast<std::uint32_t>(zones_.size()); }
  [[nodiscard]] const PseudoZone& zone(std::uint32_t zone) const { return zones_[zone]; }
  /// Pseudo-tracks of the drive.
  [[nodiscard]] std::uint64_t count() const { return zones_.empty() ? 0 : zones_.back().base + zones_.back().count(); }

  /// Where a sector has its home: in a pseudo-track, or, without one, in what is left of a zone.
  struct Home {
    std::uint32_t zone = 0;
    std::optional<std::uint32_t> pseudo;
    std::uint32_t offset = 0;
    std::uint32_t rest = 0;  ///< sectors from here to the end of the pseudo-track, or of what is left
  };
  [[nodiscard]] Home home_of(PhysicalSector sector) const;
  /// Where `count` sectors from `offset` on of a place lie, as far as they stay on one track.
  [[nodiscard]] PhysicalRun piece(std::uint32_t zone, std::uint32_t place, std::uint32_t offset, std::uint32_t count) const;
  /// The zone of a pseudo-track of the drive.
  [[nodiscard]] std::uint32_t zone_of(std::uint64_t pseudo) const;

 private:
  struct Lengths {
    std::uint32_t bottom = 0;  ///< the longest
    std::uint32_t top = 0;
  };
  [[nodiscard]] static Lengths lengths(const MediaPort& media, const DriveGeometry& geometry, const Region& region,
                                       const GeometryZone& zone);
  [[nodiscard]] static std::uint32_t pairs_of_a_zone(const MediaPort& media, const DriveGeometry& geometry, const FormatPlan& regions,
                                                     std::uint32_t zone_tracks);
  void add_zones(const MediaPort& media, const DriveGeometry& geometry, const Region& region, const GeometryZone& zone,
                 std::uint32_t pairs);

  InterlacedLayout order_;  // zone by zone, its bottoms and then its tops
  std::vector<PseudoZone> zones_;
  std::uint64_t end_ = 0;  // sectors of all zones
};

}  // namespace tessera::dtm
