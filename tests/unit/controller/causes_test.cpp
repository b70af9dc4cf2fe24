// To whose work the executor charges the time of requests.
#include <functional>

#include "controller/work_shares.hpp"
#include "unit/controller/executor_bench.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::executor_bench;

namespace {

constexpr FirmwareEvent begins{"clean", FirmwareEvent::Edge::begin, 4, 1};
constexpr FirmwareEvent ends{"clean", FirmwareEvent::Edge::end, 4, 1};

Picoseconds held_up(const RequestLife& life, Cause cause) { return life.by_cause()[static_cast<std::size_t>(cause)]; }

RequestLife begun() {
  RequestLife life{};
  life.begin(0_ps);
  return life;
}

/// Sleeps until each instant and then calls what stands beside it.
struct Deed {
  Picoseconds at;
  std::function<void()> what;
};
Task<void> act(Executor& cpu, std::vector<Deed> deeds) {
  for (const Deed& deed : deeds) {
    co_await cpu.sleep_until(deed.at);
    deed.what();
  }
}

struct Bench {
  Machine machine;
  Executor cpu{machine.timeline, machine.config};
  std::vector<Picoseconds> noted;
  Gate gate;
  RequestLife waiting = begun();
  Bench() {
    gate.cpu = &cpu;
    cpu.start(wait_at(gate, cpu, noted), &waiting, 0_ps);
  }
  std::function<void()> open() {
    return [this] { cpu.make_ready(gate.wait); };
  }
  std::function<void()> says(const FirmwareEvent& event) {
    return [this, event] { cpu.event(event); };
  }
};

}  // namespace

TEST_CASE("a request that cleans in its own task was held up by the cleaning from its begin to its end") {
  Bench bench;
  RequestLife life = begun();
  bench.cpu.start(act(bench.cpu, {{1_ms, bench.says(begins)}, {8_ms, bench.says(ends)}, {9_ms, [] {}}}), &life, 0_ps);
  bench.machine.timeline.run();
  CHECK(held_up(life, Cause::cleaning) == 7_ms);
  CHECK(held_up(life, Cause::host) == 2_ms);
}

TEST_CASE("a request that waits for another one is charged for the cleaning that this one did meanwhile, and for the rest as its work") {
  Bench bench;
  RequestLife other = begun();
  bench.cpu.start(act(bench.cpu, {{1_ms, bench.says(begins)}, {8_ms, bench.says(ends)}, {10_ms, bench.open()}}), &other, 0_ps);
  bench.machine.timeline.run();
  CHECK(held_up(bench.waiting, Cause::cleaning) == 7_ms);
  CHECK(held_up(bench.waiting, Cause::requests) == 3_ms);
}

TEST_CASE("a wait that background work ends is charged to the cause that its name tells") {
  Bench bench;
  const auto spawn = [](Executor& cpu, std::vector<Deed> deeds) -> Task<void> {
    cpu.spawn(act(cpu, std::move(deeds)), "destage");
    co_return;
  };
  bench.cpu.start(spawn(bench.cpu, {{5_ms, bench.open()}}), nullptr, 0_ps);
  bench.machine.timeline.run();
  CHECK(held_up(bench.waiting, Cause::destage) == 5_ms);
}

TEST_CASE("what a request waits for in a task that it has started itself is its own work") {
  Machine machine;
  Executor cpu(machine.timeline, machine.config);
  Gate gate;
  gate.cpu = &cpu;
  RequestLife life = begun();
  const auto help = [](Executor& on, Gate& at) -> Task<void> {
    on.spawn(act(on, {{5_ms, [&] { on.make_ready(at.wait); }}}), "stream");
    co_await at;
  };
  cpu.start(help(cpu, gate), &life, 0_ps);
  machine.timeline.run();
  CHECK(life.total() == 5_ms);
  CHECK(held_up(life, Cause::host) == 5_ms);
}

TEST_CASE("work inside other work keeps the cause of that, and may end in another task than it began in") {
  Bench bench;
  const FirmwareEvent inner_begins{"checkpoint", FirmwareEvent::Edge::begin, 9, 0};
  const FirmwareEvent inner_ends{"checkpoint", FirmwareEvent::Edge::end, 9, 0};
  RequestLife life = begun();
  RequestLife other = begun();
  bench.cpu.start(
      act(bench.cpu, {{1_ms, bench.says(begins)}, {2_ms, bench.says(inner_begins)}, {4_ms, bench.says(inner_ends)}, {9_ms, [] {}}}), &life,
      0_ps);
  bench.cpu.start(act(bench.cpu, {{6_ms, bench.says(ends)}}), &other, 0_ps);
  bench.machine.timeline.run();
  CHECK(held_up(life, Cause::checkpoint) == 0_ps);
  CHECK(held_up(life, Cause::cleaning) == 3_ms);  // its sleep from 4 to 9 ms ended when the cleaning had
  CHECK(held_up(life, Cause::host) == 6_ms);
  CHECK(held_up(other, Cause::cleaning) == 0_ps);
}

TEST_CASE("who waits for a task is charged with each piece of work that it did meanwhile") {
  Bench bench;
  const FirmwareEvent move_begins{"move", FirmwareEvent::Edge::begin, 9, 0};
  const FirmwareEvent move_ends{"move", FirmwareEvent::Edge::end, 9, 0};
  const auto spawn = [](Executor& cpu, std::vector<Deed> deeds) -> Task<void> {
    cpu.spawn(act(cpu, std::move(deeds)), "destage");
    co_return;
  };
  bench.cpu.start(spawn(bench.cpu, {{1_ms, bench.says(begins)},
                                    {3_ms, bench.says(ends)},
                                    {5_ms, bench.says(move_begins)},
                                    {8_ms, bench.says(move_ends)},
                                    {10_ms, bench.open()}}),
                  nullptr, 0_ps);
  bench.machine.timeline.run();
  CHECK(held_up(bench.waiting, Cause::cleaning) == 2_ms);
  CHECK(held_up(bench.waiting, Cause::move) == 3_ms);
  CHECK(held_up(bench.waiting, Cause::destage) == 5_ms);
}

TEST_CASE("a task that waits at the disk channel for a cleaning keeps others waiting for that") {
  WorkShares shares;
  TaskWork task;
  task.restart(Cause::destage);
  shares.turn_to(Cause::cleaning, 0_ps);
  const std::uint64_t wait = shares.begin_wait(1_ms);
  shares.turn_to(Cause::destage, 4_ms);
  shares.turn_to(Cause::host, 5_ms);
  shares.end_wait(wait, 1_ms, 6_ms, 0_ps, nullptr, task);
  std::vector<std::pair<Cause, Picoseconds>> pieces;
  task.each_piece(2_ms, 10_ms, [&](Cause cause, Picoseconds begin, Picoseconds end) { pieces.emplace_back(cause, end - begin); });
  CHECK(pieces == std::vector<std::pair<Cause, Picoseconds>>{{Cause::cleaning, 2_ms}});
}
