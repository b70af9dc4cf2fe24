// The write cache of durability plp after dumps that fail.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "unit/dumps/torn_dumps.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint32_t slots = 16;
constexpr std::uint64_t pieces = 1 + slots;  ///< of the directory and of the slots

FirmwareConfig cached() {
  FirmwareConfig config;
  config.write_cache.capacity = Bytes(slots * 4096);
  config.write_cache.high_mark = 100;
  return config;
}

TestDrive cached_cmr() { return {make_cmr_factory(), {}, small_drive(), cached()}; }

/// Sectors 0 to 15 twice: at home by a FLUSH, and newer ones in the slots of these numbers.
void fill_cache(TestDrive& drive) {
  drive->fail_dumps([](std::uint64_t all) { return all; });
  REQUIRE(drive->write(0, slots * blocks_per_sector) == Status::ok);
  REQUIRE(drive->flush() == Status::ok);
  for (std::uint64_t sector = 0; sector < slots; ++sector)
    REQUIRE(drive->write(sector * blocks_per_sector, blocks_per_sector) == Status::ok);
}

void cut_saving(TestDrive& drive, std::uint64_t saved) {
  drive->fail_dumps([saved](std::uint64_t all) {
    CHECK(all == pieces);
    return saved;
  });
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
}

std::uint64_t unreadable_sectors(TestDrive& drive) {
  std::uint64_t count = 0;
  for (std::uint64_t sector = 0; sector < slots; ++sector)
    if (drive->read(sector * blocks_per_sector, blocks_per_sector) != Status::ok) ++count;
  return count;
}

}  // namespace

TEST_CASE("write cache: sectors that a dump did not reach answer with an error until they are written again") {
  for (std::uint64_t saved = 1; saved <= pieces; ++saved) {
    INFO(saved << " pieces saved");
    TestDrive drive = cached_cmr();
    fill_cache(drive);
    cut_saving(drive, saved);
    CHECK(unreadable_sectors(drive) == pieces - saved);
    CHECK(drive.wrong_blocks() == 0);
    CHECK(drive->scoreboard().lost_in_dumps() == (pieces - saved) * blocks_per_sector);
    CHECK(drive.metric("cache.lost_at_boot") == static_cast<double>(pieces - saved));
    CHECK(drive.metric("recovery.dumps_torn") == (saved < pieces ? 1 : 0));
    REQUIRE(drive->flush() == Status::ok);  // lost sectors go home as lost
    CHECK(unreadable_sectors(drive) == pieces - saved);
    REQUIRE(drive->write(0, slots * blocks_per_sector) == Status::ok);
    CHECK(unreadable_sectors(drive) == 0);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("write cache: without its directory the cache is empty, and what was flushed is there") {
  TestDrive drive = cached_cmr();
  fill_cache(drive);
  cut_saving(drive, 0);
  CHECK(unreadable_sectors(drive) == 0);
  CHECK(drive.wrong_blocks() == 0);
  CHECK(drive->scoreboard().lost_in_dumps() == slots * blocks_per_sector);
  CHECK(drive.metric("cache.lost_at_boot") == 0);
  fill_cache(drive);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("write cache: a directory of which a part is missing is not used in part") {
  FirmwareConfig config = cached();
  config.write_cache.capacity = Bytes(200 * 4096);  // 40 B a slot: two pieces
  TestDrive drive(make_cmr_factory(), {}, small_drive(), config);
  drive->fail_dumps([](std::uint64_t) { return std::uint64_t{1}; });
  for (std::uint64_t sector = 0; sector < 150; ++sector) REQUIRE(drive->write(sector * blocks_per_sector, blocks_per_sector) == Status::ok);
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  CHECK(drive.metric("cache.lost_at_boot") == 0);
  CHECK(unreadable_sectors(drive) == 0);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("write cache: what a failed dump lost stays lost, and what it saved is not lost by a cut of the recovery or a restart") {
  for (const bool restarts : {false, true}) {
    for (std::uint64_t actions = 0; actions < 30; ++actions) {
      TestDrive drive = cached_cmr();
      fill_cache(drive);
      std::uint64_t cuts = 0;
      drive->fail_dumps([&cuts](std::uint64_t all) { return cuts++ == 0 ? 5 : all; });
      drive->cut_twice(actions);
      if (restarts) drive->restart_now();
      REQUIRE(drive->boot_status() == Status::ok);
      CHECK(unreadable_sectors(drive) == pieces - 5);
      CHECK(drive.wrong_blocks() == 0);
    }
  }
}

TEST_CASE("write cache: dumps that fail at random in random histories lose nothing that was flushed and give nothing else") {
  for (std::uint64_t run = 0; run < 150; ++run) {
    INFO("run " << run);
    RandomStream random(run, "torn dumps of a write cache");
    BenchConfig bench = small_drive();
    bench.media.powerfail_sector = random.below(2) == 0 ? PowerfailSector::atomic : PowerfailSector::corrupt;
    TestDrive drive(make_imr_rmw_factory(), {}, bench, cached());
    history_with_torn_dumps(drive, random);
    write_everything_again(drive);
  }
}
