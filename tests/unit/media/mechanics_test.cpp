#include "media/mechanics.hpp"

#include <catch2/catch.hpp>

#include "base/random.hpp"
#include "small_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using test::read_step;
using test::write_step;

namespace {

struct Rig {
  explicit Rig(const MediaConfig& config) : geometry(config, {}), mechanics(config, geometry) {}
  /// Prices the step and moves the head.
  Motion move(const MediaStep& step, Picoseconds now = {}) {
    const TrackShape shape = geometry.shape_of(step.run.track);
    const Motion motion = mechanics.plan(step, shape, now);
    mechanics.moved(step, shape.sectors());
    return motion;
  }
  TrackGeometry geometry;
  Mechanics mechanics;
};

MediaConfig expected_drive() {
  MediaConfig config = test::small_drive();
  config.timing = MediaTimingMode::expected;
  return config;
}

}  // namespace

TEST_CASE("a head that arrives in time waits no turn, and one picosecond later a whole one") {
  Rig rig(test::small_drive());
  const PhysicalRun sector{{0, 0}, 40, 1};
  const Picoseconds boundary = 4_ms;  // sector 40 of 100 on a turn of 10 ms
  CHECK(rig.mechanics.plan(read_step(sector), rig.geometry.shape_of({0, 0}), boundary).rotation == Picoseconds());
  CHECK(rig.mechanics.plan(read_step(sector), rig.geometry.shape_of({0, 0}), boundary - 1_ps).rotation == 1_ps);
  CHECK(rig.mechanics.plan(read_step(sector), rig.geometry.shape_of({0, 0}), boundary + 1_ps).rotation == 10_ms - 1_ps);
  CHECK(rig.mechanics.positioning_time(sector, false, boundary + 10_ms) == Picoseconds());
  CHECK(rig.mechanics.positioning_time(sector, false, boundary + 10_ms + 1_ps) == 10_ms - 1_ps);
}

TEST_CASE("a seek, a head switch and the settle of a write each take their time, and overlap as stated") {
  MediaConfig config = test::small_drive();
  config.head_switch = 1050_us;
  config.write_settle = 70_us;
  Rig rig(config);
  CHECK(rig.mechanics.seek_time({0, 0}, true) == Picoseconds());  // no movement, no settle
  CHECK(rig.mechanics.seek_time({0, 1}, false) == 1010_us);
  CHECK(rig.mechanics.seek_time({0, 1}, true) == 1080_us);
  CHECK(rig.mechanics.seek_time({1, 0}, false) == 1050_us);
  CHECK(rig.mechanics.seek_time({1, 0}, true) == 1120_us);
  CHECK(rig.mechanics.seek_time({1, 1}, false) == 1050_us);   // the switch outlasts the seek
  CHECK(rig.mechanics.seek_time({1, 20}, false) == 1200_us);  // the seek outlasts the switch
}

TEST_CASE("a read may settle longer than a write") {
  MediaConfig config = test::small_drive();
  config.read_settle = 480_us;
  Rig rig(config);
  CHECK(rig.mechanics.seek_time({0, 0}, false) == Picoseconds());
  CHECK(rig.mechanics.seek_time({0, 1}, true) == 1010_us);
  CHECK(rig.mechanics.seek_time({0, 1}, false) == 1490_us);
}

TEST_CASE("writes after seeks of some distances settle for longer, by the last row that is reached") {
  MediaConfig config = test::small_drive();
  config.write_settle = 70_us;
  config.write_settles = {{2, 0.5}, {10, 0}};
  Rig rig(config);
  const auto more = [&](std::uint32_t radius) {
    return rig.mechanics.seek_time({0, radius}, true) - rig.mechanics.seek_time({0, radius}, false);
  };
  CHECK(more(1) == 70_us);
  CHECK(more(2) == 570_us);
  CHECK(more(9) == 570_us);
  CHECK(more(10) == 70_us);
  CHECK(rig.mechanics.seek_time({1, 0}, true) == rig.mechanics.seek_time({1, 0}, false) + 70_us);  // a head switch moves over no distance
}

