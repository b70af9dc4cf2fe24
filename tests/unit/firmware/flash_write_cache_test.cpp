// Flash as a persistent write cache in front of a layer that uses none itself, alone and in one pool with a read cache.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "support/flash_faults.hpp"
#include "unit/firmware/flash_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::uint64_t all_blocks = 16;

FirmwareConfig cached(FlashCacheUse use, std::uint64_t blocks = all_blocks) {
  FirmwareConfig config = with_flash_cache(blocks);
  config.flash_cache.use = use;
  config.flash_cache.admit = FlashAdmission::every_read;
  config.flash_cache.evict_after = 1_s;
  return config;
}

}  // namespace

TEST_CASE("flash write cache: a write is durable in flash, without the platters, and is read from there") {
  TestDrive drive(make_cmr_factory(), {}, drive_with_flash(all_blocks), cached(FlashCacheUse::writes));
  drive->steps.clear();
  REQUIRE(drive->write(0, 4 * 8) == Status::ok);
  REQUIRE(drive->write(3 * 8, 8, true) == Status::ok);
  REQUIRE(drive->flush() == Status::ok);
  REQUIRE(drive->read(0, 4 * 8) == Status::ok);
  CHECK(drive->steps.empty());
  CHECK(drive.metric("flash.written") == 5);
  drive->cut_now();
  drive->steps.clear();
  REQUIRE(drive->read(0, 4 * 8) == Status::ok);
  CHECK(drive->steps.empty());
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("flash write cache: a long write goes to the platters, and nothing older comes back from flash") {
  FirmwareConfig config = cached(FlashCacheUse::writes);
  config.flash_cache.largest_write = 8_KiB;
  TestDrive drive(make_cmr_factory(), {}, drive_with_flash(all_blocks), config);
  REQUIRE(drive->write(0, 2 * 8) == Status::ok);
  REQUIRE(drive->write(0, 4 * 8) == Status::ok);
  CHECK(drive.metric("flash.past") == 4);
  drive->cut_now();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("flash write cache: what was written goes home when the host is idle, and blocks come free") {
  FirmwareConfig config = cached(FlashCacheUse::writes);
  config.flash_cache.free_share = 90;
  config.flash_cache.evict_after = 10_ms;
  TestDrive drive(make_cmr_factory(), {}, drive_with_flash(all_blocks), config);
  for (std::uint64_t sector = 0; sector < 40; sector += 2) REQUIRE(drive->write(sector * 8, 8) == Status::ok);
  drive->run_for(10_s);
  CHECK(drive.metric("flash.moved_on") > 0);
  CHECK(drive.sectors_written() > 0);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("flash write cache: what cannot be described is refused") {
  const DriveGeometry geometry = geometry_of(small_drive().media);
  const FlashShape flash{.blocks = 40, .pages_per_block = pages, .oob_bytes = 64};
  DriveFlashConfig config = cached(FlashCacheUse::writes, 5).flash_cache;
  CHECK(config.problem(flash, geometry) == "firmware.flash_cache.capacity is 5 flash blocks; one for writes needs at least 6");
  config = cached(FlashCacheUse::both, 9).flash_cache;
  CHECK(config.problem(flash, geometry) == "firmware.flash_cache.capacity is 9 flash blocks; one for reads and writes needs at least 10");
  config = cached(FlashCacheUse::both, 40).flash_cache;
  CHECK(config.problem(flash, geometry).empty());
  CHECK(config.problem({.blocks = 40, .pages_per_block = pages, .oob_bytes = 16}, geometry)
            .starts_with("the tag of a page of the flash cache"));
}

TEST_CASE("flash write cache: what was acknowledged is what is read, across cuts, whatever is in front and behind") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "flash write cache");
    BenchConfig bench = drive_with_flash(40);
    draw_subpages(*bench.nand, seed);
    FirmwareConfig config = cached(random.below(2) == 0 ? FlashCacheUse::writes : FlashCacheUse::both);
    config.flash_cache.capacity = bench.nand->page_size * pages * pick(random, 14, 24);
    config.flash_cache.largest_write = Bytes(4096 * pick(random, 1, 12));
    config.flash_cache.free_share = pick(random, 0, 60);
    config.flash_cache.evict_after = Picoseconds(5'000'000'000);
    config.flash_cache.dump_tags = random.below(2) == 0;
    if (random.below(2) == 0) config.write_cache.capacity = 32_KiB;
    if (random.below(2) == 0) config.read_cache = {.segments = 2, .segment_sectors = 16, .read_ahead = 8};
    TestDrive drive(random.below(2) == 0 ? make_cmr_factory() : make_imr_rmw_factory(), {}, bench, config);
    RandomTraffic traffic;
    traffic.reads = 12;
    traffic.rounds = 40;
    traffic.cuts = 4;
    if (seed % 3 == 0)
      random_history(drive, random, traffic);
    else
      random_cuts(drive, random, traffic);
  }
}

TEST_CASE("flash write cache: flash that fails loses nothing that a fault has not taken") {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "flash write cache faults");
    BenchConfig bench = drive_with_flash(60);
    draw_subpages(*bench.nand, seed);
    draw_faults(*bench.nand, random, seed, 4);
    FirmwareConfig config = cached(seed % 2 == 0 ? FlashCacheUse::writes : FlashCacheUse::both);
    config.flash_cache.capacity = bench.nand->page_size * pages * 40;
    TestDrive drive(make_cmr_factory(), {}, bench, config);
    RandomTraffic traffic;
    traffic.rounds = 30;
    traffic.cuts = 3;
    cuts_with_faults(drive, random, traffic);
  }
}
