#include "media/media_device.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/random.hpp"
#include "small_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using test::perform;
using test::read_step;
using test::tag_of;
using test::tagged;
using test::write_step;

namespace {

constexpr SectorShape tags{4096, ContentMode::tags};

struct StateLog final : MediaObserver {
  struct Entry {
    MediaState state;
    PhysicalTrack head;
    Picoseconds at;
    bool operator==(const Entry&) const = default;
  };
  void state(MediaState state, PhysicalTrack head, Picoseconds at) override { seen.push_back({state, head, at}); }
  std::vector<Entry> seen;
};

}  // namespace

TEST_CASE("what was written is read back, also where a run wraps and where a whole track starts in its middle") {
  MediaDevice device(test::small_drive(), {}, ContentMode::tags, 1);
  Picoseconds now = 3'141'592_ns;
  for (const PhysicalRun run :
       {PhysicalRun{{1, 7}, 95, 10}, PhysicalRun{{0, 8}, 0, 100}, PhysicalRun{{0, 9}, 33, 100}, PhysicalRun{{0, 7}, 5, 1}}) {
    DataBuffer data = tagged(run.count, 4000);
    DataBuffer back(DramAddress(0), run.count, tags);
    REQUIRE(ok(perform(device, write_step(run, data.all()), now)));
    REQUIRE(ok(perform(device, read_step(run, back.all()), now)));
    for (std::uint32_t s = 0; s < run.count; ++s) REQUIRE(tag_of(back, s, 3) == 4000 + 8 * s + 3);
    DataBuffer one(DramAddress(0), 1, tags);
    REQUIRE(ok(perform(device, read_step({run.track, (run.first + run.count - 1) % 100, 1}, one.all()), now)));
    REQUIRE(tag_of(one, 0) == 4000 + 8 * (run.count - 1));
  }
}

TEST_CASE("content changes when the step finishes, not when it starts") {
  MediaDevice device(test::small_drive(), {}, ContentMode::tags, 1);
  DataBuffer data = tagged(1, 50);
  const MediaStep step = write_step({{0, 0}, 3, 1}, data.all());
  (void)device.start(step, Picoseconds());
  CHECK_FALSE(device.content().occupied(0));
  CHECK(ok(device.finish()));
  CHECK(device.content().occupied(0));
}

TEST_CASE("a bottom write destroys both tops at its angle, on its own surface only, and a top write nothing") {
  MediaDevice device(test::small_drive(), {test::region(RecordingFormat::interlaced, 0, 50)}, ContentMode::tags, 1);
  Picoseconds now;
  DataBuffer data = tagged(100, 1000);
  for (std::uint32_t radius = 3; radius <= 7; ++radius)
    for (std::uint32_t surface = 0; surface < 2; ++surface)
      REQUIRE(ok(perform(device, write_step({{surface, radius}, 0, 100}, data.all()), now)));
  // Bottoms 4 and 6 damaged tops 3, 5 and 7 as they were written after 3 and 5: write the tops again.
  for (const std::uint32_t radius : {3U, 5U, 7U})
    for (std::uint32_t surface = 0; surface < 2; ++surface)
      REQUIRE(ok(perform(device, write_step({{surface, radius}, 0, 100}, data.all()), now)));
  for (std::uint32_t radius = 3; radius <= 7; ++radius) REQUIRE(ok(perform(device, read_step({{1, radius}, 0, 100}), now)));

  REQUIRE(ok(perform(device, write_step({{0, 4}, 95, 10}, data.part(0, 10)), now)));
  for (std::uint32_t surface = 0; surface < 2; ++surface) {
    for (std::uint32_t radius = 3; radius <= 7; ++radius) {
      for (std::uint32_t s = 0; s < 100; ++s) {
        const bool hit = surface == 0 && (radius == 3 || radius == 5) && (s >= 95 || s < 5);
        REQUIRE(perform(device, read_step({{surface, radius}, s, 1}), now) == (hit ? Status::damaged : Status::ok));
      }
    }
  }
  CHECK(device.statistics().damaged_reads == 20);
  REQUIRE(ok(perform(device, write_step({{1, 6}, 50, 1}, data.part(0, 1)), now)));
  CHECK(perform(device, read_step({{1, 7}, 50, 1}), now) == Status::damaged);
  CHECK(perform(device, read_step({{0, 7}, 50, 1}), now) == Status::ok);
}

