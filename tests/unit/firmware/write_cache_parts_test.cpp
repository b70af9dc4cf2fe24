// The write cache with sectors of which the host wrote a part: acknowledged at once, made whole when they are read or leave the cache.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "support/unreadable_sectors.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

FirmwareConfig cache(std::uint64_t sectors, CacheDurability durability = CacheDurability::plp,
                     DestageOrder order = DestageOrder::elevator) {
  FirmwareConfig config;
  config.write_cache.capacity = Bytes(sectors * 4096);
  config.write_cache.durability = durability;
  config.write_cache.order = order;
  config.write_cache.edges = EdgeReads::behind;
  return config;
}

BenchConfig promising(CacheDurability durability) {
  BenchConfig config = small_drive();
  if (durability == CacheDurability::volatile_memory) config.promise = DurabilityPromise::flushed;
  return config;
}

/// Forty sectors of old data at home, none of them in the cache: sector n lies on track n / 16.
TestDrive drive_with_old_data(const FirmwareConfig& config, const BenchConfig& bench = small_drive()) {
  TestDrive drive(make_cmr_factory(), {}, bench, config, 40);
  drive->steps.clear();
  return drive;
}

/// `count` blocks from block `offset` of the sector on.
Status write_blocks(TestDrive& drive, std::uint64_t sector, std::uint32_t offset, std::uint32_t count, bool fua = false) {
  return drive->write(sector * blocks_per_sector + offset, count, fua);
}

std::uint64_t sectors_read(TestDrive& drive) {
  std::uint64_t sum = 0;
  for (const FirmwareBench::StepRecord& step : drive->steps) sum += step.op == MediaOp::read ? step.run.count : 0;
  return sum;
}

constexpr CacheDurability unjournalled[] = {CacheDurability::plp, CacheDurability::volatile_memory};
constexpr DestageOrder all_orders[] = {DestageOrder::elevator, DestageOrder::first_come, DestageOrder::positioning};

}  // namespace

TEST_CASE("parts: a write of a part of a sector is acknowledged without the media, and the rest is read as the sector leaves the cache") {
  TestDrive drive = drive_with_old_data(cache(16));
  REQUIRE(write_blocks(drive, 5, 2, 3) == Status::ok);
  CHECK(drive->steps.empty());
  CHECK(drive.metric("unaligned.rmw") == 0);
  drive->run_until_idle(10_s);
  CHECK(sectors_read(drive) == 1);
  CHECK(drive.sectors_written() == 1);
  CHECK(drive.metric("cache.completed") == 1);
  drive.check_content();
}

TEST_CASE("parts: both edges of a long write come from neighbouring reads, its middle from none") {
  TestDrive drive = drive_with_old_data(cache(16));
  REQUIRE(drive->write(5 * blocks_per_sector + 3, 3 * blocks_per_sector) == Status::ok);  // of sectors 5 to 8
  CHECK(drive->steps.empty());
  drive->run_until_idle(10_s);
  CHECK(sectors_read(drive) == 2);
  CHECK(drive.sectors_written() == 4);
  drive.check_content();
}

TEST_CASE("parts: sectors that later writes complete are never read") {
  TestDrive drive = drive_with_old_data(cache(16));
  for (std::uint32_t block = 0; block < 16; ++block) REQUIRE(write_blocks(drive, 5, block, 1) == Status::ok);  // upwards
  REQUIRE(write_blocks(drive, 9, 6, 2) == Status::ok);
  REQUIRE(write_blocks(drive, 9, 1, 6) == Status::ok);  // downwards, and over a block that was there
  REQUIRE(write_blocks(drive, 9, 0, 1) == Status::ok);
  drive->run_until_idle(10_s);
  CHECK(sectors_read(drive) == 0);
  CHECK(drive.sectors_written() == 3);
  drive.check_content();
}

TEST_CASE("parts: one that leaves a gap to what the slot holds waits until the sector is whole") {
  TestDrive drive = drive_with_old_data(cache(16));
  REQUIRE(write_blocks(drive, 5, 0, 2) == Status::ok);
  REQUIRE(write_blocks(drive, 5, 6, 1) == Status::ok);
  CHECK(sectors_read(drive) == 1);
  CHECK(drive.metric("unaligned.rmw") == 1);
  REQUIRE(write_blocks(drive, 5, 4, 1) == Status::ok);  // now it is
  CHECK(sectors_read(drive) == 1);
  drive.check_content();
}

