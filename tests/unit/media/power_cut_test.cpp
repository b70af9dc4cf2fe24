// What a power cut leaves on the platters, at every kind of instant.
#include <catch2/catch.hpp>
#include <optional>

#include "base/error.hpp"
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

constexpr SectorShape tags{4096, ContentMode::tags};
constexpr Tag old_tag = 1'000;
constexpr Tag new_tag = 900'000;
const PhysicalTrack bottom{0, 4};
const PhysicalTrack top{0, 5};

/// What is on the bottom and the top after a write of [first, first + count) of the bottom was cut `after` its transfer began.
struct Aftermath {
  std::vector<Status> bottom_status;
  std::vector<bool> renewed;
  std::vector<Status> top_status;
  bool header = false;
};

/// `after` is empty for a cut one picosecond before the transfer begins.
Aftermath cut_write(PowerfailSector choice, PhysicalRun run, std::optional<Picoseconds> after, std::uint64_t seed = 1,
                    Picoseconds start = {}) {
  MediaConfig config = test::small_drive();
  config.powerfail_sector = choice;
  MediaDevice device(config, {test::region(RecordingFormat::interlaced, 0, 50)}, ContentMode::tags, seed);
  DataBuffer before = tagged(100, old_tag);
  DataBuffer fresh = tagged(run.count, new_tag);
  Picoseconds now;
  REQUIRE(ok(perform(device, write_step({bottom, 0, 100}, before.all()), now)));
  REQUIRE(ok(perform(device, write_step({top, 0, 100}, before.all()), now)));
  REQUIRE(ok(perform(device, read_step({bottom, 0, 1}), now)));  // the head waits on the bottom

  SectorHeader header;
  header.fill(std::byte{1});
  MediaStep step = write_step(run, fresh.all());
  step.header = &header;
  now = 1'000_ms + start;
  const MediaTiming timing = device.start(step, now);
  const Picoseconds begin = timing.end - timing.transfer;
  device.cut(after ? begin + *after : begin - 1_ps);
  CHECK(device.positioning().head() == PhysicalTrack{0, 0});
  now = 2'000_ms;
  device.restore(now);

  Aftermath result;
  DataBuffer one(DramAddress(0), 1, tags);
  for (std::uint32_t s = 0; s < 100; ++s) {
    result.bottom_status.push_back(perform(device, read_step({bottom, s, 1}, one.all()), now));
    const std::uint32_t offset = (s + 100 - run.first) % 100;
    result.renewed.push_back(offset < run.count && tag_of(one, 0) == new_tag + 8 * offset);
    if (result.bottom_status.back() == Status::ok && !result.renewed.back()) REQUIRE(tag_of(one, 0) == old_tag + 8 * s);
    result.top_status.push_back(perform(device, read_step({top, s, 1}), now));
  }
  SectorHeader found;
  const std::uint32_t last = (run.first + run.count - 1) % 100;
  (void)perform(device, {MediaOp::read, StepHint::position, {bottom, last, 1}, {}, {}, &found}, now);
  result.header = found == header;
  return result;
}

/// `fresh` sectors from `entry` on are new, `damaged` sectors of the top are lost, nothing else changed.
void require(const Aftermath& found, std::uint32_t entry, std::uint32_t fresh, std::uint32_t damaged, bool header) {
  for (std::uint32_t s = 0; s < 100; ++s) {
    const std::uint32_t place = (s + 100 - entry) % 100;
    INFO("sector " << s);
    REQUIRE(found.renewed[s] == (place < fresh));
    REQUIRE(found.bottom_status[s] == Status::ok);
    REQUIRE(found.top_status[s] == (place < damaged ? Status::damaged : Status::ok));
  }
  REQUIRE(found.header == header);
}

}  // namespace

TEST_CASE("a cut before the first sector is reached changes nothing") {
  for (const PowerfailSector choice : {PowerfailSector::atomic_old, PowerfailSector::atomic_new, PowerfailSector::corrupt}) {
    require(cut_write(choice, {bottom, 20, 4}, std::nullopt), 20, 0, 0, false);
    require(cut_write(choice, {bottom, 20, 4}, 0_ps), 20, 0, 0, false);
  }
}