TEST_CASE("a shingled write destroys the tracks ahead of it and stops at the region's end") {
  Region shingled = test::region(RecordingFormat::shingled, 10, 5);
  shingled.head_width = 3;
  Region beyond = test::region(RecordingFormat::conventional, 15, 10);
  beyond.name = "beyond";
  MediaDevice device(test::small_drive(), {shingled, beyond}, ContentMode::tags, 1);
  Picoseconds now;
  DataBuffer data = tagged(100, 1000);
  for (std::uint32_t radius = 10; radius < 17; ++radius) REQUIRE(ok(perform(device, write_step({{0, radius}, 0, 100}, data.all()), now)));
  CHECK(device.content().damaged_sectors() == 0);  // in shingle order nothing is lost
  REQUIRE(ok(perform(device, write_step({{0, 13}, 40, 2}, data.part(0, 2)), now)));
  CHECK(device.content().damaged_sectors() == 2);
  CHECK(perform(device, read_step({{0, 14}, 40, 1}), now) == Status::damaged);
  CHECK(perform(device, read_step({{0, 14}, 42, 1}), now) == Status::ok);
  CHECK(perform(device, read_step({{0, 15}, 40, 1}), now) == Status::ok);
}

TEST_CASE("firmware's bytes and headers ride in sectors and die with them") {
  MediaDevice device(test::small_drive(), {test::region(RecordingFormat::interlaced, 0, 50)}, ContentMode::none, 1);
  Picoseconds now;
  std::vector<std::byte> journal(2 * 4096, std::byte{0x11});
  std::vector<std::byte> back(2 * 4096);
  SectorHeader header;
  header.fill(std::byte{0x22});
  SectorHeader found;
  REQUIRE(ok(perform(device, {MediaOp::write, StepHint::position, {{0, 5}, 99, 2}, {}, journal, &header}, now)));
  REQUIRE(ok(perform(device, {MediaOp::read, StepHint::position, {{0, 5}, 99, 2}, {}, back, &found}, now)));
  CHECK(back == journal);
  CHECK(found == header);  // of the run's last sector, which is sector 0
  REQUIRE(ok(perform(device, {MediaOp::read, StepHint::position, {{0, 5}, 0, 1}, {}, {}, &found}, now)));
  CHECK(found == header);
  REQUIRE(ok(perform(device, write_step({{0, 4}, 0, 1}), now)));  // the bottom below
  CHECK(perform(device, {MediaOp::read, StepHint::position, {{0, 5}, 99, 2}, {}, back, &found}, now) == Status::damaged);
  CHECK(back[0] == std::byte{0x11});
  CHECK(back[4096] == std::byte{0});
  CHECK(found == SectorHeader{});
}

TEST_CASE("a run that leaves its track or the formatted tracks breaks the rules and takes no time") {
  MediaConfig config = test::small_drive();
  MediaDevice device(config, {test::region(RecordingFormat::interlaced, 10, 10)}, ContentMode::none, 1);
  const PhysicalTrack track{0, 10};
  for (const PhysicalRun run :
       {PhysicalRun{{2, 10}, 0, 1}, PhysicalRun{{0, 52}, 0, 1}, PhysicalRun{track, 100, 1}, PhysicalRun{track, 0, 101},
        PhysicalRun{track, 0, 0}, PhysicalRun{{0, 9}, 0, 1}, PhysicalRun{{0, 20}, 0, 1}}) {
    Picoseconds now = 7_ms;
    CHECK(perform(device, read_step(run), now) == Status::rule_violation);
    CHECK(now == 7_ms);
  }
  Picoseconds now = 7_ms;
  CHECK(perform(device, read_step({track, 99, 100}), now) == Status::ok);
  CHECK(device.statistics().rule_violations == 7);
}

