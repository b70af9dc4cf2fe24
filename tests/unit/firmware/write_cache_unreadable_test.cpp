// Write caches in front of platters with sectors that cannot be read, those of the journal among them: a journalled sector that is lost
// is a read error, never what its place held before.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "firmware/logs/journal_record.hpp"
#include "platforms/run/medium_truth.hpp"
#include "support/unreadable_sectors.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::uint32_t superblocks = 4;
constexpr std::uint32_t longest_record = 3;

TestDrive drive_with_journal(BenchConfig bench) {
  FirmwareConfig config;
  config.write_cache.capacity = Bytes(48 * 4096);
  config.write_cache.durability = CacheDurability::journal;
  config.write_cache.idle_after = 1_s;
  return {make_cmr_factory(), {{"journal_tracks", 2}}, bench, config};
}

void write_all(TestDrive& drive, std::uint32_t sectors) {
  REQUIRE(drive->write(100 * blocks_per_sector, sectors * blocks_per_sector) == Status::ok);
}

/// Old data at home, newer data of `sectors` sectors in one journal record, which is followed by another one or not.
TestDrive drive_with_record(std::uint32_t sectors, bool followed) {
  TestDrive drive = drive_with_journal(small_drive());
  write_all(drive, longest_record);
  drive->run_until_idle(10_s);
  write_all(drive, sectors);
  if (followed) REQUIRE(drive->write(40 * blocks_per_sector, blocks_per_sector) == Status::ok);
  return drive;
}

/// Sectors of the record whose reads fail; nothing may be wrong.
std::uint32_t failing(TestDrive& drive, std::uint32_t sectors) {
  REQUIRE(drive->boot_status() == Status::ok);
  REQUIRE(drive.wrong_blocks() == 0);
  std::uint32_t failed = 0;
  for (std::uint32_t i = 0; i < sectors; ++i) failed += ok(drive->read((100 + i) * blocks_per_sector, blocks_per_sector)) ? 0U : 1U;
  return failed;
}

PhysicalSector journal_sector(const TestDrive& drive, std::uint32_t sector) {
  const auto region = std::ranges::find(drive.plan(), "journal", &Region::name);
  return {{0, static_cast<std::uint32_t>(region->first)}, superblocks + sector};
}

}  // namespace

TEST_CASE("write cache: a sector of the newest journal record that cannot be read at boot is lost alone, the last one not even that") {
  for (std::uint32_t sectors = 1; sectors <= longest_record; ++sectors)
    for (const bool followed : {false, true})
      for (std::uint32_t bad = 0; bad <= sectors; ++bad) {
        INFO("sector " << bad << " of a record of " << sectors << (followed ? ", followed by another" : ""));
        TestDrive drive = drive_with_record(sectors, followed);
        drive->media().add_unreadable(journal_sector(drive, longest_record + 1 + bad));
        drive->cut_now();
        CHECK(failing(drive, sectors) == (bad + 1 < sectors ? 1U : 0U));
        write_all(drive, sectors);
        drive->run_until_idle(10_s);
        CHECK(failing(drive, sectors) == 0);
      }
}

TEST_CASE("write cache: a journal record none of whose sectors can be read is known by the one behind it") {
  TestDrive drive = drive_with_record(1, true);
  for (const std::uint32_t sector : {0U, 1U}) drive->media().add_unreadable(journal_sector(drive, longest_record + 1 + sector));
  drive->cut_now();
  CHECK(failing(drive, 1) == 1);
}

TEST_CASE("write cache: journal records in a row that cannot be read are known by one behind them, or there is no boot") {
  for (std::uint32_t unread = 1; unread <= JournalRecord::most_named + 1; ++unread) {
    INFO(unread << " records of one sector and its copy");
    TestDrive drive = drive_with_record(1, false);
    for (std::uint32_t i = 1; i <= unread; ++i) REQUIRE(drive->write((40 + i) * blocks_per_sector, blocks_per_sector) == Status::ok);
    for (std::uint32_t sector = 0; sector < 2 * unread; ++sector)
      drive->media().add_unreadable(journal_sector(drive, longest_record + 1 + sector));
    drive->cut_now();
    if (unread > JournalRecord::most_named) {
      CHECK(drive->boot_status() == Status::corrupt);
      continue;
    }
    CHECK(failing(drive, 1) == 1);
    for (std::uint32_t i = 1; i <= unread; ++i) CHECK(ok(drive->read((40 + i) * blocks_per_sector, blocks_per_sector)) == (i == unread));
  }
}

