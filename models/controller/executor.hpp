#pragma once
// The firmware's executor: cores that each run one task at a time, from one await to the next.
//
// A task that is resumed at time t runs atomically; what it is charged (operations, DRAM accesses) moves its core's local time
// ahead of the timeline, and what it submits takes effect at that local time. Ready tasks queue by (priority, time, order), for the cores
// that have their role (cpu_config.hpp). Where another core takes the interrupts, a completion passes through it before the task goes on.
//
// Not modelled: preemption; contention of the cores for the tables; the time of a message between cores.
#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/long_time.hpp"
#include "base/metrics.hpp"
#include "base/request_life.hpp"
#include "base/slot_pool.hpp"
#include "base/timeline.hpp"
#include "bus/dma_transfer.hpp"
#include "controller/cpu_config.hpp"
#include "controller/firmware_signals.hpp"
#include "controller/interrupt_controller.hpp"
#include "controller/pending_accesses.hpp"
#include "controller/ready_queue.hpp"
#include "controller/task_work.hpp"
#include "firmware/ports/cpu_port.hpp"

namespace tessera {

class CodeMemory;
class ControlPath;

/// A command's or background work's tree of coroutines.
struct RootTask {
  Task<void> task;
  const char* name = nullptr;   ///< one word, for waveforms
  std::uint32_t tag = no_tag;   ///< of the host command
  bool host_read = false;       ///< which is a read
  bool host_write = false;      ///< or a write,
  bool updates = false;         ///< that reads from the platters before it writes there
  RequestLife* life = nullptr;  ///< null for background work, and once the request was completed
  TaskWork work;
  DeviceWait start;
  LifePhase waits = LifePhase::cpu_wait;  ///< for what, and since when
  Picoseconds since;
  std::size_t place = 0;  ///< among the tasks that are alive
};

/// Receives what firmware reports (events.csv, triggers).
class CpuObserver {
 public:
  virtual void firmware_event(const FirmwareEvent& event, Picoseconds at) = 0;

 protected:
  ~CpuObserver() = default;
};

class Executor final : public CpuPort, private InterruptHandler, private TimelineListener {
 public:
  Executor(Timeline& timeline, const CpuConfig& config);
  ~Executor() override;

  /// From now on its commands, completions and interrupts cross the bus; without, they take no time.
  void connect(ControlPath& control) { control_ = &control; }
  [[nodiscard]] bool served_elsewhere() const { return served_elsewhere_; }  ///< CpuConfig
  /// From now on the code of its operations is fetched from there; without, that takes no time.
  void fetch_from(CodeMemory& code) { code_ = &code; }
  /// From now on access_later() prices accesses there, where it is open.
  void price_later(const MemoryPath& path) { pending_.connect(path); }

  /// Runs `task` as a root from time `ready` on, on behalf of the request that `life` belongs to (null: background).
  RootTask& start(Task<void> task, RequestLife* life, Picoseconds ready);
  /// The same behind an interrupt at time `at`, now() or later.
  RootTask& start(Task<void> task, RequestLife* life, InterruptLine line, Picoseconds at);

  /// A device's interrupt at time `at`, now() or later: `wait` becomes ready when it was taken.
  void interrupt(DeviceWait& wait, InterruptLine line, Picoseconds at);
  /// Adds the parts of a finished device operation to the waiting request's life; they must reach up to now().
  static void account(DeviceWait& wait, LifePhase phase, Picoseconds until);

  /// No task runs on from here: the CPU is held in reset until power_off().
  void halt() { halted_ = true; }
  /// Ends every task: the power failed. Their frames are destroyed; nothing of theirs may be touched afterwards.
  void power_off();

  // CpuPort
  void charge(CpuOperation operation, std::uint64_t times) override {
    const auto index = static_cast<std::size_t>(operation);
    performed_[index] += times;
    local_ += cycle_ * (costs_[index] * times);
    if (code_ != nullptr) [[unlikely]]
      fetch(operation);
  }
  /// As charge(), of what may be done before the boot, too, when the image is loaded in no time.
  void charge_task(CpuOperation operation, std::uint64_t times) {
    if (running_ != nullptr) charge(operation, times);
  }
  void spend(Picoseconds time) override { local_ += time; }
  [[nodiscard]] Picoseconds now() const override { return running_ != nullptr ? local() : timeline_.now(); }
  void spawn(Task<void> task, const char* name) override;
  void wake_at(Picoseconds when, DeviceWait& wait) override;
  void event(const FirmwareEvent& event) override;
  [[nodiscard]] std::uint32_t declare_gauge(const GaugeInfo& info) override { return firmware_.declare_gauge(info); }
  void gauge(std::uint32_t number, std::uint64_t value) override { firmware_.gauge(number, value, now()); }
  void make_ready(DeviceWait& wait) override;
  void suspend(DeviceWait& wait, LifePhase phase) override;

