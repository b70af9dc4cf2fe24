#pragma once
// The interrupt controller: lines with a priority each, coalescing, and the latency from the device to the handler's first instruction.
//
// A line with `coalesce` n interrupts when n completions have gathered on it, or `coalesce_time` after the first of them; the handler then
// takes all that are there behind one entry. Interrupts do not preempt a task: firmware runs each to its next wait, and the handler's part
// is charged where the core comes to it.
#include <array>
#include <vector>

#include "base/metrics.hpp"
#include "base/slot_pool.hpp"
#include "base/timeline.hpp"
#include "controller/cpu_config.hpp"
#include "firmware/ports/task.hpp"

namespace tessera {

[[nodiscard]] const char* to_string(InterruptLine line);

class InterruptHandler {
 public:
  /// `wait` may be handled from `at` on; `first`: it is the one that pays for the entry of the interrupt.
  virtual void interrupted(InterruptLine line, DeviceWait& wait, Picoseconds at, bool first) = 0;

 protected:
  ~InterruptHandler() = default;
};

class InterruptController final : private TimelineListener {
 public:
  /// InputError where a line has a coalesce_time without coalesce, or the other way round: one does nothing without the other.
  InterruptController(Timeline& timeline, const CpuConfig& config, InterruptHandler& handler);

  /// A device has an interrupt for `wait` at time `at`, now() or later.
  void raise(InterruptLine line, DeviceWait& wait, Picoseconds at);
  /// What has gathered is forgotten.
  void power_off();
  [[nodiscard]] std::uint32_t priority(InterruptLine line) const { return lines_[static_cast<std::size_t>(line)].config.priority; }
  /// Whether all lines have the same priority.
  [[nodiscard]] bool equal_priorities() const;
  void report(MetricSet& metrics) const;

 private:
  struct Line {
    InterruptLineConfig config;
    std::vector<DeviceWait*> gathered;
    std::uint64_t round = 0;  // of gathering: a timer of an earlier one means nothing
    std::uint64_t interrupts = 0;
    std::uint64_t completions = 0;
  };
  struct Arrival {
    InterruptLine line = InterruptLine::host;
    DeviceWait* wait = nullptr;  // null: the time of the gathering of `round` is over
    std::uint64_t round = 0;
  };

  void on_time(std::uint64_t argument) override;
  void gather(InterruptLine line, DeviceWait& wait);
  void deliver(InterruptLine line);

  Timeline& timeline_;
  Picoseconds latency_;
  InterruptHandler& handler_;
  std::array<Line, interrupt_lines> lines_;
  SlotPool<Arrival> arrivals_;  // by timeline argument
};

}  // namespace tessera