TEST_CASE("write cache: a journal record that one boot could not read at all does not come back at the next, over what was written since") {
  TestDrive drive = drive_with_record(longest_record, false);
  const auto fail = [&](std::uint32_t reads) {
    for (std::uint32_t sector = 0; sector <= longest_record; ++sector)
      drive->media().add_transient(journal_sector(drive, longest_record + 1 + sector), reads);
  };
  fail(~std::uint32_t{0});
  drive->media().forget_unread();
  drive->cut_now();
  const std::vector<MissedPacket> missed = missed_records(drive->media());
  REQUIRE(missed.size() == 1);
  CHECK(missed[0].run == LogicalRun{LogicalSector(100), longest_record});
  const HostRun untold{HostBlock(100 * blocks_per_sector), longest_record * blocks_per_sector};
  drive->scoreboard().untold({&untold, 1}, {0, 0});
  REQUIRE(drive->write(40 * blocks_per_sector, blocks_per_sector) == Status::ok);
  fail(0);
  drive->cut_now();
  CHECK(failing(drive, longest_record) == 0);
  REQUIRE(drive->read(40 * blocks_per_sector, blocks_per_sector) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("write cache: the check knows of a journal's very first record that no sector of it can be read") {
  TestDrive drive = drive_with_journal(small_drive());
  write_all(drive, 1);
  for (const std::uint32_t sector : {0U, 1U}) drive->media().add_unreadable(journal_sector(drive, sector));
  drive->media().forget_unread();
  drive->cut_now();
  const std::vector<MissedPacket> missed = missed_records(drive->media());
  REQUIRE(missed.size() == 1);
  CHECK(missed[0].run == LogicalRun{LogicalSector(100), 1});
}

TEST_CASE("write cache: what a cut may have kept from a journal record's sectors that cannot be read is in doubt until it is written") {
  std::uint32_t doubted = 0;
  for (std::uint64_t actions = 0;; ++actions) {
    INFO("cut after " << actions << " actions");
    TestDrive drive = drive_with_journal(small_drive());
    write_all(drive, longest_record);
    drive->run_until_idle(10_s);
    for (const std::uint32_t sector : {longest_record - 1, longest_record})
      drive->media().add_unreadable(journal_sector(drive, longest_record + 1 + sector));
    drive->media().forget_unread();
    drive->submit(HostOp::write, 100 * blocks_per_sector, longest_record * blocks_per_sector);
    if (!drive->cut_after_actions(actions)) break;
    REQUIRE(drive->boot_status() == Status::ok);
    const std::vector<ReadDoubt> said = drive.firmware().reads_in_doubt();
    const std::vector<ReadDoubt> founded = founded_doubts(drive->media(), said);
    CHECK(founded.size() == said.size());
    const bool last_fails = drive->read((100 + longest_record - 1) * blocks_per_sector, blocks_per_sector) != Status::ok;
    CHECK(last_fails == !said.empty());
    if (said.empty()) continue;
    ++doubted;
    CHECK(founded[0].blocks == HostRun{HostBlock((100 + longest_record - 1) * blocks_per_sector), blocks_per_sector});
    drive->scoreboard().in_doubt(founded[0].blocks);
    REQUIRE(drive.wrong_blocks() == 0);
    write_all(drive, longest_record);
    CHECK(failing(drive, longest_record) == 0);
    drive->cut_now();
    CHECK(drive.firmware().reads_in_doubt().empty());
  }
  CHECK(doubted > 0);
}

TEST_CASE("write cache: the first journal record after a boot names the last one that is still needed") {
  TestDrive drive = drive_with_record(1, false);
  drive->cut_now();
  REQUIRE(drive->write(40 * blocks_per_sector, blocks_per_sector) == Status::ok);
  for (const std::uint32_t sector : {0U, 1U}) drive->media().add_unreadable(journal_sector(drive, longest_record + 1 + sector));
  drive->cut_now();
  CHECK(failing(drive, 1) == 1);
}

TEST_CASE("write cache: a record that a cut tears is not taken for one whose sector cannot be read") {
  for (const PowerfailSector sector : {PowerfailSector::atomic, PowerfailSector::corrupt})
    for (std::uint64_t actions = 0;; ++actions) {
      BenchConfig bench = small_drive();
      bench.media.powerfail_sector = sector;
      TestDrive drive = drive_with_journal(bench);
      write_all(drive, longest_record);
      drive->run_until_idle(10_s);
      drive->submit(HostOp::write, 100 * blocks_per_sector, longest_record * blocks_per_sector);
      if (!drive->cut_after_actions(actions)) break;
      INFO("cut after " << actions << " actions");
      REQUIRE(drive.wrong_blocks() == 0);
      CHECK(failing(drive, longest_record) == 0);
    }
}

TEST_CASE("write cache: the longest record finds room in a journal that is just not full enough to be emptied by itself") {
  TestDrive drive =
      drive_with_journal(small_drive());  // 28 sectors: three quarters are 21, of which each record takes one more than its data
  std::uint64_t first = 0;
  for (const std::uint32_t sectors : {7U, 7U, 4U, 7U}) {
    REQUIRE(drive->write(first * blocks_per_sector, sectors * blocks_per_sector) == Status::ok);
    first += sectors;
  }
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("write cache: random histories with sectors that become unreadable, cuts and restarts keep the promise of each durability") {
  for (const CacheDurability durability : {CacheDurability::plp, CacheDurability::journal, CacheDurability::volatile_memory})
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      BenchConfig bench = small_drive();
      bench.media.timing = MediaTimingMode::rotational;
      bench.media.spare_tracks = seed % 2 == 0 ? 2 : 0;
      bench.host.tags = 8;
      bench.seed = seed;
      if (durability == CacheDurability::volatile_memory) bench.promise = DurabilityPromise::flushed;
      FirmwareConfig config;
      config.write_cache.capacity = Bytes((seed % 3 == 0 ? 8U : 32U) * 4096ULL);
      config.write_cache.durability = durability;
      TestDrive drive(make_cmr_factory(), {{"journal_tracks", 2}}, bench, config);
      RandomStream random(seed, "write cache with unreadable sectors");
      INFO("durability " << static_cast<int>(durability) << ", seed " << seed);
      RandomTraffic traffic;
      traffic.cuts = 1;
      for (int round = 0; round < 10; ++round) {
        history_with_losses(drive, random, traffic);
        scatter_unreadable(drive, random, 1);
        for (std::uint64_t requests = random.below(16); requests > 0; --requests) submit_random(drive, random, traffic);
        if (random.below(2) == 0)
          drive->cut_after_actions(random.below(traffic.actions));
        else
          drive->restart_after_actions(random.below(traffic.actions));
        if (random.below(3) == 0) drive->cut_twice(random.below(100));
        check_with_losses(drive);
      }
    }
}
