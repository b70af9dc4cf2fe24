#pragma once
// The firmware's executor: one CPU that runs one task at a time, from one await to the next.
//
// A task that is resumed at time t runs atomically; what it is charged (cycles, DRAM accesses) moves the CPU's local time
// ahead of the timeline, and what it submits takes effect at that local time. Ready tasks queue by (time, order).
#include <cstdint>
#include <memory>
#include <vector>

#include "base/metrics.hpp"
#include "base/request_life.hpp"
#include "base/timeline.hpp"
#include "controller/controller_config.hpp"
#include "controller/firmware_signals.hpp"
#include "firmware/ports/cpu_port.hpp"

namespace tessera {

/// A command's or background work's tree of coroutines.
struct RootTask {
  Task<void> task;
  const char* name = nullptr;   ///< one word, for waveforms
  std::uint32_t tag = no_tag;   ///< of the host command
  RequestLife* life = nullptr;  ///< null for background work, and once the request was completed
  DeviceWait start;
  LifePhase waits = LifePhase::cpu_wait;  ///< for what, and since when
  Picoseconds since;
};

/// Receives what firmware reports (events.csv, triggers).
class CpuObserver {
 public:
  virtual void firmware_event(const FirmwareEvent& event, Picoseconds at) = 0;

 protected:
  ~CpuObserver() = default;
};

class Executor final : public CpuPort, private TimelineListener {
 public:
  Executor(Timeline& timeline, const ControllerConfig& config);
  ~Executor() override;

  /// Runs `task` as a root from time `ready` on, on behalf of the request that `life` belongs to (null: background).
  RootTask& start(Task<void> task, RequestLife* life, Picoseconds ready);

  /// A device or host interrupt at now(): `wait` becomes ready after the interrupt latency.
  void interrupt(DeviceWait& wait);
  /// Adds the parts of a finished device operation to the waiting request's life; they must reach up to now().
  static void account(DeviceWait& wait, LifePhase phase, Picoseconds until);

  /// No task runs on from here: the CPU is held in reset until power_off().
  void halt() { halted_ = true; }
  /// Ends every task: the power failed. Their frames are destroyed; nothing of theirs may be touched afterwards.
  void power_off();

  // CpuPort
  [[nodiscard]] const CpuCosts& costs() const override { return config_.costs; }
  void charge(Cycles cycles) override { local_ += cycle_ * cycles.value(); }
  void spend(Picoseconds time) override { local_ += time; }
  [[nodiscard]] Picoseconds now() const override { return running_ ? local_ : timeline_.now(); }
  void spawn(Task<void> task, const char* name) override;
  void wake_at(Picoseconds when, DeviceWait& wait) override;
  void event(const FirmwareEvent& event) override;
  [[nodiscard]] std::uint32_t declare_gauge(const GaugeInfo& info) override { return firmware_.declare_gauge(info); }
  void gauge(std::uint32_t number, std::uint64_t value) override { firmware_.gauge(number, value, now()); }
  void make_ready(DeviceWait& wait) override;
  void suspend(DeviceWait& wait, LifePhase phase) override;

  /// Moves local time to `until`, where a DRAM access completes.
  void stall(Picoseconds until) {
    dram_ += until - local_;
    local_ = until;
  }
  /// The running task's request ends here: accounts its CPU and DRAM time; the rest of the task counts as background.
  void release_life();

  /// Time in which it ran tasks, since it was made.
  [[nodiscard]] Picoseconds ran() const { return ran_ + (running_ ? local_ - timeline_.now() : Picoseconds(0)); }
  [[nodiscard]] bool idle() const { return roots_.empty(); }
  [[nodiscard]] std::size_t tasks() const { return roots_.size(); }
  /// Calls `visit(root)` for each task that is alive.
  template <class Visit>
  void each_task(Visit visit) const {
    for (const auto& root : roots_) visit(*root);
  }
  void observe(CpuObserver* observer) { observer_ = observer; }
  void report(MetricSet& metrics, Picoseconds elapsed) const;
  void reset_statistics();
  [[nodiscard]] SignalScope& signals() { return signals_; }
  [[nodiscard]] FirmwareSignals& firmware_signals() { return firmware_; }
  [[nodiscard]] const FirmwareSignals& firmware_signals() const { return firmware_; }

 private:
  struct Ready {
    Picoseconds at;
    std::uint64_t order;
    DeviceWait* wait;
    bool operator>(const Ready& other) const { return at != other.at ? at > other.at : order > other.order; }
  };

  void on_time(std::uint64_t argument) override;
  void enqueue(DeviceWait& wait, Picoseconds at);
  void schedule_dispatch();
  void run(DeviceWait& wait);
  void retire(RootTask* root);
  void account_cpu();
  [[gnu::cold]] void show_suspended(LifePhase phase);
  [[gnu::cold]] void show_resumed(const DeviceWait& wait);

  SignalScope signals_;
  Signal task_ = signals_.text("task", "idle");
  Signal tag_ = signals_.number("tag", 16, no_tag);
  Signal ready_depth_ = signals_.level("ready", 16);
  Signal tasks_depth_ = signals_.level("tasks", 16);
  Signal lock_waiters_ = signals_.level("waiting_for_locks", 16);
  FirmwareSignals firmware_;
  std::uint64_t waiting_for_locks_ = 0;

  Timeline& timeline_;
  ControllerConfig config_;
  Picoseconds cycle_;
  std::vector<Ready> ready_;  // min-heap by (time, order)
  std::uint64_t orders_ = 0;
  std::vector<std::unique_ptr<RootTask>> roots_;  // alive
  std::vector<std::unique_ptr<RootTask>> spare_;  // reused
  RootTask* current_ = nullptr;
  Picoseconds local_;        // CPU time while running; when the CPU becomes free otherwise
  Picoseconds dram_;         // part of the current run that was spent on DRAM accesses
  Picoseconds dispatch_at_;  // of the pending dispatch entry
  bool dispatch_pending_ = false;
  bool running_ = false;
  bool powering_off_ = false;
  bool halted_ = false;
  Picoseconds ran_;  // since it was made
  Picoseconds busy_;
  CpuObserver* observer_ = nullptr;
};

}  // namespace tessera
