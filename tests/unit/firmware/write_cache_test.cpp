// The write cache in front of the conventional layer .
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

FirmwareConfig cache(std::uint64_t sectors, CacheDurability durability, DestageOrder order = DestageOrder::elevator) {
  FirmwareConfig config;
  config.write_cache.capacity = Bytes(sectors * 4096);
  config.write_cache.durability = durability;
  config.write_cache.order = order;
  return config;
}

BenchConfig promising(CacheDurability durability) {
  BenchConfig config = small_drive();
  if (durability == CacheDurability::volatile_memory) config.promise = DurabilityPromise::flushed;
  return config;
}

constexpr double journal_tracks = 4;

TestDrive cached_cmr(const FirmwareConfig& config) {
  return {make_cmr_factory(), {{"journal_tracks", journal_tracks}}, promising(config.write_cache.durability), config};
}

Status write_sector(TestDrive& drive, std::uint64_t sector, std::uint32_t count = 1) {
  return drive->write(sector * blocks_per_sector, count * 8);
}

struct Random {
  std::uint64_t state = 7;
  std::uint64_t below(std::uint64_t bound) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return (state >> 33) % bound;
  }
};

constexpr CacheDurability all_durabilities[] = {CacheDurability::plp, CacheDurability::journal, CacheDurability::volatile_memory};

}  // namespace