TEST_CASE("the overhead of the channel delays the arrival") {
  MediaConfig config = test::small_drive();
  config.channel_overhead = 100_us;
  Rig rig(config);
  const Motion motion = rig.move(read_step({{0, 0}, 1, 1}));
  CHECK(motion.overhead == 100_us);
  CHECK(motion.rotation == Picoseconds());
  CHECK(motion.total() == 200_us);
}

TEST_CASE("sequential reading over tracks and cylinders with skew loses no turn, and without skew loses one a track") {
  MediaConfig config = test::small_drive();
  config.head_switch = 650_us;
  config.track_skew = 7;      // 700 us
  config.cylinder_skew = 11;  // 1100 us against a seek of 1010
  const auto time_of = [](const MediaConfig& drive) {
    Rig rig(drive);
    Picoseconds now;
    for (std::uint32_t radius = 0; radius < 10; ++radius)
      for (std::uint32_t surface = 0; surface < 2; ++surface)
        for (const std::uint32_t half : {0U, 50U}) now += rig.move(read_step({{surface, radius}, half, 50}), now).total();
    return now;
  };
  CHECK(time_of(config) == 20 * 10_ms + 10 * 700_us + 9 * 1100_us);
  config.track_skew = config.cylinder_skew = 0;
  CHECK(time_of(config) == 20 * 10_ms + 19 * 10_ms);
}

TEST_CASE("a whole track is transferred in one turn from the next sector boundary, whatever its first sector") {
  Rig rig(test::small_drive());
  const PhysicalRun track{{0, 0}, 0, 100};
  const TrackShape shape = rig.geometry.shape_of(track.track);
  Motion motion = rig.mechanics.plan(read_step(track), shape, 4_ms);
  CHECK(motion.entry == 40);
  CHECK(motion.rotation == Picoseconds());
  CHECK(motion.transfer == 10_ms);
  motion = rig.mechanics.plan(read_step(track), shape, 4_ms + 1_ps);
  CHECK(motion.entry == 41);
  CHECK(motion.rotation == 100_us - 1_ps);
  motion = rig.mechanics.plan(read_step(track), shape, 10_ms - 1_ps);
  CHECK(motion.entry == 0);
  CHECK(motion.rotation == 1_ps);
  CHECK(rig.mechanics.positioning_time(track, false, 4_ms + 1_ps) == 100_us - 1_ps);
  CHECK(rig.mechanics.plan(read_step({{0, 0}, 0, 99}), shape, 4_ms).entry == 0);
}

TEST_CASE("a run that wraps passes the index mark without a gap") {
  Rig rig(test::small_drive());
  const Motion motion = rig.move(read_step({{0, 0}, 90, 20}));
  CHECK(motion.rotation == 9_ms);
  CHECK(motion.transfer == 2_ms);
}