TEST_CASE("a defect makes its reads fail and leaves its neighbours readable") {
  MediaConfig config = test::small_drive();
  config.unreadable_sectors = {{0, 5, 42}};
  MediaDevice device(config, {}, ContentMode::tags, 1);
  Picoseconds now;
  DataBuffer data = tagged(100, 1000);
  DataBuffer back(DramAddress(0), 100, tags);
  REQUIRE(ok(perform(device, write_step({{0, 5}, 0, 100}, data.all()), now)));
  CHECK(perform(device, read_step({{0, 5}, 41, 1}, back.part(0, 1)), now) == Status::ok);
  CHECK(perform(device, read_step({{0, 5}, 43, 1}, back.part(0, 1)), now) == Status::ok);
  CHECK(perform(device, read_step({{0, 5}, 20, 100}, back.all()), now) == Status::media_error);
  CHECK(tag_of(back, 22) == destroyed);
  CHECK(back.is_lost(22));
  CHECK_FALSE(back.any_lost(23, 77));
  CHECK(tag_of(back, 21) == 1000 + 41 * 8);
  CHECK(tag_of(back, 99) == 1000 + 19 * 8);
  device.add_unreadable({{0, 5}, 43});
  CHECK(perform(device, read_step({{0, 5}, 43, 1}), now) == Status::media_error);
  CHECK(device.statistics().media_errors == 2);
}

TEST_CASE("a lost sector of a buffer is written as lost, wherever the run wraps, and reads as lost until it is written again") {
  MediaDevice device(test::small_drive(), {}, ContentMode::none, 1);
  Picoseconds now;
  const SectorShape nothing_kept{4096, ContentMode::none};
  DataBuffer data(DramAddress(0), 4, nothing_kept);
  DataBuffer back(DramAddress(0), 4, nothing_kept);
  data.mark_lost(1);
  data.mark_lost(3);
  REQUIRE(ok(perform(device, write_step({{0, 5}, 98, 4}, data.all()), now)));
  CHECK(perform(device, read_step({{0, 5}, 98, 4}, back.all()), now) == Status::lost);
  CHECK(back.is_lost(1));
  CHECK(back.is_lost(3));
  CHECK(perform(device, read_step({{0, 5}, 0, 1}, back.part(2, 1)), now) == Status::ok);
  CHECK(perform(device, read_step({{0, 5}, 1, 1}, back.part(2, 1)), now) == Status::lost);
  data.clear_lost(0, 4);
  REQUIRE(ok(perform(device, write_step({{0, 5}, 98, 4}, data.all()), now)));
  CHECK(perform(device, read_step({{0, 5}, 98, 4}, back.all()), now) == Status::ok);
  CHECK_FALSE(back.any_lost(0, 4));
}

TEST_CASE("one step at a time, and none without power") {
  MediaDevice device(test::small_drive(), {}, ContentMode::none, 1);
  const MediaStep step = read_step({{0, 0}, 0, 1});
  CHECK_THROWS_AS((void)device.finish(), ModelBug);
  (void)device.start(step, Picoseconds());
  CHECK_THROWS_AS(device.start(step, Picoseconds()), ModelBug);
  device.cut(1_ps);
  CHECK_THROWS_AS(device.start(step, 2_ps), ModelBug);
  device.restore(3_ps);
  CHECK(device.start(step, 3_ps).end == 10_ms + 100_us);
}

TEST_CASE("an observer sees each change of state at its time") {
  MediaDevice device(test::small_drive(), {}, ContentMode::none, 1);
  StateLog log;
  device.observe(&log);
  Picoseconds now = 1_ms;
  REQUIRE(ok(perform(device, write_step({{1, 20}, 30, 2}), now)));
  const PhysicalTrack target{1, 20};
  const std::vector<StateLog::Entry> expected{{MediaState::seek, {0, 0}, 1_ms},
                                              {MediaState::rotate, target, 2200_us},
                                              {MediaState::write, target, 3_ms},
                                              {MediaState::idle, target, 3200_us}};
  CHECK(log.seen == expected);
  const MediaStep step = read_step({{1, 20}, 32, 10});
  (void)device.start(step, now);
  device.cut(now + 1_us);
  CHECK(log.seen.back() == StateLog::Entry{MediaState::off, {0, 0}, 3201_us});
}

