// Flash that caches reads and writes in one pool of blocks: the oldest block leaves, whatever it holds.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/flash_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// Blocks of four sectors, of which six are kept free for writes (the least), so that reads may have ten.
constexpr std::uint64_t pool_blocks = 16;

FirmwareConfig pooled() {
  FirmwareConfig config = with_flash_cache(pool_blocks);
  config.flash_cache.use = FlashCacheUse::both;
  config.flash_cache.admit = FlashAdmission::every_read;
  config.flash_cache.free_share = 0;
  config.flash_cache.evict_after = 1_s;
  return config;
}

struct Pool {
  TestDrive drive{make_cmr_factory(), {}, drive_with_flash(pool_blocks), pooled()};

  /// Four sectors: a block.
  void read(std::uint64_t sector) {
    REQUIRE(drive->read(sector * blocks_per_sector, pages * blocks_per_sector) == Status::ok);
    drive->run_for(100_ms);  // too short to be idle
  }
  void write(std::uint64_t sector) {
    REQUIRE(drive->write(sector * blocks_per_sector, pages * blocks_per_sector) == Status::ok);
    drive->run_for(100_ms);
  }
  bool comes_from_flash(std::uint64_t sector) {
    drive->steps.clear();
    read(sector);
    return drive->steps.empty();
  }
  double metric(const char* name) { return drive.metric(name); }
};

}  // namespace

TEST_CASE("flash pool: reads have what writes do not keep free, and then their own oldest block leaves") {
  Pool pool;
  for (std::uint64_t i = 0; i < 10; ++i) pool.read(100 + 4 * i);
  CHECK(pool.metric("flash_cache.borrowed_blocks") == 10);
  CHECK(pool.metric("flash_cache.evicted") == 0);
  pool.read(140);
  CHECK(pool.metric("flash_cache.borrowed_blocks") == 10);
  CHECK(pool.metric("flash_cache.evicted") == 4);
  CHECK(pool.comes_from_flash(104));
  CHECK_FALSE(pool.comes_from_flash(100));
}

TEST_CASE("flash pool: a write takes the oldest block of reads at once, although the host is not idle") {
  Pool pool;
  for (std::uint64_t i = 0; i < 10; ++i) pool.read(100 + 4 * i);
  pool.write(0);  // begins a block: five are free, and one comes back
  CHECK(pool.metric("flash_cache.borrowed_blocks") == 9);
  CHECK(pool.metric("flash_cache.evicted") == 4);
  pool.write(4);
  pool.write(8);
  CHECK(pool.metric("flash_cache.borrowed_blocks") == 7);
  CHECK(pool.metric("flash.written") == 12);
  CHECK(pool.metric("flash.moved_on") == 0);
  CHECK(pool.comes_from_flash(0));
  CHECK(pool.comes_from_flash(112));
  CHECK_FALSE(pool.comes_from_flash(108));
}

TEST_CASE("flash pool: a block of writes that is the oldest goes home when the host is idle, and reads get it") {
  Pool pool;
  pool.write(0);
  pool.write(4);  // two blocks of writes, the oldest ones
  for (std::uint64_t i = 0; i < 9; ++i) pool.read(100 + 4 * i);
  CHECK(pool.metric("flash_cache.borrowed_blocks") == 8);
  CHECK(pool.metric("flash_cache.evicted") == 4);  // the ninth: its own oldest, as the host is not idle
  CHECK(pool.metric("flash.moved_on") == 0);
  pool.drive->run_for(10_s);
  CHECK(pool.metric("flash.moved_on") == 4);  // one block was owed
  pool.read(136);
  CHECK(pool.metric("flash_cache.borrowed_blocks") == 9);
  CHECK(pool.metric("flash_cache.evicted") == 4);
  CHECK(pool.drive.wrong_blocks() == 0);
}

TEST_CASE("flash pool: what was read again stays, and a younger block of writes does not") {
  Pool pool;
  for (std::uint64_t i = 0; i < 10; ++i) pool.read(100 + 4 * i);
  CHECK(pool.comes_from_flash(100));
  pool.write(0);  // the first block is passed over, the second leaves
  CHECK(pool.metric("flash_cache.second_chances") == 1);
  CHECK(pool.comes_from_flash(100));
  CHECK_FALSE(pool.comes_from_flash(104));
}

TEST_CASE("flash pool: a sector is in it once") {
  Pool pool;
  pool.write(0);
  CHECK(pool.comes_from_flash(0));
  CHECK(pool.metric("flash_cache.admitted") == 0);
  pool.read(100);
  pool.write(100);
  CHECK(pool.metric("flash_cache.invalidated") == 4);
  CHECK(pool.drive.wrong_blocks() == 0);
}

TEST_CASE("flash pool: a power cut takes the copies, not the writes, and blocks of copies are free again") {
  Pool pool;
  pool.write(0);
  pool.write(4);
  for (std::uint64_t i = 0; i < 8; ++i) pool.read(100 + 4 * i);
  pool.drive->cut_now();
  pool.drive->run_for(100_ms);
  CHECK(pool.comes_from_flash(0));
  CHECK(pool.comes_from_flash(4));
  CHECK_FALSE(pool.comes_from_flash(100));
  for (std::uint64_t i = 0; i < 4; ++i) pool.write(8 + 4 * i);
  CHECK(pool.metric("flash.past") == 0);
  CHECK(pool.metric("flash.moved_on") == 0);
  CHECK(pool.drive.wrong_blocks() == 0);
}