TEST_CASE("parts: a read gets old blocks and new ones, in one go with the sectors that the cache lacks, and leaves the sector whole") {
  TestDrive drive = drive_with_old_data(cache(16));
  REQUIRE(write_blocks(drive, 5, 3, 1) == Status::ok);
  REQUIRE(drive->read(4 * blocks_per_sector, 3 * blocks_per_sector) == Status::ok);
  CHECK(drive->steps.size() == 1);
  CHECK(sectors_read(drive) == 3);
  REQUIRE(drive->read(5 * blocks_per_sector, blocks_per_sector) == Status::ok);
  CHECK(drive->steps.size() == 1);
  drive->run_until_idle(10_s);
  CHECK(sectors_read(drive) == 3);
  drive.check_content();
}

TEST_CASE("parts: a host that reads does not wait for a read behind, where that makes way, and the sector goes home nevertheless") {
  for (const bool makes_way : {true, false}) {
    FirmwareConfig config = cache(16);
    config.write_cache.idle_after = 1_ms;
    config.write_cache.make_way = makes_way;
    BenchConfig bench = small_drive();
    bench.media.timing = MediaTimingMode::rotational;
    TestDrive drive = drive_with_old_data(config, bench);
    REQUIRE(write_blocks(drive, 39, 0, 4) == Status::ok);
    while (!drive->media().busy()) drive->run_for(100_us);
    REQUIRE(drive->read(0, blocks_per_sector) == Status::ok);
    CHECK(drive.metric("media.given_up") == (makes_way ? 1 : 0));
    drive->run_until_idle(10_s);
    CHECK(drive.metric("cache.destaged") == 1);
    drive.check_content();
  }
}

TEST_CASE("parts: a forced write of a part is on the media when it is acknowledged, with what the cache held of its sector") {
  TestDrive drive = drive_with_old_data(cache(16));
  REQUIRE(write_blocks(drive, 5, 0, 2) == Status::ok);
  REQUIRE(write_blocks(drive, 5, 5, 1, true) == Status::ok);
  CHECK(drive.sectors_written() == 1);
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  drive.check_content();
}

TEST_CASE("parts: a cut at any instant keeps which blocks a slot holds") {
  for (std::uint64_t actions = 0; actions < 120; ++actions) {
    INFO("cut after " << actions << " actions");
    TestDrive drive = drive_with_old_data(cache(16));
    REQUIRE(write_blocks(drive, 5, 2, 3) == Status::ok);
    REQUIRE(write_blocks(drive, 20, 7, 4) == Status::ok);
    drive->submit(HostOp::write, 5 * blocks_per_sector + 5, 2, false);
    drive->submit(HostOp::flush, 0, 0);
    drive->cut_after_actions(actions);
    REQUIRE(drive->boot_status() == Status::ok);
    drive.check_content();
    REQUIRE(drive->flush() == Status::ok);
    drive.check_content();
  }
}

TEST_CASE("parts: a sector whose rest cannot be read keeps its slot, holds up nobody, and goes home once the host has written the rest") {
  TestDrive drive = drive_with_old_data(cache(16));
  drive->media().add_unreadable({{0, 0}, 5});
  REQUIRE(write_blocks(drive, 5, 0, 4) == Status::ok);
  REQUIRE(write_blocks(drive, 6, 0, 4) == Status::ok);
  REQUIRE(write_blocks(drive, 30, 0, 4) == Status::ok);
  REQUIRE(drive->flush() == Status::media_error);  // a dump may fail
  CHECK(drive.metric("cache.destaged") == 2);
  CHECK(drive.metric("cache.unwritten") == 1);
  drive->run_until_idle(10_s);
  CHECK(drive.firmware().idle());
  CHECK(drive->read(5 * blocks_per_sector, 1) != Status::ok);

  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  drive->run_until_idle(10_s);
  CHECK(drive.metric("cache.unwritten") == 1);
  REQUIRE(write_blocks(drive, 5, 4, 4) == Status::ok);
  REQUIRE(drive->flush() == Status::ok);
  CHECK(drive.metric("cache.unwritten") == 0);
  CHECK(drive->read(5 * blocks_per_sector, blocks_per_sector) == Status::ok);
  drive.check_content();
}

