#include "unit/controller/executor_bench.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::executor_bench;

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
