// The read cache of older drives in front of a layer.
#include <catch2/catch.hpp>
#include <numeric>

#include "firmware/caches/read_cache.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/fake_ports.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

FirmwareConfig cached(std::uint32_t segments, std::uint32_t read_ahead, std::uint32_t step) {
  FirmwareConfig config;
  config.read_cache = {.segments = segments, .segment_sectors = 64, .read_ahead = read_ahead, .read_ahead_step = step};
  config.read_cache.extend_at_hit = false;  // read_cache_policies_test.cpp has it
  return config;
}

/// A turn of 10 ms, so 625 us a sector, with the spindle where it is.
BenchConfig spinning_drive() {
  BenchConfig config = small_drive();
  config.media.timing = MediaTimingMode::rotational;
  return config;
}

std::vector<std::uint32_t> sectors_of(const std::vector<FirmwareBench::StepRecord>& steps) {
  std::vector<std::uint32_t> counts;
  for (const auto& step : steps) counts.push_back(step.run.count);
  return counts;
}

}  // namespace

TEST_CASE("read cache: read-ahead makes the next sequential read a hit, and a write takes its sectors out") {
  for (const std::uint32_t segments : {1u, 2u}) {
    FirmwareConfig config;
    config.read_cache = {.segments = segments, .segment_sectors = 16, .read_ahead = 12, .extend_at_hit = false};
    TestDrive drive(make_cmr_factory(), {}, small_drive(), config);
    REQUIRE(drive->write(0, 32 * 8) == Status::ok);
    REQUIRE(drive->read(0, 4 * 8) == Status::ok);
    drive->run_until_idle(1_s);
    drive->steps.clear();
    REQUIRE(drive->read(4 * 8, 8 * 8) == Status::ok);
    CHECK(drive->steps.empty());
    CHECK(drive.metric("read_cache.hits") == 1);
    REQUIRE(drive->write(5 * 8, 8) == Status::ok);
    REQUIRE(drive->read(4 * 8, 8 * 8) == Status::ok);
    CHECK(drive.metric("read_cache.hits") == 1);
    CHECK(drive->scoreboard().errors() == 0);
  }
}

TEST_CASE("read cache: a read-ahead while a TRIM is under way keeps nothing that the TRIM took") {
  constexpr double sector = 4096;
  const std::map<std::string, double> layer{{"cache", 96 * sector}, {"packet", 8 * sector},        {"map_entries", 64},
                                            {"band_tracks", 3},     {"merge_buffer", 16 * sector}, {"checkpoint_every", 1000},
                                            {"idle_cleaning", 0}};
  BenchConfig bench = spinning_drive();
  bench.media.tracks = 120;
  FirmwareConfig config = cached(2, 24, 4);
  config.zeros_after_trim = true;
  double hits = 0;
  for (Picoseconds later; later < 40_ms; later += 1_ms) {
    TestDrive drive(make_media_cache_factory(), layer, bench, config);
    drive->scoreboard().expect_zeros_after_trim();
    REQUIRE(drive->write(0, 96 * 8) == Status::ok);
    drive->submit(HostOp::trim, 48 * 8, 48 * 8);  // whole tracks: no zeros are written there
    drive->run_for(later);
    drive->submit(HostOp::read, 44 * 8, 4 * 8);
    drive->run_until_all_done();
    drive->run_until_idle(1_s);
    REQUIRE(drive->read(48 * 8, 4 * 8) == Status::ok);
    hits += drive.metric("read_cache.hits");
    REQUIRE(drive.wrong_blocks() == 0);
  }
  CHECK(hits > 0);
}

TEST_CASE("read cache: reads and writes at once never see stale sectors") {
  FirmwareConfig config;
  config.read_cache = {.segments = 3, .segment_sectors = 16, .read_ahead = 8};
  config.write_cache.capacity = 32_KiB;
  TestDrive drive(make_cmr_factory(), {}, small_drive(), config);
  std::uint64_t state = 5;
  for (int i = 0; i < 1500; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    drive->submit((state >> 62) == 0 ? HostOp::write : HostOp::read, (state >> 33) % 300,
                  static_cast<std::uint32_t>((state >> 20) % 40 + 1));
    if (i % 6 == 5) drive->run_until_all_done();
  }
  drive->run_until_all_done();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("read cache: a read-ahead goes in steps, and loses no turn between them") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(), cached(2, 10, 4));
  REQUIRE(drive->read(0, 8) == Status::ok);
  drive->run_until_idle(1_s);
  REQUIRE(sectors_of(drive->steps) == std::vector<std::uint32_t>{1, 4, 4, 2});
  CHECK(drive->steps[3].timing.end == 11 * 625_us);
  REQUIRE(drive->read(8, 80) == Status::ok);
  CHECK(drive->steps.size() == 4);  // all ten are hits
}