TEST_CASE("parts: a part that the host writes while the rests of its neighbours are read does not go home with them") {
  TestDrive drive = drive_with_old_data(cache(16));
  drive->media().add_unreadable({{0, 0}, 5});
  REQUIRE(write_blocks(drive, 5, 0, 4) == Status::ok);
  REQUIRE(write_blocks(drive, 6, 0, 4) == Status::ok);
  drive->submit(HostOp::flush, 0, 0);
  const PhysicalRun neighbour{{0, 0}, 6, 1};
  while (drive->steps.empty() || !(drive->steps.back().run == neighbour)) drive->run_for(100_us);  // the sector before it was set aside
  REQUIRE(write_blocks(drive, 5, 2, 3) == Status::ok);
  drive->run_until_idle(10_s);
  CHECK(drive.metric("cache.destaged") == 1);
  CHECK(drive.metric("cache.unwritten") == 1);
  REQUIRE(write_blocks(drive, 5, 5, 3) == Status::ok);
  REQUIRE(drive->flush() == Status::ok);
  drive.check_content();
}

TEST_CASE("parts: a write that waits for a slot goes on where the sector in front of it was set aside meanwhile") {
  FirmwareConfig config = cache(8);
  config.write_cache.high_mark = 100;  // nothing leaves the cache before the write finds no slot
  TestDrive drive = drive_with_old_data(config);
  drive->media().add_unreadable({{0, 0}, 5});
  for (std::uint64_t sector = 20; sector < 27; ++sector) REQUIRE(write_blocks(drive, sector, 0, 8) == Status::ok);
  drive->submit(HostOp::write, 5 * blocks_per_sector + 4, 12);  // half of sector 5 gets the last slot, sector 6 waits
  const auto destages = [&drive] {
    return !drive->steps.empty() && drive->steps.back().op == MediaOp::write && drive->steps.back().run.count == 7;
  };
  while (!destages()) drive->run_for(100_us);            // the worker has tried sector 5 first
  REQUIRE(write_blocks(drive, 20, 0, 8) == Status::ok);  // younger than sector 6, and in the list before it
  drive->run_until_idle(10_s);
  CHECK(drive.firmware().idle());
  CHECK(drive->flush() == Status::media_error);
  CHECK(drive.metric("cache.unwritten") == 1);
  drive.check_content();
}

TEST_CASE("parts: a FLUSH tries once more to read the rest of a sector, and succeeds where that comes now") {
  for (const CacheDurability durability : unjournalled) {
    TestDrive drive = drive_with_old_data(cache(16, durability), promising(durability));
    const PhysicalSector rest{{0, 0}, 5};
    drive->media().add_transient(rest, ~std::uint32_t{0});
    REQUIRE(write_blocks(drive, 5, 0, 4) == Status::ok);
    drive->run_until_idle(10_s);
    CHECK(drive.metric("cache.unwritten") == 1);
    CHECK(drive->flush() == Status::media_error);
    drive->media().add_transient(rest, 0);
    CHECK(drive->flush() == Status::ok);
    CHECK(drive.metric("cache.unwritten") == 0);
    drive->cut_now();
    drive.check_content();
  }
}

TEST_CASE("parts: a volatile cache's FLUSH says that a sector whose rest cannot be read is not durable") {
  TestDrive drive = drive_with_old_data(cache(16, CacheDurability::volatile_memory), promising(CacheDurability::volatile_memory));
  drive->media().add_unreadable({{0, 0}, 5});
  REQUIRE(write_blocks(drive, 5, 0, 4) == Status::ok);
  CHECK(drive->flush() == Status::media_error);
  REQUIRE(write_blocks(drive, 5, 4, 4) == Status::ok);
  CHECK(drive->flush() == Status::ok);
  drive.check_content();
}

TEST_CASE("parts: a FLUSH does not take a sector for durable because another part of it was written since") {
  TestDrive drive = drive_with_old_data(cache(16, CacheDurability::volatile_memory), promising(CacheDurability::volatile_memory));
  drive->media().add_unreadable({{0, 0}, 5});
  REQUIRE(write_blocks(drive, 5, 0, 4) == Status::ok);
  REQUIRE(write_blocks(drive, 30, 0, 8) == Status::ok);
  HostRequest& flush = drive->submit(HostOp::flush, 0, 0);
  while (drive.metric("cache.unwritten") == 0) drive->run_for(100_us);
  REQUIRE(write_blocks(drive, 5, 4, 2) == Status::ok);  // while sector 30 is on its way
  CHECK(drive->run_until_done(flush) == Status::media_error);
}