TEST_CASE("a cut inside a sector leaves those before it new, and damages the neighbours up to and including it") {
  // Sectors take 100 us each.
  for (const Picoseconds inside : {1_ps, 50_us, 100_us - 1_ps}) {
    for (const std::uint32_t sector : {0U, 1U, 2U}) {
      const Picoseconds after = 100_us * sector + inside;
      require(cut_write(PowerfailSector::atomic_old, {bottom, 20, 4}, after), 20, sector, sector + 1, false);
      require(cut_write(PowerfailSector::atomic_new, {bottom, 20, 4}, after), 20, sector + 1, sector + 1, false);
    }
  }
}

TEST_CASE("a cut on the boundary of two sectors finds none in flight") {
  for (const std::uint32_t sector : {1U, 2U, 3U}) {
    require(cut_write(PowerfailSector::atomic_old, {bottom, 20, 4}, 100_us * sector), 20, sector, sector, false);
    require(cut_write(PowerfailSector::atomic_new, {bottom, 20, 4}, 100_us * sector), 20, sector, sector, false);
  }
}

TEST_CASE("the header is there exactly when the whole run is") {
  require(cut_write(PowerfailSector::atomic_old, {bottom, 20, 4}, 400_us - 1_ps), 20, 3, 4, false);
  require(cut_write(PowerfailSector::atomic_new, {bottom, 20, 4}, 400_us - 1_ps), 20, 4, 4, true);
  require(cut_write(PowerfailSector::atomic_old, {bottom, 20, 4}, 400_us), 20, 4, 4, true);
}

TEST_CASE("a run that wraps is cut where the head was") {
  require(cut_write(PowerfailSector::atomic_old, {bottom, 98, 5}, 250_us), 98, 2, 3, false);
  require(cut_write(PowerfailSector::atomic_new, {bottom, 98, 5}, 250_us), 98, 3, 3, false);
}

TEST_CASE("a whole track is cut in the order in which it passed the head") {
  // The write starts 30.5 sectors past the index mark: it enters at sector 31.
  require(cut_write(PowerfailSector::atomic_old, {bottom, 0, 100}, 250_us, 1, 3050_us), 31, 2, 3, false);
  require(cut_write(PowerfailSector::atomic_new, {bottom, 0, 100}, 8'050_us, 1, 3050_us), 31, 81, 81, false);
  require(cut_write(PowerfailSector::atomic_old, {bottom, 7, 100}, 8'050_us, 1, 3050_us), 31, 80, 81, false);
}

TEST_CASE("the corrupt choice makes the sector in flight unreadable until it is written again") {
  const Aftermath found = cut_write(PowerfailSector::corrupt, {bottom, 20, 4}, 150_us);
  CHECK(found.renewed[20]);
  CHECK(found.bottom_status[21] == Status::damaged);
  CHECK_FALSE(found.renewed[22]);
  CHECK(found.bottom_status[22] == Status::ok);
  CHECK(found.top_status[21] == Status::damaged);
  CHECK(found.top_status[22] == Status::ok);
}

TEST_CASE("the drawn choice takes both outcomes, and the same one for the same seed") {
  int renewed = 0;
  for (std::uint64_t seed = 0; seed < 32; ++seed) {
    const bool first = cut_write(PowerfailSector::atomic, {bottom, 20, 1}, 50_us, seed).renewed[20];
    REQUIRE(cut_write(PowerfailSector::atomic, {bottom, 20, 1}, 50_us, seed).renewed[20] == first);
    renewed += first ? 1 : 0;
  }
  CHECK(renewed > 4);
  CHECK(renewed < 28);
}

TEST_CASE("a cut read leaves the platters alone, and time without power costs no energy") {
  MediaDevice device(test::small_drive(), {}, ContentMode::tags, 1);
  const MediaStep step = read_step({{0, 0}, 50, 10});
  (void)device.start(step, Picoseconds());  // 5 ms of rotation
  device.cut(2_ms);
  CHECK_FALSE(device.busy());
  device.restore(10_ms);
  MetricSet metrics;
  device.report(metrics, 13_ms);
  CHECK(metrics.find("media.time.rotation")->value.value() == Approx(2.0));
  CHECK(metrics.find("media.time.read")->value.value() == 0);
  CHECK(metrics.find("media.time.idle")->value.value() == Approx(3.0));
  CHECK(metrics.find("media.energy.total")->value.value() == Approx(5e-3 * 5));
  CHECK_THROWS_AS(device.restore(14_ms), ModelBug);
}
