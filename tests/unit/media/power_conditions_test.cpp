// Spin-up, idle and parked states of the head-disk assembly.
#include <catch2/catch.hpp>

#include "media/media_device.hpp"
#include "small_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using test::perform;
using test::read_step;
using test::write_step;

namespace {

constexpr Picoseconds second = 1_s;

/// Heads on the ramp after 2 s, spindle stopped after 10 s.
MediaConfig saving(std::uint32_t actuators = 1) {
  MediaConfig config = test::small_drive();
  config.actuators = actuators;
  config.power_conditions.of(PowerCondition::idle_b) = {2 * second, Microwatts(4'000'000), 500_ms};
  config.power_conditions.of(PowerCondition::standby) = {10 * second, Microwatts(1'000'000), 8 * second};
  return config;
}

double value(const MediaDevice& device, std::string_view name, Picoseconds now) {
  MetricSet metrics;
  device.report(metrics, now);
  return metrics.find(name)->value.value();
}

std::string problems_of(const MediaConfig& config) {
  std::string all;
  for (const std::string& problem : config.validate()) all += problem + "\n";
  return all;
}

}  // namespace

TEST_CASE("a step after a rest waits for heads or spindle, from the instant on at which a condition begins") {
  struct Wait {
    Picoseconds idle;
    Picoseconds recovery;
    bool from_ramp;
  };
  const PhysicalTrack far{0, 40};
  for (const Wait& wait : {Wait{2 * second - 1_ps, {}, false}, Wait{2 * second, 500_ms, true}, Wait{10 * second - 1_ps, 500_ms, true},
                           Wait{10 * second, 8 * second, true}, Wait{1'000 * second, 8 * second, true}}) {
    INFO(wait.idle.value() << " ps idle");
    for (std::uint32_t first = 0; first < 96; first += 3) {  // a seek of another length misses some of them
      MediaDevice device(saving(), {}, ContentMode::none, 1);
      Picoseconds now;
      REQUIRE(ok(perform(device, read_step({far, 0, 1}), now)));
      const MediaStep step = read_step({{0, 41}, first, 4});
      const Picoseconds begin = now + wait.idle;
      const Picoseconds foreseen = device.positioning().positioning_time(step.run, false, begin);
      const MediaTiming timing = device.start(step, begin);
      CHECK(timing.seek == wait.recovery + (wait.from_ramp ? 1'410_us : 1'010_us));
      CHECK(begin + foreseen + 400_us == timing.end);
      CHECK(ok(device.finish()));
    }
  }
}

TEST_CASE("times, energies and counts of power conditions are those of what passed, and the assembly's time is whole") {
  MediaDevice device(saving(), {}, ContentMode::none, 1);
  Picoseconds now;
  REQUIRE(ok(perform(device, read_step({{0, 0}, 0, 100}), now)));  // 10 ms
  now += 5 * second;                                               // 3 s of them on the ramp
  REQUIRE(ok(perform(device, read_step({{0, 0}, 0, 100}), now)));  // 0.5 s, and 10 ms
  REQUIRE(now == 5'520_ms);
  now += 30 * second;  // 2 s idle, 8 s on the ramp, 20 s stopped
  CHECK(value(device, "media.time.idle", now) == Approx(4'000));
  CHECK(value(device, "media.time.idle_b", now) == Approx(11'000));
  CHECK(value(device, "media.time.standby", now) == Approx(20'000));
  CHECK(value(device, "media.time.recovery", now) == Approx(500));
  CHECK(value(device, "media.load_cycles", now) == 1);
  CHECK(value(device, "media.spin_ups", now) == 0);
  REQUIRE(ok(perform(device, read_step({{0, 0}, 0, 100}), now)));
  CHECK(value(device, "media.load_cycles", now) == 2);
  CHECK(value(device, "media.spin_ups", now) == 1);
  CHECK(value(device, "media.time.recovery", now) == Approx(8'500));
  CHECK(value(device, "media.energy.idle_b", now) == Approx(44));
  CHECK(value(device, "media.energy.standby", now) == Approx(20));
  CHECK(value(device, "media.energy.recovery", now) == Approx(0.5 * 8.5 + 8 * 20));
  CHECK(value(device, "media.energy.total", now) == Approx(44 + 20 + 0.5 * 8.5 + 8 * 20 + 4 * 5 + 0.03 * 7));
  double all = 0;
  for (const char* const part : {"seek", "rotation", "read", "write", "idle", "idle_b", "standby", "recovery"})
    all += value(device, std::string("media.time.") + part, now);
  CHECK(all == Approx(static_cast<double>(now.value()) * 1e-9));
}

TEST_CASE("what is left out of all instants counts as idle time, and as the rest of a spin-up") {
  MediaConfig config = saving();
  config.power_conditions.spin_up_at_power_on = true;
  MediaDevice resting(config, {}, ContentMode::none, 1);
  MediaDevice awake(config, {}, ContentMode::none, 1);
  resting.rest(3 * second, 1 * second);  // of 8 s
  CHECK(value(resting, "media.time.recovery", 2 * second) == value(awake, "media.time.recovery", 5 * second));
  resting.rest(60 * second, 2 * second);
  CHECK(value(resting, "media.time.recovery", 3 * second) == value(awake, "media.time.recovery", 66 * second));
  CHECK(value(resting, "media.time.standby", 3 * second) == value(awake, "media.time.standby", 66 * second));
  CHECK(value(resting, "media.time.idle_b", 3 * second) == value(awake, "media.time.idle_b", 66 * second));
  CHECK(value(resting, "media.time.standby", 3 * second) == Approx(48'000));
  const MediaStep step = read_step({{0, 40}, 10, 4});
  CHECK(resting.start(step, 3 * second).seek == awake.start(step, 66 * second).seek);
}

TEST_CASE("a host stops the spindle at once, and the next step waits for it") {
  MediaDevice device(saving(), {}, ContentMode::none, 1);
  Picoseconds now;
  REQUIRE(ok(perform(device, read_step({{0, 40}, 0, 1}), now)));
  const Picoseconds stopped = now + 3 * second;  // 1 s of them on the ramp
  CHECK_FALSE(device.spindle_stopped(stopped));
  device.stop_spindle(stopped);
  CHECK(device.spindle_stopped(stopped));
  device.stop_spindle(stopped + 1 * second);  // is already
  now = stopped + 20 * second;
  CHECK(value(device, "media.time.idle_b", now) == Approx(1'000));
  CHECK(value(device, "media.time.standby", now) == Approx(20'000));
  const MediaStep step = read_step({{0, 41}, 0, 4});
  const Picoseconds foreseen = device.positioning().positioning_time(step.run, false, now);
  const MediaTiming timing = device.start(step, now);
  CHECK(timing.seek == 8 * second + 1'410_us);
  CHECK(now + foreseen + 400_us == timing.end);
  CHECK(ok(device.finish()));
  CHECK_FALSE(device.spindle_stopped(timing.end));
  CHECK(value(device, "media.spin_ups", timing.end) == 1);
  CHECK(value(device, "media.time.standby", timing.end) == Approx(20'000));
}

TEST_CASE("a spindle that a host stops during a step stops at its end, and one that it starts is ready after its recovery") {
  MediaDevice device(saving(), {}, ContentMode::none, 1);
  const MediaStep step = read_step({{0, 40}, 0, 1});
  const Picoseconds end = device.start(step, 1 * second).end;
  device.stop_spindle(1 * second);
  CHECK(device.spindle_stopped(1 * second));
  CHECK(ok(device.finish()));
  CHECK(device.spindle_stopped(end));
  device.start_spindle(5 * second);
  CHECK_FALSE(device.spindle_stopped(5 * second));
  CHECK(device.start(step, 7 * second).seek == 6 * second + 1'400_us);
  CHECK(ok(device.finish()));
  device.stop_spindle(20 * second);
  device.cut(21 * second);
  device.restore(22 * second);
  CHECK_FALSE(device.spindle_stopped(22 * second));
}

TEST_CASE("a host stops and starts the spindle of a disk without power conditions too, which takes the default recovery") {
  const MediaStep step = read_step({{0, 40}, 0, 1});
  MediaDevice never(test::small_drive(), {}, ContentMode::none, 1);
  MediaDevice device(test::small_drive(), {}, ContentMode::none, 1);
  CHECK_FALSE(device.spindle_stopped(1 * second));
  Picoseconds first = 1 * second;
  REQUIRE(ok(perform(never, step, first)));
  const Picoseconds end = device.start(step, 1 * second).end;
  device.stop_spindle(1 * second);  // while it works
  CHECK(ok(device.finish()));
  CHECK(device.spindle_stopped(end));
  Picoseconds now = 30 * second;
  const Picoseconds foreseen = device.positioning().positioning_time(step.run, false, now);
  const MediaTiming timing = device.start(step, now);
  CHECK(timing.seek >= 15 * second);
  CHECK(timing.seek < 16 * second);
  CHECK(foreseen >= 15 * second);
  CHECK(device.positioning().least_positioning(100) <= foreseen);
  CHECK(ok(device.finish()));
  // Once it turns it is as a disk that was never stopped, and does not stop by itself.
  now = 1'000 * second;
  CHECK_FALSE(device.spindle_stopped(now));
  REQUIRE(ok(perform(never, step, now)));
  Picoseconds later = 1'000 * second;
  REQUIRE(ok(perform(device, step, later)));
  CHECK(later == now);
  device.stop_spindle(2'000 * second);
  device.start_spindle(2'001 * second);
  CHECK_FALSE(device.spindle_stopped(2'001 * second));
  CHECK(device.start(step, 2'010 * second).seek >= 6 * second);
}

TEST_CASE("the spindle starts with the power where the description says so, and a cut in between counts as far as it came") {
  MediaConfig config = saving();
  config.power_conditions.spin_up_at_power_on = true;
  MediaDevice device(config, {}, ContentMode::none, 1);
  const MediaStep step = read_step({{0, 0}, 0, 1});
  CHECK(device.start(step, 6 * second).seek == 2 * second);
  device.cut(7 * second);
  CHECK(value(device, "media.time.recovery", 9 * second) == Approx(7'000));
  device.restore(20 * second);
  Picoseconds now = 29 * second;
  CHECK(device.start(step, now).seek == Picoseconds());  // 8 s for the spindle
  CHECK(ok(device.finish()));
  CHECK(value(device, "media.spin_ups", 30 * second) == 2);
  CHECK(value(device, "media.time.recovery", 30 * second) == Approx(15'000));

  MediaDevice turning(saving(), {}, ContentMode::none, 1);
  turning.cut(1 * second);
  turning.restore(60 * second);
  CHECK(turning.start(step, 60 * second).seek == Picoseconds());
}

TEST_CASE("arms wait for one spindle together, and it stops once none of them is at work") {
  MediaDevice device(saving(2), {}, ContentMode::none, 1);
  const std::array steps{read_step({{0, 40}, 0, 1}), read_step({{1, 40}, 0, 1})};
  const Picoseconds now = 60 * second;
  CHECK(device.start(steps[0], now).seek == 8 * second + 1'400_us);
  CHECK(device.start(steps[1], now + 5 * second).seek == 3 * second + 1'400_us);
  REQUIRE(ok(device.finish(0)));
  const MediaStep later = read_step({{0, 40}, 50, 1});
  CHECK(device.start(later, now + 20 * second).seek == Picoseconds());  // the other one never ended
  REQUIRE(ok(device.finish(0)));
  REQUIRE(ok(device.finish(1)));
  CHECK(value(device, "media.spin_ups", now + 21 * second) == 1);
  CHECK(value(device, "media.time.recovery", now + 21 * second) == Approx(8'000));
}

TEST_CASE("conditions that are never reached, or cost more than those before, are refused") {
  MediaConfig config = saving();
  CHECK(problems_of(config).empty());
  config.power_conditions.of(PowerCondition::idle_c) = {10 * second, Microwatts(3'000'000), 4 * second};
  CHECK_THAT(problems_of(config),
             Catch::Contains("power_conditions: standby_after is not longer than idle_c_after, so idle_c is never reached; "
                             "expected a longer time, or 0 for idle_c_after"));
  config.power_conditions.of(PowerCondition::idle_c) = {5 * second, Microwatts(4'100'000), 400_ms};
  CHECK_THAT(problems_of(config), Catch::Contains("idle_c_power is more than idle_b_power; expected at most as much"));
  CHECK_THAT(problems_of(config), Catch::Contains("idle_c_recovery is shorter than idle_b_recovery; expected at least as long"));
  config.idle_power = Microwatts(3'900'000);
  CHECK_THAT(problems_of(config), Catch::Contains("idle_b_power is more than the disk takes idle; expected at most idle_power"));
}