TEST_CASE("positioning time is seek and rotation of the step, and never below the bound of its distance") {
  for (const MediaTimingMode mode : {MediaTimingMode::rotational, MediaTimingMode::expected}) {
    MediaConfig config = test::small_drive();
    config.timing = mode;
    config.head_switch = 300_us;
    config.write_settle = 70_us;
    config.track_skew = 7;
    config.cylinder_skew = 13;
    config.channel_overhead = 5_us;
    Rig rig(config);
    RandomStream random(3, "positioning");
    Picoseconds now;
    for (int i = 0; i < 5'000; ++i) {
      const PhysicalTrack track{static_cast<std::uint32_t>(random.below(2)), static_cast<std::uint32_t>(random.below(50))};
      const auto first = static_cast<std::uint32_t>(random.below(100));
      const PhysicalRun run{track, first, static_cast<std::uint32_t>(random.below(20) == 0 ? 100 : 1 + random.below(30))};
      const bool write = random.below(2) == 1;
      const std::uint32_t from = rig.mechanics.head().radius;
      const std::uint32_t distance = from > track.radius ? from - track.radius : track.radius - from;
      const Picoseconds positioning = rig.mechanics.positioning_time(run, write, now);
      REQUIRE(rig.mechanics.least_positioning(distance) <= positioning);
      const Motion motion = rig.move(write ? write_step(run) : read_step(run), now);
      REQUIRE(positioning == motion.overhead + motion.seek + motion.rotation);
      now += motion.total() + Picoseconds(random.below(20'000'000'000));
    }
  }
}

TEST_CASE("expected timing charges half a turn to position, and nothing where a run continues the last one") {
  Rig rig(expected_drive());
  Motion motion = rig.move(read_step({{0, 20}, 10, 5}));
  CHECK(motion.seek == 1200_us);
  CHECK(motion.rotation == 5_ms);
  CHECK(motion.transfer == 500_us);
  motion = rig.move(read_step({{0, 20}, 15, 5}));
  CHECK(motion.total() == 500_us);
  CHECK(rig.move(read_step({{0, 20}, 21, 5})).rotation == 5_ms);  // one sector was skipped
  CHECK(rig.move(read_step({{1, 20}, 26, 5})).rotation == 5_ms);  // the other surface
}

TEST_CASE("expected timing meets the conventional oracle of one random write") {
  MediaConfig config;
  config.speed = Rpm(6000);
  config.tracks = 750'000;
  config.sectors_per_track = 500;
  config.timing = MediaTimingMode::expected;
  Rig rig(config);
  const Motion motion = rig.move(write_step({{0, 250'000}, 123, 1}));
  CHECK(motion.seek == 12392311774_ps);  // 2 + 0.020785 * 500 = 12.39 ms
  CHECK(motion.rotation == 5_ms);
  CHECK(motion.transfer == 20_us);
}

TEST_CASE("expected timing meets the read-modify-write oracle of the paper") {
  const auto chain = [](Rig& rig) {
    Picoseconds sum;
    Picoseconds first_transfer;
    const PhysicalRun below{{0, 29}, 7, 1};
    const PhysicalRun target{{0, 30}, 7, 1};
    const PhysicalRun above{{0, 31}, 7, 1};
    const PhysicalRun backup{{0, 0}, 0, 2};
    for (const MediaStep& step : {read_step(below, {}, StepHint::same_angle), read_step(above, {}, StepHint::same_angle),
                                  write_step(backup, {}, StepHint::backup_round_trip), write_step(target, {}, StepHint::same_angle),
                                  write_step(below, {}, StepHint::same_angle), write_step(above, {}, StepHint::same_angle)})
      sum += rig.move(step).total();
    return sum;
  };
  MediaConfig config = expected_drive();
  config.seek_curve = {{1, 8.0}};
  Rig near(config);
  near.move(read_step({{0, 30}, 7, 1}));  // "on the same track"
  CHECK(chain(near) == 60_ms);
  Rig far(config);
  CHECK(chain(far) == 63_ms + 100_us);  // 8 ms seek and half a turn; `position` adds the transfer of its run

  config.rmw_mid_turns = 1;
  Rig merged(config);
  merged.move(read_step({{0, 30}, 7, 1}));
  CHECK(chain(merged) == 50_ms);
}

TEST_CASE("a visit to the backup region leaves the head where it was") {
  Rig rig(expected_drive());
  rig.move(read_step({{0, 30}, 7, 1}));
  rig.move(write_step({{0, 0}, 0, 2}, {}, StepHint::backup_round_trip));
  CHECK(rig.mechanics.head() == PhysicalTrack{0, 30});
  CHECK(rig.move(read_step({{0, 30}, 8, 1})).total() == 100_us);
}

TEST_CASE("expected timing takes tracks within four radii of one surface for neighbours") {
  for (const std::uint32_t distance : {0U, 1U, 2U, 4U, 5U}) {
    Rig rig(expected_drive());
    rig.move(read_step({{0, 10}, 0, 1}));
    const Motion same =
        rig.mechanics.plan(read_step({{0, 10 + distance}, 50, 5}, {}, StepHint::same_angle), rig.geometry.shape_of({0, 10}), {});
    const Motion whole =
        rig.mechanics.plan(read_step({{0, 10 + distance}, 0, 100}, {}, StepHint::whole_track), rig.geometry.shape_of({0, 10}), {});
    if (distance <= 4) {
      CHECK(same.total() == 10_ms);
      CHECK(whole.total() == 10_ms);
    } else {
      CHECK(same.total() == 1050_us + 5_ms + 500_us);
      CHECK(whole.total() == 1050_us + 10_ms);
    }
  }
  Rig rig(expected_drive());
  CHECK(rig.move(read_step({{1, 0}, 50, 5}, {}, StepHint::same_angle)).rotation == 5_ms);
}

TEST_CASE("rotational timing ignores the hints") {
  for (const StepHint hint : {StepHint::position, StepHint::same_angle, StepHint::whole_track, StepHint::backup_round_trip}) {
    Rig rig(test::small_drive());
    const Motion motion = rig.move(write_step({{0, 20}, 10, 5}, {}, hint), 3_ms);
    CHECK(motion.seek == 1200_us);
    CHECK(motion.rotation == 6800_us);  // from 4.2 ms on to 1.0 ms of the next turn
    CHECK(motion.transfer == 500_us);
    CHECK(rig.mechanics.head() == PhysicalTrack{0, 20});
  }
}

TEST_CASE("a write that still waits for data of the host begins when no sector is late, and one picosecond too late costs a turn") {
  Rig rig(test::small_drive());
  DataBuffer buffer = test::tagged(4, 1);
  const MediaStep step = write_step({{0, 0}, 40, 4}, buffer.all());  // from 4.0 to 4.4 ms under the head; the last one from 4.3 ms on
  const TrackShape shape = rig.geometry.shape_of({0, 0});
  const auto planned = [&](Picoseconds first, Picoseconds last) {
    buffer.write_flow() = {first, last};
    return rig.mechanics.plan(step, shape, 3_ms);
  };
  CHECK(planned(1_ms, 3_ms).rotation == 1_ms);
  CHECK(planned(1_ms, 4300_us).rotation == 1_ms);
  CHECK(planned(1_ms, 4300_us).missed_turns == 0);
  CHECK(planned(1_ms, 4300_us + 1_ps).rotation == 11_ms);
  CHECK(planned(1_ms, 4300_us + 1_ps).missed_turns == 1);
  CHECK(planned(4_ms, 4210_us).missed_turns == 0);
  CHECK(planned(4_ms + 1_ps, 4210_us + 1_ps).missed_turns == 1);
  CHECK(planned(4_ms, 24'300_us).missed_turns == 2);
  CHECK(planned(4_ms, 24'300_us + 1_ps).missed_turns == 3);
  // Of a step that takes the second half of the buffer only that half counts: its last sector from 4.1 ms on.
  buffer.write_flow() = {1_ms, 4100_us};
  CHECK(rig.mechanics.plan(write_step({{0, 0}, 40, 2}, buffer.part(2, 2)), shape, 3_ms).missed_turns == 0);
  buffer.write_flow() = {1_ms, 4100_us + 1_ps};
  CHECK(rig.mechanics.plan(write_step({{0, 0}, 40, 2}, buffer.part(2, 2)), shape, 3_ms).missed_turns == 1);
  CHECK(rig.mechanics.plan(read_step({{0, 0}, 40, 2}, buffer.part(2, 2)), shape, 3_ms).missed_turns == 0);
}

TEST_CASE("a whole track whose data still comes goes from its first sector, one whose data is there from any") {
  Rig rig(test::small_drive());
  DataBuffer buffer = test::tagged(100, 1);
  const MediaStep step = write_step({{0, 0}, 0, 100}, buffer.all());
  buffer.write_flow() = {1_ms, 3_ms};
  CHECK(rig.mechanics.plan(step, rig.geometry.shape_of({0, 0}), 3_ms).entry == 30);
  buffer.write_flow() = {1_ms, 3_ms + 1_ps};
  const Motion motion = rig.mechanics.plan(step, rig.geometry.shape_of({0, 0}), 3_ms);
  CHECK(motion.entry == 0);
  CHECK(motion.rotation == 7_ms);
  CHECK(motion.missed_turns == 0);
}

TEST_CASE("expected timing: a write waits for its data as long as it is late") {
  Rig rig(expected_drive());
  DataBuffer buffer = test::tagged(4, 1);
  const MediaStep step = write_step({{0, 0}, 40, 4}, buffer.all());
  const TrackShape shape = rig.geometry.shape_of({0, 0});
  const Picoseconds usual = rig.mechanics.plan(step, shape, 3_ms).rotation;
  CHECK(usual == 5_ms);
  buffer.write_flow() = {4_ms, 9_ms};  // the last sector is reached at 8.3 ms
  CHECK(rig.mechanics.plan(step, shape, 3_ms).rotation == usual + 700_us);
}
