// Large requests through a small write cache at full depth: writes wait for slots and for room in the journal while later ones pass
// them. What was acknowledged survives power cuts at any instant, those inside the recovery from the last one included.
#include <catch2/catch.hpp>

#include <utility>

#include "firmware/layers/layer_factories.hpp"
#include "firmware/logs/superblock.hpp"
#include "support/random_histories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::uint32_t depth = 32;

/// A drive whose requests are large for its cache and its journal.
struct Shape {
  std::uint32_t track_sectors;
  std::uint32_t cache_sectors;
  std::uint32_t longest;  ///< blocks of a request
};
constexpr Shape shapes[] = {
    {16, 24, 30 * blocks_per_sector},   // the journal holds no more than the cache
    {256, 256, 64 * blocks_per_sector}  // 1 MiB, requests of 4 to 256 KiB
};

TestDrive drive_of(const Shape& shape, CacheDurability durability, DestageOrder order, std::uint64_t seed) {
  BenchConfig bench = small_drive();
  bench.media.sectors_per_track = shape.track_sectors;
  bench.media.timing = MediaTimingMode::rotational;
  // A journal has the sector that the cut tears in its place; past the other caches go writes with FUA.
  bench.media.powerfail_sector = durability == CacheDurability::journal ? PowerfailSector::corrupt : PowerfailSector::atomic;
  bench.host.tags = depth;
  bench.seed = seed;
  if (durability == CacheDurability::volatile_memory) bench.promise = DurabilityPromise::flushed;
  FirmwareConfig config;
  config.write_cache.capacity = Bytes(std::uint64_t{shape.cache_sectors} * 4096);
  config.write_cache.durability = durability;
  config.write_cache.order = order;
  // Destages of a few sectors leave the rest of a record in the journal.
  if (seed % 2 == 0) config.write_cache.largest_destage = Bytes(3 * 4096);
  return {make_cmr_factory(), {{"journal_tracks", 2}}, bench, config};
}

/// A request that hurts: mostly a long write, whole sectors or not, within `span` blocks, so that all overlap.
void submit_painful(FirmwareBench& bench, RandomStream& random, const Shape& shape, std::uint64_t span) {
  const std::uint64_t kind = random.below(20);
  const std::uint64_t grain = random.below(4) == 0 ? 1 : blocks_per_sector;
  const auto count = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, random.below(shape.longest) / grain) * grain);
  const std::uint64_t first = random.below((span - count) / grain + 1) * grain;
  if (kind == 0)
    bench.submit(HostOp::flush, 0, 0);
  else if (kind == 5)
    bench.submit(HostOp::trim, 0, static_cast<std::uint32_t>(span));
  else
    bench.submit(kind == 1 ? HostOp::trim : kind < 4 ? HostOp::read : HostOp::write, first, count, kind == 4);
}

/// Traffic and power cuts, one in three followed by another inside its recovery.
void hurt(TestDrive& drive, const Shape& shape, std::uint64_t seed, std::uint32_t cuts) {
  RandomStream random(seed, "write cache losses");
  const std::uint64_t whole = drive.user_sectors() * blocks_per_sector;
  for (std::uint32_t cut = 0; cut < cuts; ++cut) {
    const std::uint64_t span = std::min<std::uint64_t>(whole, std::uint64_t{shape.longest} * (random.below(2) == 0 ? 2 : 12));
    for (std::uint64_t requests = pick(random, 1, 2 * depth); requests > 0; --requests) submit_painful(drive.bench(), random, shape, span);
    if (random.below(4) == 0)
      drive->run_until_all_done();
    else
      drive->cut_after_actions(random.below(1500));
    if (random.below(3) == 0) drive->cut_twice(random.below(100));
    REQUIRE(drive->boot_status() == Status::ok);
    INFO("seed " << seed << ", cut " << cut);
    REQUIRE(drive.wrong_blocks() == 0);
  }
}

constexpr DestageOrder all_orders[] = {DestageOrder::elevator, DestageOrder::first_come, DestageOrder::positioning};

}  // namespace

TEST_CASE("write cache: it drains as long as writes wait for slots, whatever its marks") {
  constexpr std::pair<std::uint32_t, std::uint32_t> all_marks[] = {{100, 99}, {100, 50}, {75, 50}, {1, 0}};
  for (const auto& [high, low] : all_marks)
    for (const std::uint32_t slots : {2U, 4U, 16U}) {
      INFO("marks " << high << " and " << low << ", " << slots << " slots");
      BenchConfig bench = small_drive();
      bench.host.tags = depth;
      FirmwareConfig config;
      config.write_cache.capacity = Bytes(slots * 4096);
      config.write_cache.high_mark = high;
      config.write_cache.low_mark = low;
      TestDrive drive(make_cmr_factory(), {}, bench, config);
      for (std::uint64_t sector = 0; sector < depth; ++sector)
        drive->submit(HostOp::write, 10 * sector * blocks_per_sector, blocks_per_sector);
      drive->run_until_all_done();
      drive.check_content();
    }
}

