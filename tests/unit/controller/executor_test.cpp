#include "controller/executor.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

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

Task<void> charge_then_note(Executor& cpu, std::uint64_t cycles, std::vector<Picoseconds>& ends) {
  cpu.scan(cycles);
  ends.push_back(cpu.now());
  co_return;
}

Task<void> sleep_then_note(Executor& cpu, Picoseconds until, std::vector<Picoseconds>& ends) {
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

Task<void> wait_at(Gate& gate, Executor& cpu, std::vector<Picoseconds>& ends) {
  co_await gate;
  cpu.scan(10);
  ends.push_back(cpu.now());
}

}  // namespace

TEST_CASE("tasks share one CPU: each begins when the one before has used its cycles") {
  Machine machine;
  Executor cpu(machine.timeline, machine.config);  // 500 MHz: 2 ns a cycle
  std::vector<Picoseconds> ends;
  for (int i = 0; i < 3; ++i) cpu.start(charge_then_note(cpu, 100, ends), nullptr, 1_us);
  machine.timeline.run();
  CHECK(ends == std::vector<Picoseconds>{1_us + 200_ns, 1_us + 400_ns, 1_us + 600_ns});
  CHECK(cpu.idle());
}

TEST_CASE("a task that is ready while the CPU is busy counts the difference as waiting for the CPU") {
  Machine machine;
  Executor cpu(machine.timeline, machine.config);
  std::vector<Picoseconds> ends;
  RequestLife first, second;
  first.begin(1_us);
  second.begin(1_us);
  cpu.start(charge_then_note(cpu, 100, ends), &first, 1_us);
  cpu.start(charge_then_note(cpu, 100, ends), &second, 1_us);
  machine.timeline.run();
  CHECK(first.parts[static_cast<std::size_t>(LifePhase::cpu_wait)] == 0_ps);
  CHECK(second.parts[static_cast<std::size_t>(LifePhase::cpu_wait)] == 200_ns);
}

TEST_CASE("what a request's task uses of the CPU is shown as the host's, its completion included, and background work as such") {
  struct TagWatch final : SignalSink {
    void change(std::uint32_t, std::uint64_t value, Picoseconds) override { tags.push_back(value); }
    void withdraw(std::uint32_t, Picoseconds) override {}
    std::vector<std::uint64_t> tags;
  };
  Machine machine;
  Executor cpu(machine.timeline, machine.config);
  TagWatch watch;
  cpu.signals().each("cpu", [&watch](const std::string&, SignalScope& scope, std::uint32_t index, const SignalInfo& info) {
    if (info.name == "tag") scope.watch(index, watch, 0);
  });
  RequestLife life;
  life.begin(1_us);
  Gate gate;
  gate.cpu = &cpu;
  Noted completion(machine.timeline);
  const auto acknowledge_then_wait = [&completion](Executor& on, Gate& at) -> Task<void> {
    on.scan(10);
    on.complete_request({completion});
    co_await at;
    on.scan(10);
  };
  cpu.start(acknowledge_then_wait(cpu, gate), &life, 1_us).tag = 7;
  machine.timeline.run();
  CHECK(watch.tags == std::vector<std::uint64_t>{7});
  cpu.make_ready(gate.wait);
  machine.timeline.run();
  CHECK(watch.tags == std::vector<std::uint64_t>{7, no_tag});
}

TEST_CASE("an interrupt resumes its task after the interrupt latency") {
  Machine machine;
  machine.config.interrupt_latency = 700_ns;
  machine.config.costs[CpuOperation::interrupt] = 50;
  Executor cpu(machine.timeline, machine.config);
  std::vector<Picoseconds> ends;
  Gate gate;
  gate.cpu = &cpu;
  RequestLife life;
  life.begin(0_ps);
  cpu.start(wait_at(gate, cpu, ends), &life, 0_ps);
  machine.timeline.run();
  REQUIRE(ends.empty());
  struct Device final : TimelineListener {
    Executor& cpu;
    Gate& gate;
    Device(Executor& c, Gate& g) : cpu(c), gate(g) {}
    void on_time(std::uint64_t) override { cpu.interrupt(gate.wait, InterruptLine::disk, 5_us); }
  } device(cpu, gate);
  machine.timeline.post(5_us, device);
  machine.timeline.run();
  CHECK(ends == std::vector<Picoseconds>{5_us + 700_ns + 100_ns + 20_ns});
}

