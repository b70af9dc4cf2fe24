#pragma once
// The conventional way from logical to physical sectors: along a track, then the next one in the drive's order (base/track_order.hpp), zone
// by zone inwards. Of several arms each has its share of the numbers, one behind the other: as dual-actuator drives are sold.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/fixed_divisor.hpp"
#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/layout/slip_table.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera {

class ConventionalLayout {
 public:
  /// Whether zone spares, reserved sectors and the exported capacity of the geometry apply (user data),
  /// or every sector counts (a journal or backup region).
  enum class Reserve : std::uint8_t { as_zoned, none };

  /// Numbers the sectors of `regions` in ascending order of radius, arm by arm. Track lengths are those that `media` states.
  ConventionalLayout(const DriveGeometry& geometry, const FormatPlan& regions, const MediaPort& media, Reserve reserve);

  [[nodiscard]] std::uint64_t sectors() const { return sectors_; }
  /// Where the share of each arm ends.
  [[nodiscard]] const std::vector<std::uint64_t>& arm_ends() const { return arm_ends_; }
  /// Where `run` begins, as far as it stays on one track: at most run.count sectors. The run must lie inside the layout.
  [[nodiscard]] PhysicalRun piece(LogicalRun run) const;
  /// Takes from the room in `early` what is not for sectors on the track of `first` that are numbered one after another up to it; whether
  /// any is left.
  [[nodiscard]] bool keep_on_track(LogicalSector first, EarlySectors& early) const;
  /// The number of a physical sector, or nothing where it has none.
  [[nodiscard]] std::optional<LogicalSector> logical(PhysicalSector sector) const;

 private:
  /// The radii of one zone in one region, on the surfaces of one arm.
  struct Segment {
    std::uint64_t first = 0;  ///< its first logical sector
    std::uint64_t end = 0;
    std::uint64_t offset = 0;  ///< sectors in front of `first` that are not numbered
    std::uint32_t first_radius = 0;
    std::uint32_t radii = 0;
    std::uint32_t first_surface = 0;
    FixedDivisor surfaces;
    FixedDivisor sectors_per_track;
    SlipTable slips;
    // In other orders than by cylinder, or where surfaces differ:
    bool in_units = false;
    TrackUnits units;
    std::uint32_t first_unit = 0;  ///< of its zone
    FixedDivisor unit_sectors;
    std::vector<std::uint32_t> by_surface;  ///< sectors per track
  };
  /// A track by its place in a segment, and its first sector there as if no track were short.
  struct Place {
    PhysicalTrack track;
    std::uint64_t first = 0;
    std::uint32_t sectors = 0;
  };
  /// Radii of one zone.
  struct Radii {
    std::uint32_t first;
    std::uint32_t end;
  };
  void add_segment(const DriveGeometry& geometry, const GeometryZone& zone, Radii radii, const ArmSurfaces& arm, const MediaPort& media,
                   Reserve reserve);
  static void count_slips(Segment& segment, const MediaPort& media);
  [[nodiscard]] static Place place_of(const Segment& segment, std::uint64_t nominal);
  [[nodiscard]] static std::uint64_t first_of(const Segment& segment, PhysicalTrack track);
  [[nodiscard]] const Segment& segment_of(LogicalSector sector) const;

  std::vector<Segment> segments_;
  std::vector<std::uint64_t> arm_ends_;
  std::uint64_t sectors_ = 0;
};

}  // namespace tessera