  /// Who is told of a command or completion: the unit whose engine reads it, and how long after that it acts.
  struct Notice {
    TimelineListener& listener;
    std::uint64_t argument = 0;
    Picoseconds delay{};
    BusInitiator engine = BusInitiator::host;
  };
  /// The running task waits for a device that gets `descriptors`; `written` when it has read the last of them.
  void suspend_for(DeviceWait& wait, LifePhase phase, std::uint64_t descriptors, const Notice& written);
  /// The running task's request ends here with its completion, of which `completed` is told; the rest of the task counts as background.
  void complete_request(const Notice& completed);

  /// The running task writes a register of a device: gives when the device has it.
  Picoseconds ring(DeviceRegister bell);

  /// The running task's access to a table in the DRAM, whose time counts once somebody asks for the core's. Not where there is no room for
  /// it (make_room()).
  [[nodiscard]] bool access_later(DramAddress address, std::uint32_t bytes, Access access) {
    if (!pending_.has_room()) [[unlikely]]
      return false;
    local_ += table_access_;
    pending_.add(address, bytes, access, local_);
    return true;
  }
  /// Not where no task runs, or an access has to be priced at once.
  [[nodiscard]] bool make_room();

  /// Moves local time to `until`, where a DRAM access completes. Before the boot no task runs: the image is loaded in no time.
  void stall(Picoseconds until) {
    if (running_ == nullptr) return;
    dram_ += until - local();
    local_ = until;
  }
  /// Time that a processor other than this worked, which the firmware runs on.
  void worked_elsewhere(Picoseconds time) {
    cores_.front().busy += time;
    ran_ += time;
  }
  /// Time in which it ran tasks, since it was made.
  [[nodiscard]] Picoseconds ran() const { return ran_ + (running_ != nullptr ? local() - timeline_.now() : Picoseconds(0)); }
  [[nodiscard]] std::uint64_t performed(CpuOperation operation) const { return performed_[static_cast<std::size_t>(operation)]; }
  [[nodiscard]] bool idle() const { return roots_.empty(); }
  /// Not before the boot.
  [[nodiscard]] bool runs_task() const { return running_ != nullptr; }
  [[nodiscard]] std::size_t tasks() const { return roots_.size(); }
  /// Calls `visit(root)` for each task that is alive.
  template <class Visit>
  void each_task(Visit visit) const {
    for (const auto& root : roots_) visit(*root);
  }
  void observe(CpuObserver* observer) { observer_ = observer; }
  void report(MetricSet& metrics, LongTime elapsed) const;
  void reset_statistics();
  [[nodiscard]] SignalScope& signals() { return signals_; }
  [[nodiscard]] FirmwareSignals& firmware_signals() { return firmware_; }
  [[nodiscard]] const FirmwareSignals& firmware_signals() const { return firmware_; }

 private:
  /// Timeline arguments below are dispatches of a crew; others the address of a sleeping DeviceWait.
  static constexpr std::uint64_t most_crews = 3;

  /// How a task became ready, and what that costs the core that comes to it.
  enum class Entry : std::uint8_t {
    handed_over,  // by another task or core
    interrupt,    // behind the entry of an interrupt
    more,         // behind one that was entered for another completion
    message       // nothing became ready: a task has left something to this core
  };
  struct Ready {
    Picoseconds at;
    std::uint64_t order;
    DeviceWait* wait;
    Entry entry;
    InterruptLine line;         // whose priority it has; that of the timers where no interrupt made it ready
    std::uint64_t message = 0;  // which
    bool operator>(const Ready& other) const { return at != other.at ? at > other.at : order > other.order; }
  };
  struct Message {
    CpuOperation operation = CpuOperation::submit;
    std::uint64_t times = 0;
    RequestLife* life = nullptr;  // null: of background work
    std::uint32_t tag = no_tag;
    TimelineListener* listener = nullptr;
    std::uint64_t argument = 0;
    Picoseconds delay;
    BusInitiator engine = BusInitiator::host;
    RootTask* waiting = nullptr;  // for the device; null: a completion
  };
  struct Core {
    Picoseconds free;  // when it can begin something else
    Picoseconds busy;
    Signal task, tag;
  };
  /// The cores of a role, or of several, and what waits for them.
  struct Crew {
    std::vector<Core*> cores;
    ReadyQueue<Ready> ready;  // by (time, order)
    Picoseconds dispatch_at;  // of the pending dispatch entry
    bool dispatch_pending = false;
  };

