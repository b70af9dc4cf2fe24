#pragma once
// Where every sector lies in angle. Angles are picoseconds of spindle rotation within one revolution, counted from the
// index mark. Closed forms only: nothing is kept by track, so a 20 TB drive costs as little as a small one.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/address.hpp"
#include "base/fixed_divisor.hpp"
#include "base/format.hpp"
#include "base/geometry.hpp"
#include "base/units.hpp"
#include "media/media_config.hpp"
#include "media/sparing.hpp"

namespace tessera {

/// Tracks with more sectors than this are refused: angles stay exact up to here (see TrackDensity).
inline constexpr std::uint32_t max_sectors_per_track = 16384;
inline constexpr std::uint32_t max_tracks_per_surface = 1 << 24;  // thirty times a drive of today
inline constexpr std::uint64_t max_tracks = 1 << 28;              // of all surfaces: as many

/// Sectors that share one revolution. Sector i begins floor(i * revolution / sectors) after the track's start. The step is
/// kept with 28 fractional bits and rounded up, which gives exactly that floor while sectors * sectors <= 2^28.
struct TrackDensity {
  static constexpr std::uint32_t fraction_bits = 28;
  std::uint32_t sectors = 0;
  std::uint64_t step = 0;

  TrackDensity() = default;
  TrackDensity(std::uint32_t count, Picoseconds revolution)
      : sectors(count), step(count == 0 ? 0 : ((revolution.value() << fraction_bits) + count - 1) / count) {}
  /// From the track's start to the start of sector `index`; index <= sectors, and that of `sectors` is a revolution.
  [[nodiscard]] std::uint64_t offset(std::uint32_t index) const { return (index * step) >> fraction_bits; }
};

/// One track as formatted.
struct TrackShape {
  TrackDensity density;
  std::uint64_t start = 0;    ///< angle of sector 0
  std::uint32_t missing = 0;  ///< sectors at its end that hold no data: its spares; all of them where the track was slipped
  [[nodiscard]] std::uint32_t sectors() const { return density.sectors - missing; }
};

/// Radii of one zone inside one region: what all their tracks have in common.
struct TrackGroup {
  static constexpr std::uint32_t no_region = ~std::uint32_t{0};

  std::uint32_t first_radius = 0;
  std::uint32_t end_radius = 0;
  std::uint32_t zone_first = 0;      ///< radius at which the zone's skews count from 0
  std::uint32_t region = no_region;  ///< index into regions(), or no_region: unformatted
  std::uint32_t region_first = 0;
  std::uint32_t region_end = 0;
  bool interlaced = false;
  bool skewed = true;
  std::uint32_t track_skew = 0;     ///< sectors, below sectors a track
  std::uint32_t radius_skew = 0;    ///< sectors from a cylinder's first track to the next one's, below sectors a track
  std::uint32_t cylinder_skew = 0;  ///< that of the zone: of several arms each has cylinders of its own
  std::uint32_t start_angle = 0;    ///< sectors from the index mark to sector 0 of the zone's first track, below sectors a track
  FixedDivisor nominal;             ///< sectors of an ordinary track of the zone, spares included: skews count in them
  TrackDensity bottom;              ///< every track but an interlaced region's tops
  TrackDensity top;
  TrackUnits units;  ///< counted from zone_first
  TrackSkews skews;
  std::vector<TrackDensity> bottoms{};  ///< by surface, where they differ
  std::vector<TrackDensity> tops{};
};

/// What is wrong with a plan on this geometry: one sentence each, empty when it can be built.
[[nodiscard]] std::vector<std::string> check_plan(const DriveGeometry& geometry, const FormatPlan& plan);

class TrackGeometry {
 public:
  /// `plan` must have passed check_plan(); an empty plan formats the whole drive as one conventional region, "data". Spare
  /// tracks, if any, are one more region behind the last: "spares".
  TrackGeometry(const MediaConfig& config, const FormatPlan& plan);

  [[nodiscard]] Picoseconds revolution() const { return Picoseconds(turn_.divisor()); }
  [[nodiscard]] std::uint32_t surfaces() const { return surfaces_; }
  [[nodiscard]] std::uint32_t radii() const { return radii_; }                                   ///< that layers may have
  [[nodiscard]] std::uint32_t spare_radii() const { return spare_radii_; }                       ///< behind these
  [[nodiscard]] std::uint64_t tracks() const { return std::uint64_t{all_radii()} * surfaces_; }  ///< spares included
  [[nodiscard]] std::uint32_t most_sectors() const { return most_sectors_; }                     ///< of any track
  [[nodiscard]] const FormatPlan& regions() const { return regions_; }
  /// Tracks on either side that a write to a conventional track destroys: HeatConfig::tracks_destroyed().
  [[nodiscard]] std::uint32_t side_reach() const { return side_reach_; }
  [[nodiscard]] bool contains(PhysicalTrack track) const { return track.surface < surfaces_ && track.radius < all_radii(); }

