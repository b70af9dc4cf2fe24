// Flash as a read cache in front of a layer.
#include <catch2/catch.hpp>

#include "firmware/caches/flash_share.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "support/flash_faults.hpp"
#include "unit/firmware/flash_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::uint32_t cached_blocks = 8;

FirmwareConfig cached(FlashAdmission admit, std::uint32_t parallel = 1) {
  FirmwareConfig config = with_flash_cache(cached_blocks);
  config.flash_cache.admit = admit;
  config.flash_cache.history = 1000;
  config.flash_cache.parallel = parallel;
  return config;
}

Status read_sector(TestDrive& drive, std::uint64_t sector, std::uint32_t count = 1) {
  const Status status = drive->read(sector * blocks_per_sector, count * 8);
  drive->run_until_idle(1_s);
  return status;
}

Status write_sector(TestDrive& drive, std::uint64_t sector, std::uint32_t count = 1) {
  return drive->write(sector * blocks_per_sector, count * 8);
}

/// Whether a read of the sector, which must succeed, comes without the platters.
bool comes_from_flash(TestDrive& drive, std::uint64_t sector, std::uint32_t count = 1) {
  drive->steps.clear();
  REQUIRE(read_sector(drive, sector, count) == Status::ok);
  return drive->steps.empty();
}

}  // namespace