  void on_time(std::uint64_t argument) override;
  void interrupted(InterruptLine line, DeviceWait& wait, Picoseconds at, bool first) override;
  [[nodiscard]] Crew& crew(CpuRole role) { return *crew_of_[static_cast<std::size_t>(role)]; }
  [[nodiscard]] Crew& crew_for(const Ready& ready);
  [[nodiscard]] std::uint32_t priority(const Ready& ready) const { return interrupts_.priority(ready.line); }
  RootTask& make_root(Task<void> task, RequestLife* life);
  void inherit_work(RootTask& root);
  void note_work(const FirmwareEvent& event);
  static void set_work(const RootTask& root);
  void end_help(const RequestLife& life);
  void account_wait(const DeviceWait& wait, Picoseconds until);
  void enqueue(const Ready& ready);
  void push(Crew& to, const Ready& ready);
  void schedule_dispatch(Crew& crew);
  [[nodiscard]] static Core& next_core(const Crew& crew);
  [[nodiscard]] Picoseconds next_dispatch(const Crew& crew) const;
  void dispatch(Crew& crew);
  [[nodiscard]] Ready take(Crew& crew);
  void begin(Core& core, const char* what, std::uint32_t tag);
  void end(Core& core);
  void charge_entry(const Ready& ready);
  void take_interrupt(Core& core, const Ready& ready);
  void run(Core& core, const Ready& ready);
  void retire(RootTask* root);
  void account_cpu();
  /// The time of the core that runs a task.
  [[nodiscard]] Picoseconds local() const {
    if (!pending_.empty()) [[unlikely]]
      settle();
    return local_;
  }
  [[gnu::noinline]] void settle() const;
  /// What the lane of a request shows from the core's time on.
  void show(const RequestLife* life, LifePhase phase) const {
    if (Signal::anyone_watches() && life != nullptr) [[unlikely]]
      life->enter(phase, local());
  }
  [[gnu::cold]] void show_suspended(LifePhase phase);
  [[gnu::cold]] void show_resumed(const DeviceWait& wait, Picoseconds at);
  [[gnu::cold]] void fetch(CpuOperation operation);
  [[nodiscard]] Picoseconds hand_out(CpuOperation operation, std::uint64_t times, BusInitiator engine);
  void leave_to(CpuRole role, CpuOperation operation, std::uint64_t times, RootTask* waiting, const Notice& notice);
  void carry_out(Core& core, const Message& message);

  SignalScope signals_;
  Signal ready_depth_ = signals_.level("ready", 16);
  Signal tasks_depth_ = signals_.level("tasks", 16);
  Signal lock_waiters_ = signals_.level("waiting_for_locks", 16);
  FirmwareSignals firmware_;
  std::uint64_t waiting_for_locks_ = 0;
  std::uint64_t waiting_for_cores_ = 0;

  Timeline& timeline_;
  ControlPath* control_ = nullptr;
  CodeMemory* code_ = nullptr;
  InterruptController interrupts_;
  std::array<std::uint64_t, cpu_operations> costs_;
  mutable std::array<std::uint64_t, cpu_operations> performed_{};  // but for pending_
  Picoseconds cycle_;
  std::vector<Core> cores_;
  std::vector<Crew> crews_;
  std::array<Crew*, 3> crew_of_;  // by CpuRole
  bool by_priority_;
  bool served_elsewhere_;  // CpuConfig
  SlotPool<Message> messages_;
  std::uint64_t orders_ = 0;
  std::vector<std::unique_ptr<RootTask>> roots_;  // alive
  std::vector<std::unique_ptr<RootTask>> spare_;  // reused
  RootTask* current_ = nullptr;
  Crew* running_ = nullptr;    // whose core runs a task
  mutable Picoseconds local_;  // that core's time, but for pending_: local()
  std::array<Picoseconds, static_cast<std::size_t>(BusInitiator::flash) + 1>
      ring_read_{};           // when each engine has read what it was handed last
  mutable Picoseconds dram_;  // part of the current run that was spent on DRAM accesses, likewise
  mutable PendingAccesses pending_;
  Picoseconds table_access_;  // of the core, for each of these
  bool powering_off_ = false;
  bool halted_ = false;
  Picoseconds ran_;        // since it was made
  Picoseconds registers_;  // of it, waiting for registers
  CpuObserver* observer_ = nullptr;
};

}  // namespace tessera