TEST_CASE("a sleeper wakes at its time, and a time that has passed wakes it at once") {
  Machine machine;
  Executor cpu(machine.timeline, machine.config);
  std::vector<Picoseconds> ends;
  cpu.start(sleep_then_note(cpu, 3_ms, ends), nullptr, 1_ms);
  cpu.start(sleep_then_note(cpu, 1_us, ends), nullptr, 2_ms);
  machine.timeline.run();
  CHECK(ends == std::vector<Picoseconds>{2_ms, 3_ms});
}

TEST_CASE("a power cut ends every task and nothing of theirs runs afterwards") {
  Machine machine;
  Executor cpu(machine.timeline, machine.config);
  std::vector<Picoseconds> ends;
  cpu.start(sleep_then_note(cpu, 3_ms, ends), nullptr, 0_ps);
  cpu.start(charge_then_note(cpu, 1, ends), nullptr, 2_ms);
  machine.timeline.run_until(1_ms);
  cpu.power_off();
  machine.timeline.run();
  CHECK(ends.empty());
  CHECK(cpu.idle());
}

namespace {

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

std::uint64_t argument(Gate& gate) { return reinterpret_cast<std::uint64_t>(&gate); }

double value(const Executor& cpu, const char* name) {
  MetricSet metrics;
  cpu.report(metrics, 1_ms);
  REQUIRE(metrics.find(name) != nullptr);
  return metrics.find(name)->value.value();
}

}  // namespace

TEST_CASE("a lock that is handed over is no interrupt: its task pays for a task switch, at once") {
  Machine machine;
  machine.config.costs[CpuOperation::interrupt] = 80;
  machine.config.costs[CpuOperation::reap] = 40;
  machine.config.costs[CpuOperation::task_switch] = 10;
  machine.config.interrupt_latency = 500_ns;
  Executor cpu(machine.timeline, machine.config);
  Waiting waiting(machine, cpu, 1);
  struct Owner final : TimelineListener {
    Owner(Executor& c, Gate& g) : cpu(c), gate(g) {}
    void on_time(std::uint64_t) override { cpu.make_ready(gate.wait); }
    Executor& cpu;
    Gate& gate;
  } owner(cpu, waiting.gates[0]);
  machine.timeline.post(5_us, owner);
  machine.timeline.run();
  CHECK(waiting.ends[0] == 5_us + 20_ns + 200_ns);
  CHECK(cpu.performed(CpuOperation::interrupt) == 0);
  CHECK(cpu.performed(CpuOperation::task_switch) == 2);  // its start was one as well
}

TEST_CASE("an interrupt that gathers completions is entered once, when the last of them has come") {
  Machine machine;
  machine.config.costs[CpuOperation::interrupt] = 80;
  machine.config.costs[CpuOperation::reap] = 40;
  machine.config.disk_interrupt = {0, 3, 20_us};
  Executor cpu(machine.timeline, machine.config);
  Waiting waiting(machine, cpu, 3);
  Device disk(cpu, InterruptLine::disk);
  for (std::size_t i = 0; i < 3; ++i) machine.timeline.post(5_us + 1_us * i, disk, argument(waiting.gates[i]));
  machine.timeline.run();
  // 7 us: entry 160 ns, then 80 + 200 ns for each task.
  CHECK(waiting.ends == std::vector<Picoseconds>{7_us + 440_ns, 7_us + 720_ns, 7_us + 1000_ns});
  CHECK(cpu.performed(CpuOperation::interrupt) == 1);
  CHECK(cpu.performed(CpuOperation::reap) == 3);
  CHECK(value(cpu, "cpu.interrupts.disk") == 1);
  CHECK(value(cpu, "cpu.interrupts.disk_completions") == 3);
}

TEST_CASE("an interrupt waits for more completions no longer than its line says") {
  Machine machine;
  machine.config.disk_interrupt = {0, 3, 20_us};
  Executor cpu(machine.timeline, machine.config);
  Waiting waiting(machine, cpu, 3);
  Device disk(cpu, InterruptLine::disk);
  machine.timeline.post(5_us, disk, argument(waiting.gates[0]));
  machine.timeline.post(24_us, disk, argument(waiting.gates[1]));
  machine.timeline.post(26_us, disk, argument(waiting.gates[2]));  // the first of a new gathering
  machine.timeline.run();
  CHECK(waiting.ends == std::vector<Picoseconds>{25_us + 200_ns, 25_us + 400_ns, 46_us + 200_ns});
  CHECK(value(cpu, "cpu.interrupts.disk") == 2);
}