TEST_CASE("sectors are counted by region, time and energy by state") {
  Region rest = test::region(RecordingFormat::interlaced, 10, 40);
  rest.name = "rest";
  MediaConfig config = test::small_drive();
  config.idle_power = Microwatts(5'000'000);
  config.seek_power = Microwatts(9'000'000);
  config.read_power = Microwatts(6'000'000);
  config.write_power = Microwatts(7'000'000);
  MediaDevice device(config, {test::region(RecordingFormat::conventional, 0, 10), rest}, ContentMode::none, 1);
  Picoseconds now;
  REQUIRE(ok(perform(device, write_step({{0, 20}, 30, 2}), now)));  // 1.2 ms seek, 1.8 ms rotation, 0.2 ms write
  REQUIRE(ok(perform(device, read_step({{0, 0}, 30, 5}), now)));    // 1.2 ms seek, 8.6 ms rotation, 0.5 ms read
  REQUIRE(now == 13'500_us);
  MetricSet metrics;
  device.report(metrics, 20_ms);
  const auto value = [&](std::string_view name) { return metrics.find(name)->value.value(); };
  CHECK(value("media.sectors_written.rest") == 2);
  CHECK(value("media.sectors_written.data") == 0);
  CHECK(value("media.sectors_read.data") == 5);
  CHECK(value("media.sectors_read.total") == 5);
  CHECK(value("media.seeks") == 2);
  CHECK(value("media.seek_distance") == 20);
  CHECK(value("media.time.seek") == Approx(2.4));
  CHECK(value("media.time.rotation") == Approx(10.4));
  CHECK(value("media.time.idle") == Approx(6.5));
  CHECK(value("media.energy.total") == Approx(2.4e-3 * 9 + 0.5e-3 * 6 + 0.2e-3 * 7 + (10.4e-3 + 6.5e-3) * 5));
  CHECK(value("media.density_gain") == Approx(1.3));
}

TEST_CASE("a read that is given up ends with the sector under the head, when the arm has landed, or at once, and brings nothing") {
  MediaDevice device(test::small_drive(), {}, ContentMode::tags, 1);
  Picoseconds now;
  DataBuffer written = test::tagged(10, 100), read = test::tagged(10, 0);
  const PhysicalRun run{{0, 0}, 40, 10};  // from 4 to 5 ms
  REQUIRE(test::perform(device, test::write_step(run, written.all()), now) == Status::ok);
  const auto given_up = [&](PhysicalRun what, Picoseconds begin, Picoseconds at) {
    const MediaStep step = test::read_step(what, read.part(0, what.count));
    device.start(step, begin);
    const Picoseconds end = device.give_up(at);
    CHECK(device.give_up(at) == end);  // twice is once
    const MediaTiming timing = device.timing();
    CHECK(begin + timing.seek + timing.rotation + timing.transfer == end);
    CHECK(device.finish() == Status::aborted);
    CHECK(test::tag_of(read, 0) == 0);
    return end;
  };
  CHECK(given_up(run, 13_ms, 13_ms) == 13_ms);
  CHECK(given_up(run, 13_ms, 13'500_us) == 13'500_us);
  CHECK(given_up(run, 13_ms, 14_ms) == 14_ms);
  CHECK(given_up(run, 13_ms, 14_ms + 1_ps) == 14'100_us);
  CHECK(given_up(run, 13_ms, 14'100_us) == 14'100_us);
  CHECK(given_up(run, 13_ms, 14'950_us) == 15_ms);
  CHECK(given_up({{0, 10}, 40, 10}, 20_ms, 20'500_us) == 20_ms + device.seek_curve().time(10));
  REQUIRE(test::perform(device, test::read_step(run, read.all()), now = 30_ms) == Status::ok);
  CHECK(test::tag_of(read, 0) == 100);
  // A write is not given up.
  const MediaStep write = test::write_step(run, written.all());
  const MediaTiming timing = device.start(write, 50_ms);
  CHECK(device.give_up(51_ms) == timing.end);
  CHECK(device.finish() == Status::ok);
}

TEST_CASE("a whole track's read that is given up over the spares at its end is over then") {
  MediaConfig config = test::small_drive();
  config.track_spares = 25;  // 100 sectors in 8 ms of a turn of 10 ms
  MediaDevice device(config, {}, ContentMode::tags, 1);
  DataBuffer read = test::tagged(100, 0);
  const MediaStep step = test::read_step({{0, 0}, 0, 100}, read.all());
  REQUIRE(device.start(step, Picoseconds()).end == 10_ms);
  CHECK(device.give_up(9_ms) == 9_ms);
  CHECK(device.timing().transfer == 9_ms);
  CHECK(device.finish() == Status::aborted);
}
