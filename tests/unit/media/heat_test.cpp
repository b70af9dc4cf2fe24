// Heat-assisted writing: what the laser costs, and what it leaves of the heads.
#include <catch2/catch.hpp>

#include "base/state_stream.hpp"
#include "media/media_device.hpp"
#include "small_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using test::perform;
using test::read_step;
using test::tag_of;
using test::tagged;
using test::write_step;

namespace {

double value(const MediaDevice& device, std::string_view name, Picoseconds now) {
  MetricSet metrics;
  device.report(metrics, now);
  return metrics.find(name)->value.value();
}

}  // namespace

TEST_CASE("a laser that is not warm when the first sector comes costs a turn, and one that is on already nothing") {
  MediaConfig config = test::small_drive();
  config.heat.laser_warm_up = 150_us;
  config.heat.laser_power = Microwatts(200'000);
  MediaDevice device(config, {}, ContentMode::none, 1);
  const auto take = [&](const MediaStep& step, Picoseconds begin) {
    const Picoseconds foreseen = device.positioning().positioning_time(step.run, step.op == MediaOp::write, begin);
    const MediaTiming timing = device.start(step, begin);
    CHECK(ok(device.finish()));
    CHECK(foreseen == timing.seek + timing.rotation);
    return timing;
  };
  const MediaTiming first = take(write_step({{0, 0}, 2, 10}), 0_us);
  CHECK(first.rotation == 200_us);  // sector 2 comes then
  const MediaTiming on = take(write_step({{0, 0}, 12, 10}), first.end);
  CHECK(on.rotation == 0_us);
  const MediaTiming late = take(write_step({{0, 0}, 23, 10}), on.end);  // a sector of 100 us in between
  CHECK(late.rotation == 10'100_us);
  CHECK(take(read_step({{0, 0}, 33, 10}), late.end).rotation == 0_us);
  CHECK(take(write_step({{0, 0}, 43, 10}), late.end + 1_ms).rotation == 10_ms);  // after a read it is off
  CHECK(value(device, "media.time.laser", 100_ms) == Approx(3 * 0.15 + 4.0));
  CHECK(value(device, "media.energy.laser", 100_ms) == Approx(0.2 * 4.45e-3));
}

TEST_CASE("in expected timing the warm-up comes on top") {
  MediaConfig config = test::small_drive();
  config.timing = MediaTimingMode::expected;
  config.heat.laser_warm_up = 150_us;
  MediaDevice device(config, {}, ContentMode::none, 1);
  const MediaStep step = write_step({{0, 0}, 2, 10});
  CHECK(device.start(step, 0_us).rotation == 5'150_us);
}

TEST_CASE("a head that has written as much as it can stops at sectors, and only that one") {
  MediaConfig config = test::small_drive();
  config.heat.head_life = Bytes(4096 * 1'000);
  config.heat.worn_faults_per_million = 1'000'000;
  MediaDevice device(config, {}, ContentMode::tags, 1);
  Picoseconds now;
  DataBuffer data = tagged(100, 1'000);
  for (int i = 0; i < 10; ++i) REQUIRE(ok(perform(device, write_step({{1, 5}, 0, 100}, data.all()), now)));
  CHECK(value(device, "media.wear.used", now) == Approx(1));
  CHECK(value(device, "media.head.0.wear", now) == 0);
  CHECK(ok(perform(device, write_step({{1, 5}, 0, 1}, data.part(0, 1)), now)));
  CHECK(perform(device, write_step({{1, 5}, 0, 1}, data.part(0, 1)), now) == Status::media_error);
  CHECK(ok(perform(device, write_step({{0, 5}, 0, 1}, data.part(0, 1)), now)));

  StateWriter out;
  device.save_state(out, now);
  MediaDevice later(config, {}, ContentMode::tags, 1);
  StateReader in(out.state(), "a file");
  later.load_state(in);
  Picoseconds then;
  CHECK(perform(later, write_step({{1, 7}, 0, 1}, data.part(0, 1)), then) == Status::media_error);
}