TEST_CASE("the time of a gathering that is full ends no other") {
  Machine machine;
  machine.config.disk_interrupt = {0, 2, 20_us};
  Executor cpu(machine.timeline, machine.config);
  Waiting waiting(machine, cpu, 3);
  Device disk(cpu, InterruptLine::disk);
  machine.timeline.post(5_us, disk, argument(waiting.gates[0]));
  machine.timeline.post(6_us, disk, argument(waiting.gates[1]));  // full
  machine.timeline.post(24_us, disk,
                        argument(waiting.gates[2]));  // the first of the next, one microsecond before the time of the one before
  machine.timeline.run();
  CHECK(waiting.ends == std::vector<Picoseconds>{6_us + 200_ns, 6_us + 400_ns, 44_us + 200_ns});
}

TEST_CASE("of two interrupts that wait for a busy core the one of the more urgent line is taken first") {
  const auto order = [](std::uint32_t disk_priority, std::uint32_t flash_priority, std::uint32_t cores) {
    Machine machine;
    machine.config.cores = cores;
    machine.config.disk_interrupt.priority = disk_priority;
    machine.config.flash_interrupt.priority = flash_priority;
    Executor cpu(machine.timeline, machine.config);
    Waiting waiting(machine, cpu, 3);
    Device disk(cpu, InterruptLine::disk), flash(cpu, InterruptLine::flash);
    machine.timeline.post(5_us, disk, argument(waiting.gates[0]));
    machine.timeline.post(5_us + 50_ns, disk, argument(waiting.gates[1]));  // both come while the first task runs
    machine.timeline.post(5_us + 60_ns, flash, argument(waiting.gates[2]));
    machine.timeline.run();
    return std::vector<Picoseconds>{waiting.ends[1], waiting.ends[2]};
  };
  CHECK(order(0, 0, 1) == std::vector<Picoseconds>{5_us + 400_ns, 5_us + 600_ns});
  CHECK(order(1, 0, 1) == std::vector<Picoseconds>{5_us + 600_ns, 5_us + 400_ns});
  CHECK(order(0, 1, 1) == std::vector<Picoseconds>{5_us + 400_ns, 5_us + 600_ns});
  // The task that another core hands over keeps the priority of its interrupt.
  CHECK(order(0, 0, 2) == std::vector<Picoseconds>{5_us + 400_ns, 5_us + 600_ns});
  CHECK(order(1, 0, 2) == std::vector<Picoseconds>{5_us + 600_ns, 5_us + 400_ns});
}

TEST_CASE("a line that gathers needs a time, and a time needs a line that gathers") {
  Machine machine;
  machine.config.flash_interrupt = {0, 4, 0_ps};
  CHECK_THROWS_WITH(Executor(machine.timeline, machine.config), Catch::Contains("controller.flash_interrupt.coalesce and"));
  machine.config.flash_interrupt = {0, 1, 1_us};
  CHECK_THROWS_AS(Executor(machine.timeline, machine.config), InputError);
  machine.config.flash_interrupt = {0, 2, 1_ps};
  CHECK_NOTHROW(Executor(machine.timeline, machine.config));
}

TEST_CASE("with cores of their own the interrupt of one command is taken while the task of another runs") {
  const auto ends = [](std::uint32_t cores) {
    Machine machine;
    machine.config.cores = cores;
    machine.config.costs[CpuOperation::interrupt] = 50;
    Executor cpu(machine.timeline, machine.config);
    Waiting waiting(machine, cpu, 2);
    Device disk(cpu, InterruptLine::disk);
    machine.timeline.post(5_us, disk, argument(waiting.gates[0]));
    machine.timeline.post(5_us, disk, argument(waiting.gates[1]));
    machine.timeline.run();
    for (const RequestLife& life : waiting.lives) CHECK(life.total() == life.mark);
    return waiting.ends;
  };
  CHECK(ends(1) == std::vector<Picoseconds>{5_us + 300_ns, 5_us + 600_ns});
  // Taken at 5.1 and 5.2 us by the core of the devices; the other runs the tasks from 5.1 and 5.3 us on.
  CHECK(ends(2) == std::vector<Picoseconds>{5_us + 300_ns, 5_us + 500_ns});
  CHECK(ends(3) == ends(2));
  // Two cores run them side by side.
  CHECK(ends(4) == std::vector<Picoseconds>{5_us + 300_ns, 5_us + 400_ns});
}