TEST_CASE("read cache: a segment that is filling serves what it holds, and goes on filling") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(), cached(2, 12, 4));
  REQUIRE(drive->read(0, 8) == Status::ok);
  drive->run_for(4 * 625_us);
  REQUIRE(drive->read(8, 4 * 8) == Status::ok);  // the first step
  CHECK(drive->now() < 6 * 625_us);              // while the second passes
  CHECK(drive.metric("read_cache.hits") == 1);
  drive->steps.clear();
  REQUIRE(drive->read(8, 5 * 8) == Status::ok);  // a sector of the second, which is on its way: no turn is lost for it
  CHECK(drive.metric("read_cache.hits") == 2);
  CHECK(drive->now() < 12 * 625_us);
  drive->run_until_idle(1_s);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("read cache: a command that needs the platters ends the read-ahead with the sector under the head") {
  for (const HostOp op : {HostOp::read, HostOp::write}) {
    TestDrive drive(make_cmr_factory(), {}, spinning_drive(), cached(2, 48, 2));
    REQUIRE(drive->read(0, 8) == Status::ok);  // until 625 us
    drive->run_for(700_us);                    // in the third sector
    REQUIRE(drive->run_until_done(drive->submit(op, 200 * 8, 8)) == Status::ok);
    drive->run_until_idle(1_s);
    const auto counts = sectors_of(drive->steps);
    CHECK(std::vector(counts.begin(), counts.begin() + 3) == std::vector<std::uint32_t>{1, 2, 1});  // the second step never begins
    CHECK(drive->steps[1].timing.end == 3 * 625_us);
    CHECK(drive->steps[2].begin == 3 * 625_us);
    const std::uint32_t all = std::accumulate(counts.begin(), counts.end(), 0u);
    CHECK(all == (op == HostOp::read ? 4 + 48 : 4));  // a read that missed reads ahead itself
    CHECK(drive.metric("media.given_up") == 1);
    CHECK(drive->scoreboard().errors() == 0);
  }
}

