#pragma once
// The head-disk assembly as a pure device: one step at a time for each arm, on the caller's clock.
//
//   timing = start(step, now);   ... at timing.end:  status = finish(arm);   ... or, at any instant before:  cut(instant);
//
// Content changes at finish(), or as far as cut() says. Not modelled: thermal recalibration.
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <vector>

#include "base/arms.hpp"
#include "base/metrics.hpp"
#include "base/signal.hpp"
#include "media/media_arm.hpp"
#include "media/spindle_index.hpp"

namespace tessera {

class MediaDevice {
 public:
  /// Description and plan must have passed validate() and check_plan(); throws InputError otherwise.
  MediaDevice(const MediaConfig& config, const FormatPlan& plan, ContentMode content, std::uint64_t seed);
  MediaDevice(const MediaDevice&) = delete;
  MediaDevice& operator=(const MediaDevice&) = delete;

  [[nodiscard]] const TrackGeometry& geometry() const { return platters_.geometry; }
  /// Of one arm, or the directory of several.
  [[nodiscard]] const Positioning& positioning() const;
  [[nodiscard]] const SeekCurve& seek_curve() const { return arms_.front().mechanics().curve(); }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const { return platters_.geometry.sectors_on(track); }
  /// MediaPort::uniform().
  [[nodiscard]] bool uniform() const { return platters_.geometry.uniform(); }
  [[nodiscard]] std::uint32_t arms() const { return arm_map_.arms(); }
  [[nodiscard]] std::uint32_t arm_of(PhysicalTrack track) const { return arm_map_.of(track); }
  [[nodiscard]] bool busy(std::uint32_t arm = 0) const { return arms_[arm].busy(); }
  /// The step that the arm has in flight and its times; only while busy.
  [[nodiscard]] const MediaStep& step(std::uint32_t arm = 0) const { return arms_[arm].step(); }
  [[nodiscard]] const MediaTiming& timing(std::uint32_t arm = 0) const { return arms_[arm].timing(); }

  /// Begins a step on the arm of its track, which must be idle and powered. The step, its buffer and header stay where they are until it
  /// ends. A run that leaves its track or lies on unformatted tracks takes no time and ends with `rule_violation`.
  MediaTiming start(const MediaStep& step, Picoseconds now);

  /// A read in flight is wanted no more at `now`: it ends once the arm has landed or the sector under the head has passed, and brings
  /// nothing. Gives the instant of its end; of a write, that which it had.
  Picoseconds give_up(Picoseconds now, std::uint32_t arm = 0);

  /// Ends the arm's step at its time: content moves. `aborted`: it was given up. `rule_violation`: see start(); `media_error`: a defect was
  /// read, or the write stopped at a sector that could not be written; `damaged`: a sector was read that an overlapping write destroyed;
  /// `lost`: one was read that was written as lost. Good sectors of a failed read are filled all the same, the others are marked as lost in
  /// the step's buffer.
  Status finish(std::uint32_t arm = 0);

  /// The power fails at `now` (docs/models/media.md). Steps in flight are lost; of a write, the sectors that had passed the head are
  /// new, the one under it is as `powerfail.sector` says, later ones are old; overlapped tracks are damaged up to and
  /// including the sector in flight; the run's header is written only if every sector of the run is new. A cut at a sector's
  /// boundary finds none in flight. The heads park. The steps' data must still be there.
  void cut(Picoseconds now);
  /// What the last cut made unreadable, one sector an arm at most.
  [[nodiscard]] const std::vector<TornSector>& torn() const { return platters_.torn; }
  /// The power returns at `now`: the spindle keeps its angle against absolute time.
  void restore(Picoseconds now);
  [[nodiscard]] bool powered() const { return powered_; }

  /// The host stops the spindle, and starts it. A description without power conditions has the default `standby_recovery`.
  void stop_spindle(Picoseconds now);
  void start_spindle(Picoseconds now);
  [[nodiscard]] bool spindle_stopped(Picoseconds now) const { return platters_.power.any() && platters_.power.stopped(now); }