TEST_CASE("parts: sectors whose rest cannot be read have three quarters of the slots at most, and sound ones are always written") {
  constexpr std::uint32_t bad = 32;
  for (const CacheDurability durability : unjournalled)
    for (const DestageOrder order : all_orders)
      for (const std::uint32_t slots : {2U, 4U, 8U, 16U}) {
        INFO("durability " << static_cast<int>(durability) << ", order " << static_cast<int>(order) << ", " << slots << " slots");
        const std::uint32_t most = slots - std::max(1U, slots / 4);
        TestDrive drive = drive_with_old_data(cache(slots, durability, order), promising(durability));
        std::uint32_t taken = 0;
        for (std::uint32_t sector = 0; sector < bad; ++sector) {
          drive->media().add_unreadable({{0, sector / 16}, sector % 16});
          taken += ok(write_blocks(drive, sector, 0, 4)) ? 1U : 0U;
        }
        CHECK(taken == most);  // the others say at once that the rest of their sector cannot be read
        for (std::uint32_t sector = 100; sector < 100 + 3 * slots; ++sector) {
          REQUIRE(write_blocks(drive, sector, 0, 8) == Status::ok);
          REQUIRE(write_blocks(drive, sector + 200, 2, 3) == Status::ok);
        }
        drive->run_until_idle(100_s);
        CHECK(drive.firmware().idle());
        CHECK(drive.metric("cache.unwritten") == most);
        CHECK(drive->flush() == Status::media_error);
        for (std::uint32_t sector = 0; sector < most; ++sector) REQUIRE(write_blocks(drive, sector, 4, 4) == Status::ok);
        CHECK(drive->flush() == Status::ok);
        CHECK(drive.metric("cache.unwritten") == 0);
        drive.check_content();
      }
}

TEST_CASE("parts: random traffic with cuts reads back right, whatever order and durability") {
  double completed = 0;
  for (const CacheDurability durability : unjournalled)
    for (const DestageOrder order : all_orders)
      for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        INFO("durability " << static_cast<int>(durability) << ", order " << static_cast<int>(order) << ", seed " << seed);
        RandomStream random(seed, "parts of sectors");
        BenchConfig bench = promising(durability);
        bench.seed = seed;
        TestDrive drive = drive_with_old_data(cache(pick(random, 8, 64), durability, order), bench);
        random_history(drive, random, {.longest = 40});
        random_cuts(drive, random, {.longest = 40});
        completed += drive.metric("cache.completed");
      }
  CHECK(completed > 100);
}

namespace {

/// Reads, writes and cuts in turn. A FLUSH may fail while a fault has destroyed anything, and nothing else may.
void history_of_parts(TestDrive& drive, RandomStream& random, std::uint32_t cuts) {
  constexpr std::uint32_t longest = 40;
  const std::uint64_t failed_before = drive->failed_whole_requests();
  std::uint64_t failed_flushes = 0;
  const auto check = [&] {
    REQUIRE(drive->boot_status() == Status::ok);
    drive->verify_all();
    INFO((drive->scoreboard().messages().empty() ? "" : drive->scoreboard().messages().front()));
    REQUIRE(drive->scoreboard().errors() == 0);
    REQUIRE(drive->unreadable_blocks() == 0);
    REQUIRE(drive->failed_whole_requests() - failed_before == failed_flushes);
  };
  const auto submit = [&] {
    const std::uint64_t first = random.below(drive.user_sectors() * blocks_per_sector - longest);
    drive->submit(random.below(4) == 0 ? HostOp::read : HostOp::write, first, pick(random, 1, longest), random.below(14) == 0);
  };
  for (; cuts > 0; --cuts) {
    for (std::uint64_t requests = random.below(40); requests > 0; --requests) {
      submit();
      if (random.below(3) == 0) drive->run_until_all_done();
    }
    drive->run_until_all_done();
    const bool flushed = ok(drive->flush());
    CHECK((flushed || drive->scoreboard().some_exempted()));
    failed_flushes += flushed ? 0 : 1;
    check();
    for (std::uint64_t requests = random.below(8); requests > 0; --requests) submit();
    drive->cut_after_actions(random.below(400));
    check();
  }
}

}  // namespace

TEST_CASE("parts: sectors that cannot be read cost what lay in them, whatever was acknowledged beside it") {
  for (const DestageOrder order : all_orders)
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
      INFO("order " << static_cast<int>(order) << ", seed " << seed);
      RandomStream random(seed, "parts of unreadable sectors");
      BenchConfig bench = small_drive();
      bench.seed = seed;
      TestDrive drive = drive_with_old_data(cache(64, CacheDurability::plp, order), bench);
      history_of_parts(drive, random, 2);
      scatter_unreadable(drive, random, 3);
      history_of_parts(drive, random, 4);
    }
}