TEST_CASE("read cache: a read-ahead that waits for its sector is given up at once, one whose arm moves when it has landed") {
  BenchConfig one_surface = spinning_drive();
  one_surface.media.surfaces = 1;
  TestDrive drive(make_cmr_factory(), {}, one_surface, cached(1, 32, 8));
  REQUIRE(drive->read(13 * 8, 8) == Status::ok);  // until 8.75 ms; 14 and 15 until 10 ms, then the next track
  drive->run_for(1251_us);
  const Picoseconds landed = 10_ms + drive->media().seek_curve().time(1);
  REQUIRE(drive->run_until_done(drive->submit(HostOp::read, 200 * 8, 8)) == Status::ok);
  REQUIRE(drive->steps.size() >= 3);
  CHECK(drive->steps[1].run.count == 2);
  CHECK(drive->steps[2].run.count == 6);
  CHECK(drive->steps[2].timing.end == landed);
  CHECK(drive->steps[3].begin == landed);
  drive->run_for(2_s);
  drive->steps.clear();
  REQUIRE(drive->read(13 * 8, 8) == Status::ok);
  drive->run_for(1250_us + drive->media().seek_curve().time(1) + 1_us);  // it waits for its sector
  const Picoseconds given_up = drive->now();
  REQUIRE(drive->run_until_done(drive->submit(HostOp::read, 200 * 8, 8)) == Status::ok);
  CHECK(drive->steps[2].timing.end == given_up);
  CHECK(drive->steps[2].timing.rotation < 10_ms);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("read cache: a host that reads on stays in one segment, which gives up its oldest sectors") {
  FirmwareConfig config;
  config.read_cache = {.segments = 2, .segment_sectors = 8, .read_ahead = 0, .read_ahead_step = 1};
  TestDrive drive(make_cmr_factory(), {}, small_drive(), config);
  REQUIRE(drive->write(0, 21 * 8) == Status::ok);
  REQUIRE(drive->read(100 * 8, 8) == Status::ok);
  for (std::uint64_t sector = 0; sector < 21; sector += 3) REQUIRE(drive->read(sector * 8, 3 * 8) == Status::ok);
  CHECK(drive.metric("read_cache.hits") == 0);
  drive->steps.clear();
  REQUIRE(drive->read(100 * 8, 8) == Status::ok);     // in the other segment
  REQUIRE(drive->read(13 * 8, 8 * 8) == Status::ok);  // the last eight; the ring has been round twice, and they go over its end
  CHECK(drive->steps.empty());
  REQUIRE(drive->read(12 * 8, 8) == Status::ok);
  CHECK(sectors_of(drive->steps) == std::vector<std::uint32_t>{1});
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("read cache: of a read that a segment holds in part only the rest comes from the platters") {
  FirmwareConfig config;
  config.read_cache = {.segments = 1, .segment_sectors = 8, .read_ahead = 0, .read_ahead_step = 1};
  TestDrive drive(make_cmr_factory(), {}, small_drive(), config);
  REQUIRE(drive->write(0, 16 * 8) == Status::ok);
  REQUIRE(drive->read(0, 4 * 8) == Status::ok);
  drive->steps.clear();
  REQUIRE(drive->read(2 * 8, 5 * 8) == Status::ok);
  REQUIRE(drive->steps.size() == 1);
  CHECK(drive->steps[0].run.first == 4);
  CHECK(drive->steps[0].run.count == 3);
  CHECK(drive.metric("read_cache.partial_hits") == 1);
  CHECK(drive.metric("read_cache.misses") == 1);
  // One that the segment could never hold goes past it.
  REQUIRE(drive->read(6 * 8, 9 * 8) == Status::ok);
  CHECK(drive.metric("read_cache.misses") == 2);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("read cache: hits while a segment fills keep it filling in front of the host") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(), cached(1, 8, 2));
  REQUIRE(drive->read(0, 8) == Status::ok);
  drive->run_for(3 * 625_us);
  REQUIRE(drive->read(8, 2 * 8) == Status::ok);
  drive->run_until_idle(1_s);
  CHECK(drive.metric("read_cache.hits") == 1);
  const auto counts = sectors_of(drive->steps);
  CHECK(std::accumulate(counts.begin(), counts.end(), 0u) == 3 + 8);  // as far as eight behind the hit
}

TEST_CASE("read cache: a read of what is being read ahead is a hit that waits for its sectors and loses no turn") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(), cached(2, 6, 2));
  REQUIRE(drive->read(0, 8) == Status::ok);
  drive->run_for(100_us);                         // in the second sector
  REQUIRE(drive->read(8, 10 * 8) == Status::ok);  // further than the read-ahead would have gone
  CHECK(drive->now() < 12 * 625_us);              // with the sector behind its last one at the latest
  CHECK(drive.metric("read_cache.hits") == 1);
  CHECK(drive.metric("media.given_up") == 0);
  drive->run_until_idle(1_s);
  const auto counts = sectors_of(drive->steps);
  CHECK(std::accumulate(counts.begin(), counts.end(), 0u) == 11 + 6);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("read cache: writes of parts of sectors are left to what is behind unless the rest of each is at hand") {
  /// Takes every part, and has what is read at once.
  struct Behind final : TranslationLayer {
    [[nodiscard]] std::uint64_t user_sectors() const override { return 1000; }
    Task<Status> format() override { co_return Status::ok; }
    Task<Status> recover() override { co_return Status::ok; }
    Task<Status> read(LogicalRun, DataSpan) override { co_return Status::ok; }
    Task<Status> write(LogicalRun, DataSpan, WriteOptions) override { co_return Status::ok; }
    Task<Status> flush() override { co_return Status::ok; }
    Task<Status> trim(LogicalRun) override { co_return Status::ok; }
    bool takes_parts(LogicalRun, std::uint32_t, std::uint32_t) override { return true; }
    void prefill(std::uint64_t) override {}
    void report(MetricSet&) const override {}
  } behind;
  FakeMedia media(16);
  FakeMemory memory;
  FakeCpu cpu;
  FakeHost host;
  ReadCache cache({.segments = 1, .segment_sectors = 16, .read_ahead = 0}, {media, nullptr, memory, cpu, host}, behind);
  DataBuffer buffer(DramAddress(0), 4, {});
  const auto read = [](ReadCache& from, DataSpan into) -> Task<void> {
    static_cast<void>(co_await from.read({LogicalSector(4), 4}, into));
  };
  cpu.spawn(read(cache, buffer.all()));
  const auto takes = [&](std::uint64_t first, std::uint32_t count, std::uint32_t head, std::uint32_t tail) {
    return cache.takes_parts({LogicalSector(first), count}, head, tail);
  };
  CHECK_FALSE(takes(4, 1, 1, 0));  // sectors 4 to 7 are at hand
  CHECK_FALSE(takes(7, 1, 1, 0));
  CHECK_FALSE(takes(4, 4, 1, 1));
  CHECK(takes(8, 1, 1, 0));
  CHECK(takes(8, 1, 0, 1));
  CHECK(takes(7, 2, 1, 1));
  CHECK(takes(3, 2, 1, 1));
  CHECK_FALSE(takes(7, 2, 1, 0));
}