  /// Makes a sector unreadable from now on (fault injection).
  void add_unreadable(PhysicalSector sector) { platters_.faults.add_unreadable(sector); }
  /// From now on the sector fails in this many reads in a row, before one goes well.
  void add_transient(PhysicalSector sector, std::uint32_t reads) { platters_.faults.add_transient(sector, reads); }
  /// From now on the drive notices that a write to the sector fails (fault injection).
  void add_write_fault(PhysicalSector sector) { platters_.faults.add_write_fault(sector); }
  /// Who is told what faults destroy; null for nobody. What so many reads in a row did not bring counts as destroyed too: the firmware
  /// tries no more, and carries it on as lost.
  void set_fault_listener(FaultListener* listener, std::uint32_t reads = ~std::uint32_t{0}) {
    platters_.fault_listener = listener;
    platters_.reads_before_loss = reads;
  }

  /// Sectors that faults, or a write that stopped there, kept from being read, for good as far as set_fault_listener() says; that no read
  /// brought and no write replaced since. As of forget_unread().
  [[nodiscard]] const std::set<TrackSector>& unread() const { return platters_.unread; }
  /// The same, those of which fewer reads in a row failed, and those at which a write stopped.
  [[nodiscard]] const std::set<TrackSector>& failing() const { return platters_.failing; }
  /// What is called before a write that may replace any of them, or what tells of them, is stored; empty for nothing.
  void before_write_with_unread(std::function<void()> call) { platters_.before_write = std::move(call); }
  void forget_unread() {
    platters_.unread.clear();
    platters_.failing.clear();
  }

  /// What the platters held before the simulation; null for nothing.
  void set_initial_content(const InitialContent* initial) { platters_.store.set_initial(initial); }

  /// What the platters hold: for checkers and tests.
  [[nodiscard]] const ContentStore& content() const { return platters_.store; }

  /// What the platters hold and which sectors of them fail, of a device without power or with nothing in flight.
  void save_state(StateWriter& out, Picoseconds now) const {
    platters_.store.save_state(out);
    platters_.faults.save_state(out, now);
    if (platters_.interference.any()) platters_.interference.save_state(out);
    if (platters_.wear.any()) platters_.wear.save_state(out);
  }
  /// At time 0, of a device of the same description and plan.
  void load_state(StateReader& in) {
    platters_.store.load_state(in);
    platters_.faults.load_state(in);
    if (platters_.interference.any()) platters_.interference.load_state(in, platters_.geometry.tracks());
    if (platters_.wear.any()) platters_.wear.load_state(in);
  }

  void observe(MediaObserver* observer) { platters_.observer = observer; }
  [[nodiscard]] SignalScope& signals() { return signals_; }
  [[nodiscard]] const MediaStatistics& statistics() const { return platters_.statistics; }
  /// Adds the metrics `media.*` as of `now`.
  void report(MetricSet& metrics, Picoseconds now) const;
  /// `by` passes at `now` and is left out of later instants; the power is on, and nothing is under way.
  void rest(Picoseconds by, Picoseconds now) {
    spindle_index_->pass(now);
    if (platters_.power.any()) platters_.power.rest(by, now);
    platters_.geometry.rest(by);
    platters_.statistics.rested += by;
  }

 private:
  /// Several arms as the disk channel knows them.
  class Directory;

  [[nodiscard]] ArmDisturbance disturbance(std::uint32_t arm) const;
  [[nodiscard]] bool at_work() const;
  [[nodiscard, gnu::cold]] Picoseconds recover(Picoseconds now);

  SignalScope signals_;
  Platters platters_;
  ArmMap arm_map_;
  std::deque<MediaArm> arms_;
  std::optional<SpindleIndex> spindle_index_;
  std::unique_ptr<Positioning> directory_;  // null for one arm
  bool powered_ = true;
};

}  // namespace tessera