  /// The radius must exist.
  [[nodiscard]] const TrackGroup& group_of(std::uint32_t radius) const {
    const TrackGroup* group = &groups_[coarse_[radius >> coarse_shift_]];
    while (radius >= group->end_radius) ++group;
    return *group;
  }
  /// Shape of a track that exists. The second form saves the look-up of the group.
  [[nodiscard]] TrackShape shape_of(PhysicalTrack track) const { return shape_of(track, group_of(track.radius)); }
  [[nodiscard]] TrackShape shape_of(PhysicalTrack track, const TrackGroup& group) const {
    TrackShape shape{interlaced_top(group, track.radius) ? group.top : group.bottom, start_of(track, group), track_spares_};
    if (particular_) [[unlikely]]
      set_apart(track, group, shape);
    return shape;
  }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const { return shape_of(track).sectors(); }
  /// Whether all tracks have the sectors that their zone says of their surface, or their region of tops.
  [[nodiscard]] bool uniform() const { return slipped_.empty() && !ranges_; }

  /// The spindle turns on for `by`, which later instants leave out.
  void rest(Picoseconds by) { spindle_phase_ = turn_.remainder(turn_.remainder(by.value()) + spindle_phase_); }
  /// Spindle angle at `time`.
  [[nodiscard]] std::uint64_t angle_at(Picoseconds time) const { return turn_.remainder(time.value() + spindle_phase_); }
  /// Angle at which sector `index` begins.
  [[nodiscard]] std::uint64_t angle_of(const TrackShape& shape, std::uint32_t index) const {
    const std::uint64_t angle = shape.start + shape.density.offset(index);
    return angle < turn_.divisor() ? angle : angle - turn_.divisor();
  }
  /// From angle `from` forward to angle `to`.
  [[nodiscard]] std::uint64_t forward(std::uint64_t from, std::uint64_t to) const {
    return to >= from ? to - from : to + turn_.divisor() - from;
  }
  /// Time that `count` sectors from `first` on take to pass the head; may wrap; count <= sectors.
  [[nodiscard]] std::uint64_t passing(const TrackShape& shape, std::uint32_t first, std::uint32_t count) const {
    const std::uint32_t end = first + count;
    if (end <= shape.sectors()) return shape.density.offset(end) - shape.density.offset(first);
    return turn_.divisor() - shape.density.offset(first) + shape.density.offset(end - shape.sectors());
  }
  /// The sector that covers `angle`; the last one where none does.
  [[nodiscard]] std::uint32_t sector_at(const TrackShape& shape, std::uint64_t angle) const {
    // Largest i with floor(i * turn / n) <= x, that is i < (x + 1) * n / turn.
    const std::uint64_t x = forward(shape.start, angle);
    return std::min(static_cast<std::uint32_t>(turn_.quotient((x + 1) * shape.density.sectors - 1)), shape.sectors() - 1);
  }

  /// Whether the track at `radius` is a top of an interlaced region: an odd offset in it.
  [[nodiscard]] static bool interlaced_top(const TrackGroup& group, std::uint32_t radius) {
    return group.interlaced && ((radius - group.region_first) & 1U) != 0;
  }
  /// A number for every track: radius by radius, surfaces within.
  [[nodiscard]] std::uint64_t linear(PhysicalTrack track) const { return std::uint64_t{track.radius} * surfaces_ + track.surface; }

 private:
  struct Slipped {
    std::uint64_t track;
    ShortTrack by;
  };
  [[nodiscard]] std::uint64_t start_of(PhysicalTrack track, const TrackGroup& group) const {
    if (!group.skewed) return 0;
    if (in_units_) [[unlikely]]
      return start_in_unit(track, group);
    const std::uint64_t sectors = std::uint64_t{track.radius - group.zone_first} * group.radius_skew +
                                  std::uint64_t{track.surface} * group.track_skew + group.start_angle;
    return group.bottom.offset(static_cast<std::uint32_t>(group.nominal.remainder(sectors)));
  }
  [[nodiscard]] std::uint64_t start_in_unit(PhysicalTrack track, const TrackGroup& group) const;
  void set_apart(PhysicalTrack track, const TrackGroup& group, TrackShape& shape) const;
  void slip(PhysicalTrack track, TrackShape& shape) const;
  [[nodiscard]] std::uint32_t all_radii() const { return radii_ + spare_radii_; }
  void add_groups(const MediaConfig& config, const MediaZone& zone);
  void add_spares();
  void index_groups();
  void add_slipped(const Sparing& sparing);

  FixedDivisor turn_;
  std::uint64_t spindle_phase_ = 0;  // MediaConfig::spindle_phase
  std::uint32_t surfaces_;
  std::vector<ArmSurfaces> arms_;
  std::uint32_t radii_ = 0;
  std::uint32_t spare_radii_ = 0;
  std::uint32_t most_sectors_ = 0;
  std::uint32_t side_reach_ = 0;
  std::uint32_t track_spares_ = 0;
  FormatPlan regions_;
  std::vector<TrackGroup> groups_;
  std::vector<std::uint32_t> coarse_;  // group of radius (i << coarse_shift_)
  std::uint32_t coarse_shift_ = 0;
  std::vector<Slipped> slipped_;            // ascending by track
  std::optional<Sparing> ranges_;           // of cylinders that have spares; none: no range has
  std::vector<std::uint64_t> head_angles_;  // by surface; empty: none is off
  bool in_units_ = false;                   // of several arms, or in another order than by cylinder
  bool particular_ = false;                 // tracks are not all as their zone says
};

}  // namespace tessera
