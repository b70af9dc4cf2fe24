// The executor on the target: the order of tasks, and the alarm.
#include <catch2/catch.hpp>

#include <string>

#include "fake_machine.hpp"
#include "firmware/hal/cpu.hpp"
#include "firmware/locks/range_locks.hpp"
#include "firmware/locks/wait_queue.hpp"

using namespace tessera;
using namespace tessera::hal;
using test::FakeMachine;

namespace {

struct Bench {
  FakeMachine machine;
  Cpu cpu{machine};
  std::string log;

  ~Bench() { cpu.end(); }
  void wake_at(std::uint64_t time) {
    machine.values[Register::timer_now] = time;
    cpu.wake();
    cpu.run();
  }
};

Task<void> say(std::string& log, char what) {
  log += what;
  co_return;
}

Task<void> spawn_two(Bench& bench) {
  bench.log += '(';
  bench.cpu.spawn(say(bench.log, 'x'), "x");
  bench.cpu.spawn(say(bench.log, 'y'), "y");
  bench.log += ')';
  co_return;
}

Task<void> sleep_until(Bench& bench, std::uint64_t when, char what) {
  co_await bench.cpu.sleep_until(Picoseconds(when));
  bench.log += what;
}

Task<void> wait_in(Bench& bench, WaitQueue& queue, char what) {
  co_await queue.change(LifePhase::lock);
  bench.log += what;
}

}  // namespace

TEST_CASE("tasks run one after another in the order in which they became ready, those that are spawned behind what is ready") {
  Bench bench;
  bench.cpu.start(say(bench.log, 'a'), 0);
  bench.cpu.start(spawn_two(bench), 1);
  bench.cpu.start(say(bench.log, 'b'), 2);
  bench.cpu.run();
  CHECK(bench.log == "a()bxy");
  bench.cpu.start(say(bench.log, 'c'), 0);  // in the place of one that has ended
  bench.cpu.run();
  CHECK(bench.log == "a()bxyc");
  for (const char what : {'d', 'e', 'f', 'g'}) bench.cpu.start(say(bench.log, what), 0);  // in the places of all four, in another order
  bench.cpu.run();
  CHECK(bench.log == "a()bxycdefg");
}

TEST_CASE("tasks that wait for a lock go on in the order of their arrival") {
  Bench bench;
  WaitQueue queue(bench.cpu);
  for (const char what : {'a', 'b', 'c'}) bench.cpu.start(wait_in(bench, queue, what), no_host_tag);
  bench.cpu.run();
  CHECK(bench.log.empty());
  queue.wake_all();
  bench.cpu.run();
  CHECK(bench.log == "abc");
}

TEST_CASE("the one alarm stands at the earliest sleeper, and those of one time wake in the order in which they went to sleep") {
  Bench bench;
  for (const auto& [when, what] : {std::pair{30, 'c'}, {10, 'a'}, {20, 'n'}, {10, 'b'}})
    bench.cpu.start(sleep_until(bench, static_cast<std::uint64_t>(when), what), no_host_tag);
  bench.cpu.run();
  CHECK(bench.machine.written(Register::timer_alarm) == std::vector<std::uint64_t>{30, 10});
  bench.wake_at(9);  // before its time: nobody wakes, and the alarm is set once more
  CHECK(bench.log.empty());
  CHECK(bench.machine.written(Register::timer_alarm) == std::vector<std::uint64_t>{30, 10, 10});
  bench.wake_at(10);
  CHECK(bench.log == "ab");
  CHECK(bench.machine.written(Register::timer_alarm).back() == 20);
  bench.wake_at(35);
  CHECK(bench.log == "abnc");
  CHECK(bench.machine.written(Register::timer_alarm) == std::vector<std::uint64_t>{30, 10, 10, 20});
}

TEST_CASE("the processor waits out what stands for electronics, and charges cost nothing") {
  struct Clock final : RegisterFile {
    std::uint64_t time = 0;
    std::uint64_t read(Register) override { return time += 7; }
    void write(Register, std::uint64_t) override { FAIL("nothing is to be written"); }
  } clock;
  Cpu cpu(clock);
  cpu.charge(CpuOperation::command, 1000);
  CHECK(clock.time == 0);
  cpu.spend(Picoseconds(20));
  CHECK(clock.time == 28);  // read at 7; 14 and 21 are before 27, 28 is not
}

TEST_CASE("events and gauges are reported by the probe's registers") {
  Bench bench;
  using Write = FakeMachine::Write;
  const GaugeInfo info{"flash.free", "1", "free blocks"};
  bench.cpu.event({"rmw", FirmwareEvent::Edge::end, 17, 3});
  bench.machine.values[Register::probe_number] = 5;
  const std::uint32_t number = bench.cpu.declare_gauge(info);
  CHECK(number == 5);
  bench.cpu.gauge(number, 99);
  const std::vector<Write>& writes = bench.machine.writes;
  REQUIRE(writes.size() == 10);
  CHECK(std::string(by_number<const char>(writes[0].second)) == "rmw");
  CHECK(writes[1] == Write{Register::probe_subject, 17});
  CHECK(writes[2] == Write{Register::probe_amount, 3});
  CHECK(writes[3] == Write{Register::probe_event, 1});
  CHECK(writes[4] == Write{Register::probe_name, number_of(info.name)});
  CHECK(writes[5] == Write{Register::probe_unit, number_of(info.unit)});
  CHECK(writes[6] == Write{Register::probe_what, number_of(info.what)});
  CHECK(writes[7].first == Register::probe_declare);
  CHECK(writes[8] == Write{Register::probe_number, 5});
  CHECK(writes[9] == Write{Register::probe_value, 99});
}

TEST_CASE("what the end of a task would wake at the end of all of them does not run any more") {
  Bench bench;
  FifoMutex mutex(bench.cpu);
  const auto hold = [](Bench& in, FifoMutex& lock, char what) -> Task<void> {
    auto turn = lock.exclusive({});
    co_await turn;
    in.log += what;
    co_await in.cpu.sleep_until(Picoseconds(10));
  };
  for (const char what : {'x', 'y'}) bench.cpu.start(say(bench.log, what), 0);
  bench.cpu.run();
  // In the places of these two, the later one first: whoever holds the lock ends before who waits for it.
  bench.cpu.start(hold(bench, mutex, 'a'), 0);
  bench.cpu.start(hold(bench, mutex, 'b'), 1);
  bench.cpu.run();
  bench.cpu.end();
  bench.cpu.run();
  CHECK(bench.log == "xya");
}