TEST_CASE("flash read cache: the second read from the platters brings a sector to flash, the third comes from there") {
  TestDrive drive(make_cmr_factory(), {}, drive_with_flash(cached_blocks), cached(FlashAdmission::second_read));
  REQUIRE(write_sector(drive, 5, 2) == Status::ok);
  CHECK_FALSE(comes_from_flash(drive, 5, 2));
  CHECK(drive.metric("flash_cache.admitted") == 0);
  CHECK_FALSE(comes_from_flash(drive, 5, 2));
  CHECK(drive.metric("flash_cache.programmed") == 2);
  CHECK(comes_from_flash(drive, 5, 2));
  CHECK(drive.metric("flash_cache.hits") == 2);
  CHECK(drive.metric("flash_cache.misses") == 4);
  CHECK_FALSE(comes_from_flash(drive, 5, 3));  // the platters pass over the other two
  CHECK(drive.metric("flash_cache.hits") == 2);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("flash read cache: every read brings its sectors to flash where the description says so, but for long ones") {
  FirmwareConfig config = cached(FlashAdmission::every_read);
  config.flash_cache.largest_read = 8_KiB;
  TestDrive drive(make_cmr_factory(), {}, drive_with_flash(cached_blocks), config);
  CHECK_FALSE(comes_from_flash(drive, 0, 3));
  CHECK_FALSE(comes_from_flash(drive, 0, 3));
  CHECK_FALSE(comes_from_flash(drive, 0, 2));
  CHECK(comes_from_flash(drive, 0, 2));
}

TEST_CASE("flash read cache: a write or TRIM takes its sectors out before it begins") {
  TestDrive drive(make_cmr_factory(), {}, drive_with_flash(cached_blocks), cached(FlashAdmission::every_read));
  REQUIRE(write_sector(drive, 0, 4) == Status::ok);
  REQUIRE(read_sector(drive, 0, 4) == Status::ok);
  REQUIRE(drive->write(1 * 8 + 3, 1) == Status::ok);  // a part of sector 1
  CHECK_FALSE(comes_from_flash(drive, 1));
  REQUIRE(drive->trim(2 * 8, 8) == Status::ok);
  CHECK(drive.metric("flash_cache.invalidated") == 2);
  CHECK_FALSE(comes_from_flash(drive, 2));
  CHECK(comes_from_flash(drive, 0));
  CHECK(comes_from_flash(drive, 3));
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("flash read cache: it begins empty after a power cut, and gives nothing back that was written since") {
  TestDrive drive(make_cmr_factory(), {}, drive_with_flash(cached_blocks), cached(FlashAdmission::every_read));
  REQUIRE(write_sector(drive, 0, 4) == Status::ok);
  REQUIRE(read_sector(drive, 0, 4) == Status::ok);
  REQUIRE(comes_from_flash(drive, 0, 4));
  drive->cut_now();
  CHECK_FALSE(comes_from_flash(drive, 0, 4));
  CHECK(comes_from_flash(drive, 0, 4));  // taken in again, on blocks that were erased
  REQUIRE(write_sector(drive, 0, 4) == Status::ok);
  drive->cut_now();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("flash read cache: pages hold as many sectors as they have room for, and what is left of a page is read from the buffer") {
  BenchConfig bench = drive_with_flash(cached_blocks);
  bench.nand->subpages = 4;
  bench.nand->page_size = Bytes(4 * 4096);
  bench.nand->oob_size = Bytes(4 * 64);
  FirmwareConfig config = cached(FlashAdmission::every_read);
  config.flash_cache.capacity = config.flash_cache.capacity * 4;
  TestDrive drive(make_cmr_factory(), {}, bench, config);
  REQUIRE(read_sector(drive, 0, 6) == Status::ok);
  CHECK(drive.metric("flash_cache.programmed") == 4);
  CHECK(drive.metric("nand.programs") == 1);
  CHECK(comes_from_flash(drive, 0, 6));
  REQUIRE(write_sector(drive, 4) == Status::ok);
  REQUIRE(read_sector(drive, 8, 3) == Status::ok);  // with sector 5 a page
  CHECK(drive.metric("flash_cache.programmed") == 8);
  CHECK(comes_from_flash(drive, 5));
  CHECK(comes_from_flash(drive, 8, 3));
  CHECK_FALSE(comes_from_flash(drive, 4));
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("flash read cache: blocks leave in the order in which they were filled, but for those that were read again") {
  TestDrive drive(make_cmr_factory(), {}, drive_with_flash(cached_blocks), cached(FlashAdmission::every_read));
  for (std::uint64_t block = 0; block < cached_blocks; ++block) REQUIRE(read_sector(drive, block * pages, pages) == Status::ok);
  CHECK(drive.metric("flash_cache.evicted") == 0);
  REQUIRE(comes_from_flash(drive, 0, pages));  // the first block: as often as it has sectors
  REQUIRE(read_sector(drive, 100, pages) == Status::ok);
  CHECK(drive.metric("flash_cache.evicted") == pages);
  CHECK(drive.metric("flash_cache.second_chances") == 1);
  CHECK(comes_from_flash(drive, 0, pages));
  CHECK_FALSE(comes_from_flash(drive, pages, pages));  // the second
}

TEST_CASE("flash read cache: what cannot be read from flash comes from the platters and leaves the cache") {
  BenchConfig bench = drive_with_flash(cached_blocks);
  bench.nand->read_failures = {{1, 1}, {1, 2}};  // the page that is programmed second, and the read that is tried again
  TestDrive drive(make_cmr_factory(), {}, bench, cached(FlashAdmission::every_read));
  REQUIRE(write_sector(drive, 0, 3) == Status::ok);
  REQUIRE(read_sector(drive, 0, 3) == Status::ok);
  CHECK_FALSE(comes_from_flash(drive, 0, 3));
  CHECK(drive.metric("flash_cache.unreadable") == 1);
  CHECK(comes_from_flash(drive, 0, 3));  // it was taken in anew
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("flash read cache: a block that fails is not used again, and a cache without blocks lets everything pass") {
  BenchConfig bench = drive_with_flash(cached_blocks);
  bench.nand->program_failures = {{0, 2}};
  bench.nand->erase_failures = {{1, 1}};
  bench.nand->bad_blocks = {{2}};
  TestDrive drive(make_cmr_factory(), {}, bench, cached(FlashAdmission::every_read));
  CHECK(drive.metric("nand.erases") == 0);
  drive->cut_now();  // blocks may hold pages now: they are erased
  REQUIRE(read_sector(drive, 0, 6) == Status::ok);
  CHECK(drive.metric("flash_cache.retired_blocks") == 3);
  CHECK(drive.metric("flash_cache.failed_programs") == 1);
  CHECK_FALSE(comes_from_flash(drive, 0, 2));  // left with their block
  CHECK(comes_from_flash(drive, 2, 4));

  bench.nand->program_failures.clear();
  bench.nand->erase_failures.clear();
  bench.nand->bad_blocks = {{0}, {1}, {2}, {3}, {4}, {5}, {6}, {7}};
  TestDrive without(make_cmr_factory(), {}, bench, cached(FlashAdmission::every_read));
  CHECK_FALSE(comes_from_flash(without, 0));
  CHECK_FALSE(comes_from_flash(without, 0));
}

TEST_CASE("flash read cache: what finds the staging buffer full is not taken in, and nobody waits for flash") {
  BenchConfig bench = drive_with_flash(64);
  bench.nand->program_time = 1_s;
  FirmwareConfig config = cached(FlashAdmission::every_read);
  config.flash_cache.capacity = Bytes(std::uint64_t{64} * pages * 4096);
  TestDrive drive(make_cmr_factory(), {}, bench, config);
  for (std::uint64_t sector = 0; sector < 48; sector += 16) REQUIRE(drive->read(sector * 8, 16 * 8) == Status::ok);
  CHECK(drive.metric("flash_cache.skipped") > 0);
  CHECK(drive->now() < 1_s);
  drive->run_until_idle(100_s);
  CHECK(drive.metric("flash_cache.programmed") == drive.metric("flash_cache.admitted"));
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("flash read cache: what the caches in DRAM hold is not looked for in flash") {
  FirmwareConfig config = cached(FlashAdmission::every_read);
  config.write_cache.capacity = 64_KiB;
  TestDrive drive(make_cmr_factory(), {}, drive_with_flash(cached_blocks), config);
  REQUIRE(write_sector(drive, 0, 2) == Status::ok);
  REQUIRE(drive->read(0, 2 * 8) == Status::ok);
  CHECK(drive->steps.empty());
  CHECK(drive.metric("flash_cache.hits") + drive.metric("flash_cache.misses") == 0);
}

TEST_CASE("flash read cache: the layer sees the flash without the cache's blocks") {
  struct Flash final : FlashPort {
    [[nodiscard]] FlashShape shape() const override { return {.blocks = 40, .pages_per_block = pages}; }
    [[nodiscard]] bool is_bad(NandBlock block) const override { return block == NandBlock(3); }
    void submit(FlashBatch&) override {}
  } flash;
  const FlashShare share(flash, 8);
  CHECK(share.shape().blocks == 32);
  CHECK(share.is_bad(NandBlock(3)));
  const DriveGeometry geometry = geometry_of(small_drive().media);
  DriveFlashConfig config;
  CHECK(config.problem(flash.shape(), geometry).empty());
  config.capacity = Bytes(40 * pages * 4096);
  CHECK(config.problem(flash.shape(), geometry).empty());
  config.capacity = config.capacity + Bytes(1);
  CHECK(config.problem(flash.shape(), geometry) == "firmware.flash_cache.capacity is 41 flash blocks; nand.blocks is 40");
  config.capacity = Bytes(3 * pages * 4096);
  CHECK(config.problem(flash.shape(), geometry) == "firmware.flash_cache.capacity is 3 flash blocks; one for reads needs at least 4");
}

TEST_CASE(
    "flash read cache: whatever is in front and behind, what was acknowledged is what is read, also across cuts and faults of the flash") {
  double hits = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    INFO("seed " << seed);
    RandomStream random(seed, "flash read cache");
    BenchConfig bench = drive_with_flash(40);
    draw_subpages(*bench.nand, seed);
    FirmwareConfig config = cached(random.below(2) == 0 ? FlashAdmission::every_read : FlashAdmission::second_read, pick(random, 1, 3));
    config.flash_cache.capacity = bench.nand->page_size * pages * pick(random, 4, 12);
    if (random.below(2) == 0) config.write_cache.capacity = 32_KiB;
    if (random.below(2) == 0) config.read_cache = {.segments = 2, .segment_sectors = 16, .read_ahead = 8};
    if (random.below(2) == 0) fail_at_random(*bench.nand, 10'000);
    TestDrive drive(random.below(2) == 0 ? make_cmr_factory() : make_imr_rmw_factory(), {}, bench, config);
    RandomTraffic traffic;
    traffic.reads = 24;
    traffic.rounds = 40;
    traffic.cuts = 4;
    if (seed % 2 == 0)
      random_history(drive, random, traffic);
    else
      random_cuts(drive, random, traffic);
    hits += drive.metric("flash_cache.hits");
  }
  CHECK(hits > 300);  // of the time since the last boot of each
}
