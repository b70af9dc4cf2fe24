#pragma once
// The disk channel: queues the firmware's chains, feeds the head-disk assembly one step at a time, and tells each
// waiting task where its time went.
#include <functional>
#include <optional>

#include "base/geometry.hpp"
#include "base/metrics.hpp"
#include "base/slot_pool.hpp"
#include "base/timeline.hpp"
#include "controller/controller_config.hpp"
#include "controller/device_links.hpp"
#include "controller/executor.hpp"
#include "controller/media_queue.hpp"
#include "controller/recovery_figures.hpp"
#include "controller/work_shares.hpp"

namespace tessera {

/// How many drive sectors a track holds as formatted; the media knows (defects slipped, narrow tops).
class TrackCapacity {
 public:
  virtual std::uint32_t sectors_on(PhysicalTrack track) const = 0;

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

  // MediaLinkUp
  void step_done(const MediaBreakdown& timing, Status status) override;

  void power_off();
  /// The firmware is about to end: what waits is dropped, and `quiet` is called when the step in hand, if any, has ended.
  void halt(std::function<void()> quiet);
  /// Adds what it served, by kind.
  void count(PortCounts& counts) const { counts += served_; }
  [[nodiscard]] bool idle() const { return current_ == nullptr && !recovering_ && queue_.empty(); }
  void report(MetricSet& metrics, Picoseconds elapsed) const;
  void reset_statistics();

  [[nodiscard]] std::size_t queued() const { return queue_.size(); }
  [[nodiscard]] SignalScope& signals() { return signals_; }

 private:
  /// Arguments of the timeline: a number in submitted_ or abandoned_ * alarms + what.
  enum Alarm : std::uint64_t { chain_here, abandoned, recovered, turned, alarms };

  void on_time(std::uint64_t argument) override;
  void arrived(MediaChain& chain);
  [[nodiscard]] bool yields(const MediaChain& chain) const;
  void serve_next();
  void serve(MediaChain& chain);
  void end_wait(MediaChain& chain);
  [[gnu::cold]] void charge_wait(MediaChain& chain, RequestLife* life);
  void start(const MediaStep& step);
  void show(const MediaStep& step) const;
  void note_arrival(const MediaStep& step, const MediaBreakdown& timing) const;
  void give_up(const DataBuffer& buffer);
  [[nodiscard]] Picoseconds move_data(const MediaStep& step, const MediaBreakdown& timing);
  void step_ended();
  void finish();
  void account(const MediaChain& chain, Picoseconds until);
  void hand_over(MediaChain& chain);
  Task<void> recover(MediaChain& chain);
  void resume_service();
  [[nodiscard]] Picoseconds background_busy(Picoseconds at) const;

  SignalScope signals_;
  Signal depth_ = signals_.level("queue", 16);
  SignalScope& command_ = signals_.part("command");
  Signal op_ = command_.state("op", {"none", "read", "write"});
  Signal class_ = command_.state("class", {"host", "dependent", "background", "recovery"});
  Signal tag_ = command_.number("tag", 16);
  Signal serial_ = command_.number("serial", 40);
  Signal surface_ = command_.number("surface", 8);
  Signal radius_ = command_.number("radius", 32);
  Signal sector_ = command_.number("sector", 16);
  Signal sectors_ = command_.number("sectors", 16);

  Timeline& timeline_;
  Executor& executor_;
  MediaLink& link_;
  DmaPort& dma_;
  const Positioning& positioning_;
  const TrackCapacity& tracks_;
  MediaQueue queue_;
  SlotPool<MediaChain*> submitted_;        // on their way to the queue
  SlotPool<const DataBuffer*> abandoned_;  // whose chains are to be given up
  ReadPriority read_priority_;
  Picoseconds bus_latency_;
  Bytes fifo_;
  MediaChain* current_ = nullptr;
  Status step_status_ = Status::ok;  // of the step in hand, once it ended
  Picoseconds landed_;               // when the data of the chain in hand is in the DRAM
  bool turning_ = false;             // the platter comes round again for what the FIFO could not take or give
  MediaSupervisor* supervisor_ = nullptr;
  BufferGuard* guard_ = nullptr;
  std::optional<MediaClass> recovering_;  // of the chain in the supervisor's hands
  Picoseconds recovery_began_;
  std::function<void()> quiet_;  // set while it halts
  PortCounts served_;
  Picoseconds chain_began_;
  Picoseconds background_total_;  // of finished background chains
  WorkShares shares_;
  const RequestLife* helped_life_ = nullptr;  // whose request the chain that began last was for, where another task ran it
  std::uint64_t chains_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t missed_turns_ = 0;
  Picoseconds busy_;
  std::size_t longest_queue_ = 0;
};

}  // namespace tessera
