#pragma once
// Lets background work run when the host pauses: the idle detector, and the limit on how long it may starve.
//
// Work calls turn() before each of its steps. The host comes first, then whatever the layer itself does for it (a destage
// of the write cache); only when both have been quiet for `idle_after` is it the work's turn.
#include "base/parameter.hpp"
#include "firmware/locks/idle_look.hpp"
#include "firmware/locks/wait_queue.hpp"
#include "firmware/ports/host_port.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera {

struct IdleGateConfig {
  Picoseconds idle_after{10'000'000'000};    // 10 ms: longer than the write cache waits, so that its destages come first
  Picoseconds max_defer{5'000'000'000'000};  // 5 s: ours, no host waits longer for what it gains by the work

  void describe(ParameterVisitor& visitor) {
    visitor.field("idle_after", idle_after, {0, 1e15}, "how long the host must have been quiet before background work goes on");
    visitor.field("max_defer", max_defer, {0, 1e15}, "background work that has waited this long goes on beside the host");
  }
};

class IdleGate {
 public:
  IdleGate(const IdleGateConfig& config, CpuPort& cpu, const HostPort& host)
      : config_(config), cpu_(cpu), host_(host), work_(cpu), watched_(cpu) {}

  /// Once, after boot; until then the gate is open.
  void start() {
    started_ = true;
    cpu_.spawn(watch(), "watch_idle");
  }

  /// An operation of the layer begins or ends.
  void operation_begins() { ++operations_; }
  void operation_ends() {
    --operations_;
    last_operation_ = cpu_.now();
  }

  /// From here on max_defer is counted.
  void due() { due_since_ = cpu_.now(); }
  /// Whether the work may go on now.
  [[nodiscard]] bool open() const { return !started_ || idle() || overdue(); }
  /// The class of the work's media commands: whoever had to be let in goes in front like a host command.
  [[nodiscard]] MediaClass priority(bool wanted) const { return wanted || overdue() ? MediaClass::dependent : MediaClass::background; }
  /// Until open(), or until wake().
  Task<void> wait() {
    watched_.wake_all();
    co_await work_.change(LifePhase::background_wait);
  }
  /// Makes the waiting work look again: something wants what it holds.
  void wake() { work_.wake_all(); }

 private:
  [[nodiscard]] Picoseconds quiet_since() const { return std::max(host_.last_activity(), last_operation_); }
  [[nodiscard]] bool idle() const {
    return host_.outstanding() == 0 && operations_ == 0 && cpu_.now() >= quiet_since() + config_.idle_after;
  }
  [[nodiscard]] bool overdue() const { return cpu_.now() >= due_since_ + config_.max_defer; }

  /// Wakes waiting work at the instants at which it may go on.
  Task<void> watch() {
    for (;;) {
      if (work_.empty()) {
        co_await watched_.change(LifePhase::cpu_wait);
        continue;
      }
      if (open()) {
        work_.wake_all();
        continue;
      }
      const Picoseconds quiet = next_idle_look(quiet_since(), cpu_.now(), config_.idle_after);
      const Picoseconds look_again = std::min(quiet, std::max(due_since_ + config_.max_defer, cpu_.now() + Picoseconds(1)));
      co_await cpu_.sleep_until(look_again);
    }
  }

  IdleGateConfig config_;
  CpuPort& cpu_;
  const HostPort& host_;
  WaitQueue work_;
  WaitQueue watched_;  // of watch()
  bool started_ = false;
  std::uint32_t operations_ = 0;
  Picoseconds last_operation_;
  Picoseconds due_since_;
};

}  // namespace tessera
