#pragma once
// Head and spindle: how long it takes to reach a run and to pass it. State is one track and where the last run ended.
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/positioning.hpp"
#include "firmware/ports/media_port.hpp"
#include "media/power_conditions.hpp"
#include "media/seek_curve.hpp"
#include "media/track_geometry.hpp"

namespace tessera {

/// What one step takes. The parts follow each other: channel overhead, seek, rotation, the sectors under the head.
struct Motion {
  Picoseconds overhead;
  Picoseconds seek;  ///< head movement, head switch, settle
  Picoseconds rotation;
  Picoseconds transfer;
  std::uint32_t entry = 0;         ///< the first sector that is transferred; differs from run.first for whole tracks only
  std::uint32_t missed_turns = 0;  ///< part of `rotation`: turns that a write waited for its data
  [[nodiscard]] Picoseconds total() const { return overhead + seek + rotation + transfer; }
};

/// Vibration from other arms: a seek that ends before `until` settles for so much longer.
struct ArmDisturbance {
  Picoseconds until;
  Picoseconds settle;
};

class Mechanics final : public Positioning {
 public:
  /// `home`: the first of the arm's surfaces. `power`: what positioning may have to wait for; null: nothing.
  Mechanics(const MediaConfig& config, const TrackGeometry& geometry, std::uint32_t home = 0, const PowerConditions* power = nullptr);

  /// From now on positioning may have to wait for this.
  void wait_for(const PowerConditions& power) { power_ = &power; }

  [[nodiscard]] PhysicalTrack head() const override { return head_; }
  [[nodiscard]] Picoseconds positioning_time(const PhysicalRun& run, bool write, Picoseconds now) const override;
  [[nodiscard]] Picoseconds least_positioning(std::uint32_t radii) const override {
    if (power_ != nullptr) return overhead_;  // from the ramp it may be nearer
    return moving(curve_.least(radii > most_off_ ? radii - most_off_ : 0)) + overhead_;
  }

  [[nodiscard]] Picoseconds revolution() const override { return geometry_.revolution(); }

  /// Prices a run that lies on an existing track of shape `shape`, from `now` on. The head stays.
  [[nodiscard]] Motion plan(const MediaStep& step, const TrackShape& shape, Picoseconds now, const ArmDisturbance& by = {}) const;
  /// Moves the head as `step` does, which ends at `ends`; its track holds `sectors`.
  void moved(const MediaStep& step, std::uint32_t sectors, Picoseconds ends = Picoseconds::max());
  /// From laser on to the first sector of a write that begins at `now`.
  [[nodiscard]] Picoseconds warm_up(const PhysicalRun& run, bool write, Picoseconds now) const {
    if (laser_warm_up_ == Picoseconds() || !write) return {};
    return continues(run) && now + overhead_ == written_until_ ? Picoseconds() : laser_warm_up_;
  }
  /// Parks the head on the ramp: before the arm's first surface, radius 0.
  void park();

  [[nodiscard]] const SeekCurve& curve() const { return curve_; }
  /// Seek or head switch, whichever is longer (they overlap), plus the settle of a write after either.
  [[nodiscard]] Picoseconds seek_time(PhysicalTrack target, bool write) const { return seek_time(head_, target, write); }

 private:
  [[nodiscard]] Picoseconds seek_time(PhysicalTrack from, PhysicalTrack target, bool write) const;
  /// Of a disk that may have to start, or whose laser warms up.
  [[nodiscard, gnu::cold]] Picoseconds prepared_positioning_time(const PhysicalRun& run, bool write, Picoseconds now) const;
  /// With the turn after an arrival so long from `now`. `goes_on`: the head stands where the run begins.
  [[nodiscard]] Picoseconds after(Picoseconds arrival, const PhysicalRun& run, bool goes_on, Picoseconds now) const;
  [[nodiscard]] PhysicalTrack ramp() const { return {home_, 0}; }
  [[nodiscard]] std::uint64_t rotation_to(const PhysicalRun& run, const TrackShape& shape, std::uint64_t angle, std::uint32_t& entry) const;
  [[nodiscard]] Picoseconds disturbed(Picoseconds seek, Picoseconds now, const ArmDisturbance& by) const;
  [[nodiscard]] Motion rotational(const MediaStep& step, const TrackShape& shape, Picoseconds now, const ArmDisturbance& by) const;
  void wait_for_data(Motion& motion, const MediaStep& step, const TrackShape& shape, Picoseconds now) const;
  [[nodiscard]] Picoseconds lateness(const MediaStep& step, const TrackShape& shape, Picoseconds transfer_begin) const;
  [[nodiscard]] Motion expected(const MediaStep& step, const TrackShape& shape, Picoseconds now, const ArmDisturbance& by) const;
  [[nodiscard]] bool continues(const PhysicalRun& run) const { return run.track == head_ && run.first == next_sector_; }
  /// What the curve says, as this arm moves.
  [[nodiscard]] Picoseconds moving(Picoseconds time) const {
    return own_speed_ == 1 ? time : Picoseconds(static_cast<std::uint64_t>(std::llround(static_cast<double>(time.value()) * own_speed_)));
  }
  /// What a write after a seek of so many radii waits beyond its settle.
  [[nodiscard]] Picoseconds more_settle(std::uint32_t moved) const;
  [[nodiscard]] bool nearby(PhysicalTrack track) const;
  /// How far the arm moves from track to track where heads have tolerances: its position is that of its heads without.
  [[nodiscard, gnu::cold]] std::uint32_t arm_distance(PhysicalTrack from, PhysicalTrack target) const;

  const TrackGeometry& geometry_;
  const PowerConditions* power_;
  SeekCurve curve_;
  Picoseconds head_switch_;
  Picoseconds write_settle_;
  Picoseconds read_settle_;
  Picoseconds laser_warm_up_;
  std::vector<SeekPoint> write_settles_;  // from distances on, ascending
  Picoseconds overhead_;
  MediaTimingMode mode_;
  std::uint32_t backup_turns_;
  std::vector<std::int64_t> offsets_;      // of a head, in radii by surface; empty: none has any
  std::vector<Picoseconds> head_settles_;  // by surface
  bool alike_ = true;                      // the arm moves as the curve says, and so do all of its heads
  double own_speed_ = 1;                   // times the curve's
  Picoseconds own_settle_;
  std::uint32_t home_;
  std::uint32_t most_off_;  // between two heads
  PhysicalTrack head_;
  std::uint32_t next_sector_ = no_sector;           // where the last run ended on its track
  Picoseconds written_until_ = Picoseconds::max();  // end of the last run, if that was a write
  static constexpr std::uint32_t no_sector = ~std::uint32_t{0};
};

}  // namespace tessera
