// The read cache's memory: segments that grow with their streams, and those that are parts of the write cache's buffer.
#include <catch2/catch.hpp>

#include "firmware/caches/read_cache.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::uint32_t blocks = 8;  // of 512 B in a sector

BenchConfig spinning_drive() {
  BenchConfig config = small_drive();
  config.media.timing = MediaTimingMode::rotational;
  return config;
}

FirmwareConfig adaptive(Segmentation segmentation) {
  FirmwareConfig firmware;
  firmware.read_cache = {.segments = 4,
                         .segment_sectors = 16,
                         .segmentation = segmentation,
                         .largest_segment_sectors = 48,
                         .read_ahead = 8,
                         .read_ahead_step = 4};
  return firmware;
}

/// Segments of 16 sectors in a buffer of 64.
FirmwareConfig pooled(std::uint32_t segments) {
  FirmwareConfig firmware;
  firmware.read_cache = {
      .segments = segments, .segment_sectors = 16, .pool = SegmentMemory::with_writes, .read_ahead = 8, .read_ahead_step = 4};
  firmware.write_cache.capacity = Bytes(64 * 4096);
  firmware.write_cache.idle_after = 1_ms;
  return firmware;
}

void read_sectors(TestDrive& drive, std::uint64_t first, std::uint64_t count) {
  for (std::uint64_t sector = first; sector < first + count; ++sector) {
    REQUIRE(drive->read(sector * blocks, blocks) == Status::ok);
    drive->run_until_idle(1_s);
  }
}

bool is_hit(TestDrive& drive, std::uint64_t sector) {
  const double before = drive.metric("read_cache.hits");
  REQUIRE(drive->read(sector * blocks, blocks) == Status::ok);
  return drive.metric("read_cache.hits") > before;
}

/// Reads and writes at random, half of the reads one after another; of four requests so many write.
void mixed_traffic(TestDrive& drive, std::uint64_t state, std::uint64_t writes) {
  std::uint64_t next = 0;
  for (int i = 0; i < 1000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    const auto count = static_cast<std::uint32_t>((state >> 20) % 40 + 1);
    const std::uint64_t first = (state >> 60) < 8 ? next : (state >> 33) % 2000;
    next = (first + count) % 2000;
    drive->submit((state >> 62) < writes ? HostOp::write : HostOp::read, first, count);
    if (i % 6 == 5) drive->run_until_all_done();
  }
  drive->run_until_all_done();
  CHECK(drive.wrong_blocks() == 0);
}

}  // namespace

TEST_CASE("read cache: an adaptive segment grows with its stream as far as it may and reads ahead so many times as far") {
  for (const auto segmentation : {Segmentation::fixed, Segmentation::adaptive}) {
    TestDrive drive(make_cmr_factory(), {}, spinning_drive(), adaptive(segmentation));
    const bool grows = segmentation == Segmentation::adaptive;
    REQUIRE(drive->write(0, 128 * blocks) == Status::ok);
    read_sectors(drive, 0, 60);
    if (grows) CHECK(drive.metric("read_cache.widened") == 2);  // to 48 sectors
    CHECK(is_hit(drive, 45) == grows);                          // of the last 48 or 16 sectors up to the end of the read-ahead
    drive->run_until_idle(1_s);
    CHECK(is_hit(drive, 59 + (grows ? 24 : 8)));
    CHECK(drive->scoreboard().errors() == 0);
  }
}

TEST_CASE("read cache: an adaptive segment leaves other streams their memory, and gives up its own to a new one when it has ended") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(), adaptive(Segmentation::adaptive));
  REQUIRE(drive->write(0, 120 * blocks) == Status::ok);
  for (std::uint64_t i = 0; i < 40; ++i)
    for (std::uint64_t stream = 0; stream < 4; ++stream) read_sectors(drive, 120 * stream + i, 1);
  CHECK(drive.metric("read_cache.misses") == 4);
  CHECK(drive.metric("read_cache.widened") == 0);
  read_sectors(drive, 40, 60);  // the others have ended by now, and the segment has gone around its ring
  CHECK(drive.metric("read_cache.widened") == 2);
  const double misses = drive.metric("read_cache.misses");
  for (std::uint64_t other = 1; other < 5; ++other) read_sectors(drive, 405 + 20 * other, 1);
  CHECK(drive.metric("read_cache.misses") == misses + 4);
  for (std::uint64_t other = 1; other < 5; ++other) CHECK(is_hit(drive, 405 + 20 * other));  // a segment each
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("read cache: with adaptive segments reads and writes at once never see stale sectors") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(), adaptive(Segmentation::adaptive));
  mixed_traffic(drive, 3, 1);
  CHECK(drive.metric("read_cache.widened") > 0);
}

TEST_CASE("read cache: in one pool a write takes the segment used least recently, and reads take back what is written home") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(), pooled(4));
  for (std::uint64_t stream = 0; stream < 4; ++stream) read_sectors(drive, 100 * stream, 1);
  for (std::uint64_t stream = 1; stream < 4; ++stream) CHECK(is_hit(drive, 100 * stream));  // the whole buffer holds what was read
  REQUIRE(drive->write(450 * blocks, 20 * blocks) == Status::ok);                           // two segments' worth
  CHECK(drive.metric("read_cache.given_to_writes") == 2);
  CHECK(is_hit(drive, 200));
  CHECK(is_hit(drive, 300));
  CHECK(!is_hit(drive, 0));  // takes one of those two: the other two are with the writes
  drive->run_until_idle(1_s);
  for (std::uint64_t stream = 0; stream < 4; ++stream) read_sectors(drive, 100 * stream, 1);
  for (std::uint64_t stream = 0; stream < 4; ++stream) CHECK(is_hit(drive, 100 * stream));
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("read cache: one pool has no memory beyond the write cache's buffer") {
  TestDrive pool(make_cmr_factory(), {}, spinning_drive(), pooled(4));
  FirmwareConfig apart = pooled(4);
  apart.read_cache.pool = SegmentMemory::own;
  TestDrive own(make_cmr_factory(), {}, spinning_drive(), apart);
  CHECK(own.metric("dram.reserved.total") - pool.metric("dram.reserved.total") == 4 * 16 * 4096);
}

TEST_CASE("read cache: in one pool reads and writes at once never see stale sectors, whatever the durability and the segments") {
  for (const auto durability : {CacheDurability::plp, CacheDurability::volatile_memory}) {
    for (const std::uint32_t segments : {2U, 4U}) {
      FirmwareConfig config = pooled(segments);
      config.write_cache.durability = durability;
      config.read_cache.segmentation = Segmentation::adaptive;
      TestDrive drive(make_cmr_factory(), {}, spinning_drive(), config);
      mixed_traffic(drive, segments, 2);
      CHECK(drive.metric("read_cache.given_to_writes") > 1);
    }
  }
}

TEST_CASE("read cache: segments that do not fit into the write cache's buffer are refused") {
  const ReadCacheConfig config = pooled(5).read_cache;
  CHECK(config.problem(80).empty());
  CHECK(config.problem(0).empty());  // without a write cache they are the read cache's own
  CHECK(config.problem(79) ==
        "read_cache.pool = \"with_writes\": the segments have 80 sectors, the buffer of write_cache.capacity 79; expected no more segments "
        "than fit into it");
}