TEST_CASE("descriptors are written by the core of the devices and completions by that of the host, and a request's parts tell it all") {
  const auto life_of = [](std::uint32_t cores, std::vector<Picoseconds>& times) {
    Machine machine;
    machine.config.cores = cores;
    machine.config.costs[CpuOperation::submit] = 30;
    machine.config.costs[CpuOperation::completion] = 40;
    Executor cpu(machine.timeline, machine.config);
    Noted written(machine.timeline), completed(machine.timeline);
    struct Submit {
      Executor& cpu;
      Gate& gate;
      Noted& written;
      bool await_ready() const noexcept { return false; }
      void await_suspend(std::coroutine_handle<> task) {
        gate.wait.task = task;
        cpu.suspend_for(gate.wait, LifePhase::media_queue, 2, {written, 0, 5_ns});
      }
      void await_resume() const noexcept {}
    };
    Gate gate;
    Submit submit{cpu, gate, written};
    const auto serve = [&](Executor& on) -> Task<void> {
      on.scan(10);
      co_await submit;
      on.scan(10);
      on.complete_request({completed});
      times.push_back(on.now());
    };
    RequestLife life;
    life.begin(0_ps);
    cpu.start(serve(cpu), &life, 0_ps);
    machine.timeline.run();
    struct Media final : TimelineListener {
      Media(Executor& c, Gate& g) : cpu(c), gate(g) {}
      void on_time(std::uint64_t) override {
        Executor::account(gate.wait, LifePhase::media_queue, 1_us);
        cpu.interrupt(gate.wait, InterruptLine::disk, cpu.now());
      }
      Executor& cpu;
      Gate& gate;
    } media(cpu, gate);
    machine.timeline.post(1_us, media);
    machine.timeline.run();
    times.insert(times.end(), {written.times.at(0), completed.times.at(0)});
    return life;
  };
  std::vector<Picoseconds> one, three;
  const RequestLife alone = life_of(1, one);
  CHECK(one == std::vector<Picoseconds>{1_us + 100_ns, 20_ns + 120_ns + 5_ns, 1_us + 20_ns + 80_ns});
  const RequestLife shared = life_of(3, three);
  CHECK(three == std::vector<Picoseconds>{1_us + 20_ns, 20_ns + 120_ns + 5_ns, 1_us + 20_ns + 80_ns});  // the task itself ends earlier
  for (const RequestLife* life : {&alone, &shared}) {
    CHECK(life->total() == 1_us + 100_ns);
    CHECK(life->parts[static_cast<std::size_t>(LifePhase::cpu)] == 240_ns);
  }
}

TEST_CASE("a task that another core wakes before it began to wait goes on when it does") {
  Machine machine;
  machine.config.cores = 4;  // two of them for tasks
  Executor cpu(machine.timeline, machine.config);
  Gate gate;
  gate.cpu = &cpu;
  RequestLife life;
  life.begin(0_ps);
  std::vector<Picoseconds> ends;
  const auto slow = [](Executor& cpu, Gate& gate, std::vector<Picoseconds>& ends) -> Task<void> {
    cpu.scan(1000);  // until 2 us
    co_await gate;
    cpu.scan(10);
    ends.push_back(cpu.now());
  };
  const auto quick = [](Executor& cpu, Gate& gate) -> Task<void> {
    cpu.scan(100);  // until 200 ns
    cpu.make_ready(gate.wait);
    co_return;
  };
  cpu.start(slow(cpu, gate, ends), &life, 0_ps);
  cpu.start(quick(cpu, gate), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(ends == std::vector<Picoseconds>{2_us + 20_ns});
  CHECK(life.total() == 2_us);
  CHECK(life.parts[static_cast<std::size_t>(LifePhase::lock)] == 0_ps);
}

TEST_CASE("the time of the cores is that of their operations") {
  Machine machine;
  machine.config.costs = CpuCosts();
  Executor cpu(machine.timeline, machine.config);
  Waiting waiting(machine, cpu, 4);
  Device flash(cpu, InterruptLine::flash);
  for (Gate& gate : waiting.gates) machine.timeline.post(5_us, flash, argument(gate));
  machine.timeline.run();
  MetricSet metrics;
  cpu.report(metrics, 10_us);
  double sum = 0;
  for (const Metric& metric : metrics.all())
    if (metric.name.starts_with("cpu.by_operation.") && metric.name.ends_with(".time")) sum += metric.value.value();
  CHECK(sum == Approx(static_cast<double>(cpu.ran().value()) * 1e-9));
  CHECK(metrics.find("cpu.utilisation")->value.value() == Approx(sum / 0.01));
  CHECK(cpu.performed(CpuOperation::list_element) == 400);
}
