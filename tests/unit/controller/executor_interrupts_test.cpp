// Interrupt lines that gather and have priorities, and cores with roles.
#include "base/error.hpp"
#include "unit/controller/executor_bench.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::executor_bench;

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
  const auto slow = [](Executor& on, Gate& at, std::vector<Picoseconds>& noted) -> Task<void> {
    on.scan(1000);  // until 2 us
    co_await at;
    on.scan(10);
    noted.push_back(on.now());
  };
  const auto quick = [](Executor& on, Gate& at) -> Task<void> {
    on.scan(100);  // until 200 ns
    on.make_ready(at.wait);
    co_return;
  };
  cpu.start(slow(cpu, gate, ends), &life, 0_ps);
  cpu.start(quick(cpu, gate), nullptr, 0_ps);
  machine.timeline.run();
  CHECK(ends == std::vector<Picoseconds>{2_us + 20_ns});
  CHECK(life.total() == 2_us);
  CHECK(life.parts[static_cast<std::size_t>(LifePhase::lock)] == 0_ps);
}
