#pragma once
// The way from logical to physical sectors on interlaced tracks (Hajkazemi et al., section 2.1: zig-zag and serpentine
// numbering). Groups of 2N radii: logical sectors run over N bottom tracks and then over the N tops between them, surface
// after surface, then the next group. Even radii of a region are its bottoms.
//
// In a staggered region the numbers of a track begin where the head lands when it comes from the track before it. The tracks themselves
// stay aligned, so that equal parts of a turn keep equal places: which sectors overlap does not change. As a head switch takes less time
// than a seek, a staggered group spans all surfaces: its logical sectors run over the first bottoms of all surfaces, then the second ones.
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
  /// Where `run` begins, as far as it stays on one track and does not wrap: at most run.count sectors. The run must lie inside the layout.
  [[nodiscard]] PhysicalRun piece(LogicalRun run) const;
  /// As piece(), but where the numbers of a track begin elsewhere than at its sector 0 the run may wrap.
  [[nodiscard]] PhysicalRun on_track(LogicalRun run) const;
  /// How many of the sectors directly before `sector` are at home on its track.
  [[nodiscard]] std::uint32_t before_on_track(LogicalSector sector) const;
  /// Whether any track's numbers begin elsewhere than at its sector 0.
  [[nodiscard]] bool staggered() const { return staggered_; }
  /// Radii of which `run` begins with all sectors, of all surfaces; sectors: none where it begins inside a group, or among slipped defects.
  struct WholeRadii {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
    std::uint64_t sectors = 0;
  };
  [[nodiscard]] WholeRadii whole_radii(LogicalSector first, std::uint64_t count) const;
  /// The number of a physical sector, or nothing where it has none.
  [[nodiscard]] std::optional<LogicalSector> logical(PhysicalSector sector) const;

 private:
  /// From where one track's numbers begin to where another's do, in parts of a turn of 2^-32: they wrap as angles do.
  struct Stagger {
    std::uint32_t surface = 0;   ///< from a track to that at the same radius of the next surface
    std::uint32_t step = 0;      ///< from a track to the next of its kind on its surface
    std::uint32_t trailing = 0;  ///< from a group's first track to its first trailing one
    std::uint32_t band = 0;      ///< from a group's first track to that of the next group inwards
  };
  /// Groups of one shape in one zone and region: all whole ones, or the one at the end that is cut short.
  struct Segment {
    std::uint64_t first = 0;  ///< its first logical sector
    std::uint64_t end = 0;
    std::uint32_t first_radius = 0;
    std::uint32_t radii = 0;
    std::uint32_t group_radii = 0;
    std::uint32_t leading = 0;          ///< tracks of a group with the parity of its first radius: numbered first
    std::uint64_t leading_sectors = 0;  ///< of a group's leading tracks together
    FixedDivisor group;                 ///< sectors of a group on one surface
    FixedDivisor band;                  ///< and on all
    FixedDivisor leading_track;         ///< sectors of one leading track
    FixedDivisor trailing_track;
    SlipTable slips;
    bool staggered = false;
    Stagger stagger;
  };
  /// Groups at the same radii are a band. `track`: of its kind in the order of numbering, from 0.
  struct Place {
    std::uint64_t band;
    std::uint64_t surface;
    bool leading;
    std::uint64_t track;
  };
  /// A track found at a nominal offset of a segment.
  struct Position {
    PhysicalTrack track;
    std::uint32_t index;
    std::uint32_t sectors;
    std::uint32_t begins;  ///< the part of a turn at which its numbers begin, as in Stagger
  };
  void add_segment(std::uint32_t first_radius, std::uint32_t radii, std::uint32_t group_radii, std::uint32_t leading_length,
                   std::uint32_t trailing_length, const MediaPort& media, const TrackSwitches* switches);
  [[nodiscard]] Stagger stagger_of(const Segment& segment, const TrackSwitches& switches) const;
  [[nodiscard]] Place place_of(const Segment& segment, std::uint64_t nominal, std::uint64_t& index) const;
  [[nodiscard]] std::uint64_t nominal_of(const Segment& segment, const Place& place) const;
  [[nodiscard]] static std::uint32_t begins(const Stagger& stagger, const Place& place);
  [[nodiscard]] Position position(const Segment& segment, std::uint64_t nominal) const;
  [[nodiscard]] const Segment& segment_of(LogicalSector sector) const;

  const MediaPort& media_;
  std::vector<Segment> segments_;
  FixedDivisor surfaces_;
  InterlacedOrder order_;
  bool staggered_ = false;
  std::uint64_t sectors_ = 0;
};

}  // namespace tessera
