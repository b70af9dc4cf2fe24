#pragma once
// An executor on a virtual clock, tasks for it to run, and devices that interrupt it.
#include <catch2/catch.hpp>

#include "controller/executor.hpp"

namespace tessera::executor_bench {

using namespace literals;

struct Machine {
  /// One element of a list is one cycle; nothing else costs any, and interrupts come at once.
  Machine() {
    config.costs = CpuCosts(CostSource::none);
    config.costs[CpuOperation::list_element] = 1;
    config.interrupt_latency = 0_ps;
  }
  Timeline timeline;
  CpuConfig config;
};

inline Task<void> charge_then_note(Executor& cpu, std::uint64_t cycles, std::vector<Picoseconds>& ends) {
  cpu.scan(cycles);
  ends.push_back(cpu.now());
  co_return;
}

inline Task<void> sleep_then_note(Executor& cpu, Picoseconds until, std::vector<Picoseconds>& ends) {
  co_await cpu.sleep_until(until);
  ends.push_back(cpu.now());
}

struct Gate {
  DeviceWait wait;
  Executor* cpu = nullptr;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) {
    wait.task = task;
    cpu->suspend(wait, LifePhase::lock);
  }
  void await_resume() const noexcept {}
};

/// Notes when it is told something.
struct Noted final : TimelineListener {
  explicit Noted(Timeline& t) : timeline(t) {}
  void on_time(std::uint64_t) override { times.push_back(timeline.now()); }
  Timeline& timeline;
  std::vector<Picoseconds> times;
};

inline Task<void> wait_at(Gate& gate, Executor& cpu, std::vector<Picoseconds>& ends) {
  co_await gate;
  cpu.scan(10);
  ends.push_back(cpu.now());
}

/// A device whose completions come when the test says.
struct Device final : TimelineListener {
  Device(Executor& c, InterruptLine l) : cpu(c), line(l) {}
  void on_time(std::uint64_t gate) override { cpu.interrupt(reinterpret_cast<Gate*>(gate)->wait, line, cpu.now()); }
  Executor& cpu;
  InterruptLine line;
};

/// Tasks that wait at gates of their own from time 0 on and note, when they go on, how long they have been at it.
struct Waiting {
  Waiting(Machine& machine, Executor& cpu, std::size_t count) : gates(count), lives(count), ends(count) {
    for (std::size_t i = 0; i < count; ++i) {
      gates[i].cpu = &cpu;
      lives[i].begin(0_ps);
      cpu.start(note(gates[i], cpu, ends[i]), &lives[i], 0_ps);
    }
    machine.timeline.run();
  }
  static Task<void> note(Gate& gate, Executor& cpu, Picoseconds& end) {
    co_await gate;
    cpu.scan(100);
    end = cpu.now();
  }
  std::vector<Gate> gates;
  std::vector<RequestLife> lives;
  std::vector<Picoseconds> ends;
};

inline std::uint64_t argument(Gate& gate) { return reinterpret_cast<std::uint64_t>(&gate); }

inline double value(const Executor& cpu, const char* name) {
  MetricSet metrics;
  cpu.report(metrics, 1_ms);
  REQUIRE(metrics.find(name) != nullptr);
  return metrics.find(name)->value.value();
}

}  // namespace tessera::executor_bench
