// The gate in front of background work: when it opens, to the picosecond, and who is woken then.
#include <catch2/catch.hpp>

#include "firmware/locks/idle_gate.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr Picoseconds tick{1};

struct Gate {
  FakeCpu cpu;
  FakeHost host;
  IdleGate gate{{.idle_after = 10_ms, .max_defer = 5_s}, cpu, host};
  std::vector<Picoseconds> turns;  ///< when the work had its turn

  ~Gate() { cpu.power_off(); }
  /// Work that waits for the gate once.
  Task<void> work() {
    while (!gate.open()) co_await gate.wait();
    turns.push_back(cpu.now());
  }
  void start() {
    gate.start();
    gate.due();
  }
};

}  // namespace

TEST_CASE("idle gate: it is open until the background work of the layer starts") {
  Gate at;
  at.host.commands = 1;
  CHECK(at.gate.open());
  at.start();
  CHECK_FALSE(at.gate.open());
}

TEST_CASE("idle gate: it opens when host and layer have both been quiet for idle_after, and not before") {
  Gate at;
  at.start();
  at.cpu.run_until(100_ms);
  at.host.last = 100_ms;
  at.cpu.run_until(110_ms - tick);
  CHECK_FALSE(at.gate.open());
  at.cpu.run_until(110_ms);
  CHECK(at.gate.open());

  at.host.commands = 1;  // however long ago it came
  CHECK_FALSE(at.gate.open());
  at.host.commands = 0;
  at.gate.operation_begins();
  CHECK_FALSE(at.gate.open());
  at.cpu.run_until(150_ms);
  at.gate.operation_ends();
  at.cpu.run_until(160_ms - tick);
  CHECK_FALSE(at.gate.open());
  at.cpu.run_until(160_ms);
  CHECK(at.gate.open());
}

TEST_CASE("idle gate: one operation of several that ends leaves it closed") {
  Gate at;
  at.start();
  at.gate.operation_begins();
  at.gate.operation_begins();
  at.gate.operation_ends();
  at.cpu.run_until(1_s);
  CHECK_FALSE(at.gate.open());
}

TEST_CASE("idle gate: work that has waited for max_defer goes on beside the host, in front of its other commands") {
  Gate at;
  at.start();
  at.host.commands = 1;
  at.cpu.run_until(1_s);
  at.gate.due();
  CHECK(at.gate.priority(false) == MediaClass::background);
  CHECK(at.gate.priority(true) == MediaClass::dependent);
  at.cpu.run_until(6_s - tick);
  CHECK_FALSE(at.gate.open());
  CHECK(at.gate.priority(false) == MediaClass::background);
  at.cpu.run_until(6_s);
  CHECK(at.gate.open());
  CHECK(at.gate.priority(false) == MediaClass::dependent);
}

TEST_CASE("idle gate: waiting work is woken a moment after the pause, or at the instant at which it is overdue") {
  SECTION("the host pauses") {
    Gate at;
    at.host.last = 3_ms;
    at.start();
    at.cpu.spawn(at.work());
    at.cpu.run_until(1_s);
    REQUIRE(at.turns.size() == 1);
    CHECK(at.turns.front() == 13_ms + tick);
  }
  SECTION("the host never pauses") {
    Gate at;
    at.start();
    at.host.commands = 1;
    at.cpu.spawn(at.work());
    at.cpu.run_until(20_s);
    REQUIRE(at.turns.size() == 1);
    CHECK(at.turns.front() == 5_s);
  }
  SECTION("two at once") {
    Gate at;
    at.start();
    at.cpu.spawn(at.work());
    at.cpu.spawn(at.work());
    at.cpu.run_until(1_s);
    CHECK(at.turns.size() == 2);
  }
}

TEST_CASE("idle gate: who wants what the work holds makes it look again at once") {
  Gate at;
  at.start();
  at.host.commands = 1;
  std::uint32_t looks = 0;
  const auto look = [](Gate& of, std::uint32_t& count) -> Task<void> {
    co_await of.gate.wait();
    ++count;
  };
  at.cpu.spawn(look(at, looks));
  at.cpu.run_until(1_s);
  CHECK(looks == 0);
  at.gate.wake();
  at.cpu.run();
  CHECK(looks == 1);
}