TEST_CASE("write cache: a FLUSH waits for the first of two writes that found their sector on its way to the platters") {
  BenchConfig bench = small_drive();
  bench.promise = DurabilityPromise::flushed;
  FirmwareConfig config;
  config.write_cache.capacity = Bytes(16 * 4096);
  config.write_cache.durability = CacheDurability::volatile_memory;
  TestDrive drive(make_cmr_factory(), {}, bench, config);
  const auto write = [&drive] { REQUIRE(drive->write(40 * blocks_per_sector, blocks_per_sector) == Status::ok); };
  write();
  drive->submit(HostOp::flush, 0, 0);
  while (!drive->media().busy()) drive->run_for(10_us);
  write();
  HostRequest& flush = drive->submit(HostOp::flush, 0, 0);
  drive->run_for(10_us);
  write();
  REQUIRE(drive->run_until_done(flush) == Status::ok);
  drive->cut_now();
  drive.check_content();
}

TEST_CASE("write cache: large writes at full depth through a small cache and a small journal survive cuts, also inside recovery") {
  for (const Shape& shape : shapes)
    for (const CacheDurability durability : {CacheDurability::plp, CacheDurability::journal, CacheDurability::volatile_memory})
      for (const DestageOrder order : all_orders)
        for (std::uint64_t seed = 1; seed <= 16; ++seed) {
          TestDrive drive = drive_of(shape, durability, order, seed);
          hurt(drive, shape, seed, 10);
        }
}

TEST_CASE("write cache: a sector of the journal that cannot be read hides no record behind it") {
  BenchConfig bench = small_drive();
  {
    const TestDrive planned(make_cmr_factory(), {{"journal_tracks", 2}}, bench);
    const auto journal = std::ranges::find(planned.plan(), "journal", &Region::name);
    bench.media.unreadable_sectors = {{0, static_cast<double>(journal->first), 2}};  // the first behind the superblocks
  }
  FirmwareConfig config;
  config.write_cache.capacity = Bytes(48 * 4096);
  config.write_cache.durability = CacheDurability::journal;
  TestDrive drive(make_cmr_factory(), {{"journal_tracks", 2}}, bench, config);
  REQUIRE(drive->write(0, blocks_per_sector) == Status::ok);
  drive->run_until_idle(10_s);
  REQUIRE(drive->write(40 * blocks_per_sector, blocks_per_sector) == Status::ok);
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("write cache: a cut that tears a superblock of the journal leaves the one before in force") {
  const Shape shape{16, 24, 0};
  const auto submit_all = [&](TestDrive& drive) {
    for (std::uint64_t i = 0; i < depth; ++i) drive->submit(HostOp::write, i * 5 % 60 * blocks_per_sector, 4 * blocks_per_sector);
  };
  const auto made = [&] { return drive_of(shape, CacheDurability::journal, DestageOrder::first_come, 1); };
  std::vector<Picoseconds> ends;  // of superblocks
  {
    TestDrive drive = made();
    drive->steps.clear();
    submit_all(drive);
    drive->run_until_all_done();
    const std::uint64_t journal = std::ranges::find(drive.plan(), "journal", &Region::name)->first;
    for (const FirmwareBench::StepRecord& step : drive->steps)
      if (step.op == MediaOp::write && step.run.track.radius == journal && step.run.first < 2) ends.push_back(step.timing.end);
  }
  REQUIRE(ends.size() > 2);
  for (const Picoseconds end : ends) {
    TestDrive drive = made();
    submit_all(drive);
    drive->cut_at(end - Picoseconds(1));
    REQUIRE(drive->boot_status() == Status::ok);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("write cache: whoever waits for room in the journal, its superblock in force is never written over") {
  const Shape shape{16, 24, 0};
  TestDrive drive = drive_of(shape, CacheDurability::journal, DestageOrder::first_come, 1);
  const std::uint64_t journal = std::ranges::find(drive.plan(), "journal", &Region::name)->first;
  drive->steps.clear();
  for (std::uint64_t i = 0; i < 4 * depth; ++i) drive->submit(HostOp::write, i * 5 % 60 * blocks_per_sector, 4 * blocks_per_sector);
  drive->run_until_all_done();
  std::vector<std::uint32_t> places;  // of first copies, by turns the first and the third sector of the region
  for (const FirmwareBench::StepRecord& step : drive->steps)
    if (step.op == MediaOp::write && step.run.track.radius == journal && step.run.first % 2 == 0 && step.run.first < Superblock::sectors)
      places.push_back(step.run.first);
  REQUIRE(places.size() > 10);
  CHECK(std::ranges::adjacent_find(places) == places.end());
}
