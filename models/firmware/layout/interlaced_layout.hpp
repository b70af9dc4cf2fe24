#pragma once
// The way from logical to physical sectors on interlaced tracks (Hajkazemi et al., section 2.1: zig-zag and serpentine
// numbering). Groups of 2N radii: logical sectors run over N bottom tracks and then over the N tops between them, surface
// after surface, then the next group. Even radii of a region are its bottoms.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/fixed_divisor.hpp"
#include "base/format.hpp"
#include "base/geometry.hpp"
#include "firmware/layout/slip_table.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera {

/// Which way the tops of a group are numbered: from its first again, or back from its last.
enum class InterlacedOrder : std::uint32_t { zig_zag, serpentine };

class InterlacedLayout {
 public:
  /// `group_tracks`: N, at least 1; with 1 a single surface's logical track k is physical track k. Where a zone begins on a
  /// top, its groups begin with their tops. Track lengths are those that `media` states; zone spares, offsets, reserved
  /// sectors and the exported capacity of the geometry are of conventional drives and do not apply.
  InterlacedLayout(const DriveGeometry& geometry, const FormatPlan& regions, const MediaPort& media, std::uint32_t group_tracks,
                   InterlacedOrder order);

  [[nodiscard]] std::uint64_t sectors() const { return sectors_; }
  /// Where `run` begins, as far as it stays on one track: at most run.count sectors. The run must lie inside the layout.
  [[nodiscard]] PhysicalRun piece(LogicalRun run) const;
  /// The number of a physical sector, or nothing where it has none.
  [[nodiscard]] std::optional<LogicalSector> logical(PhysicalSector sector) const;

 private:
  /// Groups of one shape in one zone and region: all whole ones, or the one at the end that is cut short.
  struct Segment {
    std::uint64_t first = 0;  ///< its first logical sector
    std::uint64_t end = 0;
    std::uint32_t first_radius = 0;
    std::uint32_t radii = 0;
    std::uint32_t group_radii = 0;
    std::uint32_t leading = 0;          ///< tracks of a group with the parity of its first radius: numbered first
    std::uint64_t leading_sectors = 0;  ///< of a group's leading tracks together
    FixedDivisor group;                 ///< sectors of a group
    FixedDivisor leading_track;         ///< sectors of one leading track
    FixedDivisor trailing_track;
    SlipTable slips;
  };
  /// A track found at a nominal offset of a segment.
  struct Position {
    PhysicalTrack track;
    std::uint32_t index;
    std::uint32_t sectors;
  };
  void add_segment(std::uint32_t first_radius, std::uint32_t radii, std::uint32_t group_radii, std::uint32_t leading_length,
                   std::uint32_t trailing_length, const MediaPort& media);
  [[nodiscard]] Position position(const Segment& segment, std::uint64_t nominal) const;
  [[nodiscard]] const Segment& segment_of(LogicalSector sector) const;

  std::vector<Segment> segments_;
  FixedDivisor surfaces_;
  InterlacedOrder order_;
  std::uint64_t sectors_ = 0;
};

}  // namespace tessera
