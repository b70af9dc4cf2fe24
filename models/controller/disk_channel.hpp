#pragma once
// The disk channel: queues the firmware's chains for the arms that their first steps name, feeds the head-disk assembly one step at a time
// for each arm, and tells each waiting task where its time went.
#include <deque>
#include <functional>
#include <optional>
#include <vector>

#include "base/geometry.hpp"
#include "base/long_time.hpp"
#include "base/metrics.hpp"
#include "base/slot_pool.hpp"
#include "base/timeline.hpp"
#include "controller/controller_config.hpp"
#include "controller/device_links.hpp"
#include "controller/disk_lane.hpp"
#include "controller/executor.hpp"
#include "controller/recovery_figures.hpp"

namespace tessera {

/// How many drive sectors a track holds as formatted; the media knows (defects slipped, narrow tops).
class TrackCapacity {
 public:
  virtual std::uint32_t sectors_on(PhysicalTrack track) const = 0;
  /// MediaPort::uniform().
  virtual bool uniform() const { return false; }

 protected:
  ~TrackCapacity() = default;
};

class DiskChannel final : public MediaPort, public MediaLinkUp, private TimelineListener {
 public:
  DiskChannel(Timeline& timeline, Executor& executor, MediaLink& link, DmaPort& dma, const Positioning& positioning,
              const TrackCapacity& tracks, const ControllerConfig& config);

  // MediaPort
  void submit(MediaChain& chain) override;
  void abandon(const DataBuffer& buffer) override;
  void supervise(MediaSupervisor* supervisor) override { supervisor_ = supervisor; }
  /// Who looks after the buffers; nobody by default.
  void guard_buffers(BufferGuard& guard) { guard_ = &guard; }
  [[nodiscard]] std::uint32_t sectors_on(PhysicalTrack track) const override { return tracks_.sectors_on(track); }
  [[nodiscard]] bool uniform() const override { return tracks_.uniform(); }

  // MediaLinkUp
  void step_done(const MediaBreakdown& timing, Status status, std::uint32_t arm = 0) override;

  void power_off();
  /// The firmware is about to end: what waits is dropped, and `quiet` is called when the step in hand, if any, has ended.
  void halt(std::function<void()> quiet);
  /// Adds what it served, by kind.
  void count(PortCounts& counts) const { counts += served_; }
  [[nodiscard]] bool idle() const { return active_ == 0 && landing_ == 0 && !stopped() && queued() == 0; }
  void report(MetricSet& metrics, LongTime elapsed) const;
  void reset_statistics();

  [[nodiscard]] std::size_t queued() const;
  [[nodiscard]] SignalScope& signals() { return signals_; }

 private:
  /// Arguments of the timeline: a number in submitted_ or abandoned_, or an arm, * alarms + what.
  enum Alarm : std::uint64_t { chain_here, abandoned, recovered, turned, fed, answered, alarms = 8 };
  /// A chain whose steps have ended and whose bursts are not all answered.
  struct Landing {
    MediaChain* chain = nullptr;
    Picoseconds ended{};
    Picoseconds landed{};            ///< as far as the bus tells
    std::uint32_t arm = 0, end = 0;  ///< whose bursts it waits for: from this one on
  };

  void on_time(std::uint64_t argument) override;
  [[nodiscard]] DiskLane& lane_of(const MediaStep& step) {
    return lanes_.size() == 1 ? lanes_.front() : lanes_[positioning_.arm_of(step.run.track)];
  }
  void arrived(MediaChain& chain);
  void enqueue(DiskLane& lane, MediaChain& chain);
  [[nodiscard]] bool yields(const MediaChain& chain) const;
  /// Whether the arms serve nothing, but for a supervisor.
  [[nodiscard]] bool stopped() const { return recovering_.has_value() || !troubled_.empty(); }
  void go_on(const DiskLane& after);
  void serve_waiting(const DiskLane& after);
  void serve_next(DiskLane& lane);
  void serve(DiskLane& lane, MediaChain& chain);
  void end_wait(DiskLane& lane, MediaChain& chain);
  [[gnu::cold]] void charge_wait(DiskLane& lane, MediaChain& chain, RequestLife* life);
  void start(DiskLane& lane, const MediaStep& step);
  void show(const DiskLane& lane, const MediaStep& step) const;
  void note_arrival(const MediaStep& step, const MediaBreakdown& timing) const;
  void give_up(const DataBuffer& buffer);
  void drop(DiskLane& lane, MediaChain& chain);
  [[nodiscard]] Picoseconds move_data(DiskLane& lane, const MediaStep& step, const MediaBreakdown& timing);
  void step_ended(DiskLane& lane);
  void leave(DiskLane& lane);
  [[gnu::cold]] void change_arm(DiskLane& lane);
  void finish(DiskLane& lane);
  void complete(MediaChain& chain, Picoseconds ended, Picoseconds landed);
  // Of a DRAM that takes bursts
  [[gnu::cold]] void announce(const DiskLane& lane, const MediaStep& step);
  [[gnu::cold]] bool waits_for_bursts(DiskLane& lane, const MediaStep& step, Picoseconds late);
  void feed(DiskLane& lane);
  [[gnu::cold]] bool lands_later(const DiskLane& lane, MediaChain& chain);
  bool wait_for(Landing landing);
  void land(Landing landing);
  void account(const MediaChain& chain, Picoseconds until);
  void hand_over(MediaChain& chain);
  void recover_next();
  Task<void> recover(MediaChain& chain);
  void resume_service();
  [[nodiscard]] Picoseconds background_busy(const DiskLane& lane, Picoseconds at) const;

  SignalScope signals_;
  Timeline& timeline_;
  Executor& executor_;
  MediaLink& link_;
  DmaPort& dma_;
  const Positioning& positioning_;
  const TrackCapacity& tracks_;
  std::deque<DiskLane> lanes_;       // by arm
  std::uint32_t at_once_;            // Positioning::at_once()
  std::uint32_t active_ = 0;         // lanes that have a chain in hand
  SlotPool<MediaChain*> submitted_;  // on their way to the queue
  SlotPool<Landing> landings_;
  std::uint32_t landing_ = 0;                // chains
  SlotPool<const DataBuffer*> abandoned_;    // whose chains are to be given up
  std::vector<const MediaChain*> unwanted_;  // of submitted_: given up before their descriptors were read
  ReadPriority read_priority_;
  Picoseconds bus_latency_;
  Bytes fifo_;
  MediaSupervisor* supervisor_ = nullptr;
  BufferGuard* guard_ = nullptr;
  std::vector<MediaChain*> troubled_;     // for the supervisor, once no arm is at work
  std::optional<MediaClass> recovering_;  // of the chain in the supervisor's hands
  Picoseconds recovery_began_;
  std::function<void()> quiet_;  // set while it halts
  PortCounts served_;
  std::uint64_t chains_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t missed_turns_ = 0;
  std::size_t longest_queue_ = 0;
};

}  // namespace tessera