TEST_CASE("write cache: a write that fits is acknowledged without the media, and read back from the cache") {
  TestDrive drive = cached_cmr(cache(64, CacheDurability::plp));
  drive->steps.clear();
  REQUIRE(write_sector(drive, 5, 3) == Status::ok);
  REQUIRE(drive->read(5 * blocks_per_sector, 3 * 8) == Status::ok);
  CHECK(drive->steps.empty());
  CHECK(drive.metric("cache.hit.read") == 3);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("write cache: a destage takes a sector at least, however little it is told to take") {
  FirmwareConfig config = cache(64, CacheDurability::plp);
  config.write_cache.largest_destage = Bytes(512);
  TestDrive drive = cached_cmr(config);
  drive->steps.clear();
  REQUIRE(write_sector(drive, 5, 3) == Status::ok);
  REQUIRE(drive->flush() == Status::ok);
  CHECK(drive->steps.size() == 3);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("write cache: an overwrite of a dirty sector is absorbed, idle, everything goes home once") {
  TestDrive drive = cached_cmr(cache(64, CacheDurability::plp));
  REQUIRE(write_sector(drive, 5) == Status::ok);
  REQUIRE(write_sector(drive, 5) == Status::ok);
  CHECK(drive.metric("cache.absorbed") == 1);
  CHECK_FALSE(drive.firmware().idle());
  drive->run_until_idle(10_s);
  CHECK(drive.firmware().idle());
  CHECK(drive.sectors_written() == 1);
  REQUIRE(write_sector(drive, 5) == Status::ok);
  CHECK(drive.metric("cache.absorbed") == 1);
  CHECK(drive.metric("cache.dirty.peak") == 4096);
}

TEST_CASE("write cache: neighbouring dirty sectors go in one write, in order of address") {
  TestDrive drive = cached_cmr(cache(64, CacheDurability::plp));
  for (const std::uint64_t sector : {40U, 20U, 3U, 21U, 2U, 22U}) REQUIRE(write_sector(drive, sector) == Status::ok);
  drive->steps.clear();
  drive->run_until_idle(10_s);
  REQUIRE(drive->steps.size() == 3);
  CHECK(drive->steps[0].run == PhysicalRun{{0, 0}, 2, 2});
  CHECK(drive->steps[1].run == PhysicalRun{{0, 1}, 4, 3});
  CHECK(drive->steps[2].run == PhysicalRun{{0, 2}, 8, 1});
}

TEST_CASE("write cache: of sectors that came together a destage looks none up by hash, only their neighbours") {
  TestDrive drive = cached_cmr(cache(64, CacheDurability::plp));
  REQUIRE(write_sector(drive, 7, 16) == Status::ok);
  const double before = drive->metric("cpu.by_operation.hash.count");
  REQUIRE(drive->flush() == Status::ok);
  CHECK(drive.metric("cache.destaged") == 16);
  CHECK(drive->metric("cpu.by_operation.hash.count") - before == 2);
}

TEST_CASE("write cache: a slot that was given back is not taken for that of the sector it had") {
  TestDrive drive = cached_cmr(cache(64, CacheDurability::plp));
  REQUIRE(write_sector(drive, 5, 2) == Status::ok);
  REQUIRE(drive->write(6 * blocks_per_sector, 8, true) == Status::ok);  // past the cache
  REQUIRE(drive->read(5 * blocks_per_sector, 2 * 8) == Status::ok);
  CHECK(drive.metric("cache.hit.read") == 1);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("write cache: a slot that was clean when the power failed is not taken for that of the sector it had") {
  TestDrive drive = cached_cmr(cache(64, CacheDurability::plp));
  REQUIRE(write_sector(drive, 5, 2) == Status::ok);
  REQUIRE(drive->flush() == Status::ok);
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  REQUIRE(write_sector(drive, 5) == Status::ok);
  REQUIRE(drive->write(6 * blocks_per_sector, 8, true) == Status::ok);
  REQUIRE(drive->read(5 * blocks_per_sector, 2 * 8) == Status::ok);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("write cache: no destage is longer than largest_destage") {
  FirmwareConfig config = cache(64, CacheDurability::plp);
  config.write_cache.largest_destage = Bytes(2 * 4096);
  TestDrive drive = cached_cmr(config);
  REQUIRE(write_sector(drive, 1, 6) == Status::ok);
  drive->steps.clear();
  drive->run_until_idle(10_s);
  REQUIRE(drive->steps.size() == 3);
  for (const FirmwareBench::StepRecord& step : drive->steps) CHECK(step.run.count == 2);
}

TEST_CASE("write cache: a write longer than its journal goes there in parts, although the cache would take it whole") {
  TestDrive drive = cached_cmr(cache(400, CacheDurability::journal));  // a journal of 62 sectors
  REQUIRE(write_sector(drive, 5, 90) == Status::ok);
  drive->cut_now();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("write cache: destaging begins above the high mark and ends at the low mark") {
  FirmwareConfig config = cache(200, CacheDurability::plp);
  config.write_cache.idle_after = 1000_s;
  TestDrive drive = cached_cmr(config);
  for (std::uint64_t sector = 0; sector < 300; sector += 2) REQUIRE(write_sector(drive, sector) == Status::ok);
  drive->run_for(10_s);
  CHECK(drive.metric("cache.destaged") == 0);  // 150 of 200 dirty: not above
  REQUIRE(write_sector(drive, 300) == Status::ok);
  drive->run_for(10_s);
  CHECK(drive.metric("cache.destaged") == 51);  // 151 down to 100
}

TEST_CASE("write cache: of many workers one at a time looks for something to destage") {
  FirmwareConfig config = cache(64, CacheDurability::plp, DestageOrder::positioning);
  config.write_cache.destage_depth = 32;
  config.write_cache.trickle_mark = 0;
  config.write_cache.idle_after = 1000_s;
  TestDrive drive = cached_cmr(config);
  const double before = drive->metric("cpu.by_operation.task_switch.count");
  for (std::uint64_t sector = 0; sector < 120; sector += 2) REQUIRE(write_sector(drive, sector) == Status::ok);
  drive->run_for(10_s);
  CHECK(drive.metric("cache.destaged") == 60);
  CHECK(drive->metric("cpu.by_operation.task_switch.count") - before < 60 * 6);  // not each worker for each write
}

TEST_CASE("write cache: a host that is busy for long is not looked at all the time") {
  FirmwareConfig config = cache(64, CacheDurability::plp);
  config.write_cache.idle_after = Picoseconds(1'000'000);
  TestDrive drive = cached_cmr(config);
  constexpr std::uint64_t reads = 20;
  for (std::uint64_t i = 0; i < reads; ++i) drive->submit(HostOp::read, (1 + i * 7 % reads) * 64 * blocks_per_sector, blocks_per_sector);
  const double before = drive->metric("cpu.by_operation.interrupt.count");
  REQUIRE(write_sector(drive, 5) == Status::ok);
  drive->run_for(10_s);
  CHECK(drive.metric("cache.destaged") == 1);
  CHECK(drive->metric("cpu.by_operation.interrupt.count") - before < reads * 15);  // of 60 and more
}

TEST_CASE("write cache: FLUSH returns when all that was acknowledged is on the platters") {
  for (const DestageOrder order : {DestageOrder::elevator, DestageOrder::first_come, DestageOrder::positioning}) {
    TestDrive drive = cached_cmr(cache(64, CacheDurability::volatile_memory, order));
    for (const std::uint64_t sector : {40U, 20U, 3U, 21U, 60U}) REQUIRE(write_sector(drive, sector) == Status::ok);
    REQUIRE(drive->flush() == Status::ok);
    drive->cut_at(drive->now() + Picoseconds(1));
    CHECK(drive.wrong_blocks() == 0);
    CHECK(drive.firmware().idle());
  }
}

TEST_CASE("write cache: FLUSH waits for what was written before it, and for nothing that comes after") {
  TestDrive drive = cached_cmr(cache(64, CacheDurability::volatile_memory, DestageOrder::first_come));
  for (const std::uint64_t sector : {40U, 20U, 3U}) REQUIRE(write_sector(drive, sector) == Status::ok);
  HostRequest& flush = drive->submit(HostOp::flush, 0, 0);
  for (std::uint64_t i = 0; i < 20; ++i) drive->submit(HostOp::write, (100 + 2 * i) * blocks_per_sector, blocks_per_sector);
  REQUIRE(drive->run_until_done(flush) == Status::ok);
  CHECK(drive.metric("cache.destaged") == 3);
}

TEST_CASE("write cache: FUA is on the platters at completion and is not undone by what the cache held") {
  for (const CacheDurability durability : all_durabilities) {
    TestDrive drive = cached_cmr(cache(64, durability));
    REQUIRE(write_sector(drive, 20, 4) == Status::ok);
    drive->steps.clear();
    REQUIRE(drive->write(21 * blocks_per_sector, 8, true) == Status::ok);
    CHECK(drive.sectors_written() >= 1);
    drive->run_until_idle(10_s);
    REQUIRE(drive->write(22 * blocks_per_sector, 8, true) == Status::ok);
    drive->cut_at(drive->now() + Picoseconds(1));
    drive->run_until_idle(10_s);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("write cache: random traffic through a small cache reads back right, whatever order and durability") {
  for (const CacheDurability durability : all_durabilities) {
    for (const DestageOrder order : {DestageOrder::elevator, DestageOrder::first_come, DestageOrder::positioning}) {
      TestDrive drive = cached_cmr(cache(24, durability, order));
      Random random;
      for (int round = 0; round < 60; ++round) {
        for (int i = 0; i < 8; ++i) {
          const std::uint64_t kind = random.below(10);
          const std::uint64_t first = random.below(100 * 8);
          const auto count = static_cast<std::uint32_t>(random.below(30 * 8) + 1);
          if (kind == 0)
            drive->submit(HostOp::flush, 0, 0);
          else if (kind == 1)
            drive->submit(HostOp::trim, first, count);
          else
            drive->submit(kind < 7 ? HostOp::write : HostOp::read, first, count, kind == 2);
        }
        drive->run_until_all_done();
        if (round % 20 == 19) drive->run_until_idle(100_s);
      }
      CHECK(drive.wrong_blocks() == 0);
    }
  }
}

TEST_CASE("write cache: what was acknowledged survives a cut at any instant, under plp and journal") {
  for (const CacheDurability durability : {CacheDurability::plp, CacheDurability::journal}) {
    for (std::uint64_t actions = 0;; ++actions) {
      TestDrive drive = cached_cmr(cache(16, durability));
      REQUIRE(write_sector(drive, 3, 4) == Status::ok);
      REQUIRE(write_sector(drive, 4, 2) == Status::ok);
      drive->submit(HostOp::write, 5 * blocks_per_sector + 3, 40);
      drive->submit(HostOp::write, 40 * blocks_per_sector, 12 * 8);
      const bool cut = drive->cut_after_actions(actions);
      CHECK(drive.wrong_blocks() == 0);
      if (!cut) break;
      drive->run_until_idle(10_s);
      CHECK(drive.wrong_blocks() == 0);
    }
  }
}

TEST_CASE("write cache: cuts at random instants of long traffic, again and again, keep the promise of each durability") {
  for (const CacheDurability durability : all_durabilities) {
    for (const PowerfailSector sector : {PowerfailSector::atomic_old, PowerfailSector::atomic_new}) {
      BenchConfig bench = promising(durability);
      bench.media.timing = MediaTimingMode::rotational;
      bench.media.powerfail_sector = sector;
      TestDrive drive(make_imr_rmw_factory(), {{"journal_tracks", journal_tracks}}, bench, cache(24, durability));
      Random random;
      for (int round = 0; round < 40; ++round) {
        for (int i = 0; i < 10; ++i) {
          const std::uint64_t kind = random.below(12);
          if (kind == 0)
            drive->submit(HostOp::flush, 0, 0);
          else
            drive->submit(HostOp::write, random.below(96 * 8), static_cast<std::uint32_t>(random.below(6 * 8) + 1), kind == 1);
        }
        drive->cut_at(drive->now() + Picoseconds(random.below(400) * 1'000'000'000 + random.below(1'000'000'000)));
        REQUIRE(drive->boot_status() == Status::ok);
        CHECK(drive.wrong_blocks() == 0);
      }
    }
  }
}

TEST_CASE("write cache: a journal region that is full makes room by destaging its oldest records") {
  FirmwareConfig config = cache(48, CacheDurability::journal);
  TestDrive drive = cached_cmr(config);
  for (int i = 0; i < 200; ++i) REQUIRE(write_sector(drive, static_cast<std::uint64_t>(i) * 7 % 60, 2) == Status::ok);
  drive->cut_at(drive->now() + Picoseconds(1));
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("write cache: a description that cannot run is refused with a sentence") {
  FirmwareConfig config = cache(64, CacheDurability::journal);
  CHECK(config.problem({{.name = "data"}}, 4096).find("journal_tracks") != std::string::npos);
  CHECK(config.problem({{.name = "journal"}}, 4096).empty());
  config.write_cache.low_mark = 75;
  CHECK(config.problem({{.name = "journal"}}, 4096).find("low_mark") != std::string::npos);
  CHECK_FALSE(cache(1, CacheDurability::plp).problem({}, 4096).empty());
  CHECK(cache(2, CacheDurability::plp).problem({}, 4096).empty());
  CHECK(cache(0, CacheDurability::journal).problem({}, 4096).empty());
}

TEST_CASE("write cache: boot reads the journal track by track, and writes nothing home") {
  FirmwareConfig config;
  config.write_cache.capacity = Bytes(64 * 4096);
  config.write_cache.durability = CacheDurability::journal;
  TestDrive drive(make_cmr_factory(), {{"journal_tracks", 4}}, small_drive(), config);
  RandomStream random(1, "journal at boot");
  for (int i = 0; i < 30; ++i) REQUIRE(drive->write(random.below(200) * blocks_per_sector, blocks_per_sector) == Status::ok);
  drive->steps.clear();
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  // Superblocks of defect management and of the journal, the headers of four tracks, and 30 records with their copies on four.
  CHECK(drive->steps.size() == 4 + 4 + 4 + 4);
  CHECK(drive.sectors_written() == 0);
  CHECK(drive.wrong_blocks() == 0);
  drive->run_until_idle(10_s);
  CHECK(drive.sectors_written() > 0);  // the idle drive puts them home
  drive->cut_now();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("write cache: writes one after another lose no turn, whatever the skew") {
  for (std::uint32_t skew = 41; skew <= 59; skew += 2) {  // the shortest seek takes 40 sectors
    BenchConfig config;
    config.media.speed = Rpm(7200);
    config.media.tracks = 512;
    config.media.sectors_per_track = 119;  // runs of eight sectors end anywhere, also with the track
    config.media.cylinder_skew = skew;
    config.controller.scheduling = SchedulingPolicy::shortest_positioning;
    config.content = ContentMode::none;
    FirmwareConfig firmware;
    firmware.write_cache.capacity = 3_MiB;
    firmware.write_cache.order = DestageOrder::positioning;
    firmware.write_cache.destage_depth = 32;
    firmware.write_cache.largest_destage = 32_KiB;
    TestDrive drive(make_cmr_factory(), {}, config, firmware);
    constexpr std::uint64_t tracks = 200;
    constexpr std::uint32_t sectors = 64;
    for (std::uint64_t sector = 0; sector < tracks * 119; sector += sectors) REQUIRE(drive->write(sector * 8, sectors * 8) == Status::ok);
    drive->run_until_idle(10_s);
    const Picoseconds turn = drive->media().positioning().revolution();
    const Picoseconds in_order = (turn + turn * skew / std::uint64_t{119}) * tracks;
    INFO("skew " << skew << ": " << drive->media_time().value() << " ps for " << in_order.value());
    CHECK(drive->media_time() <= in_order + turn);
  }
}
