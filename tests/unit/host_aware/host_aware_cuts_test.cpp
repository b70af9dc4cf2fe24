// Power cuts: pointers stay after what was acknowledged, and nothing comes back from before a reset.
#include "firmware/layers/zoned/zone_marks.hpp"
#include "host_aware_drive.hpp"
#include "platforms/run/medium_truth.hpp"
#include "support/cut_everywhere.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// Goes on at the pointer that the drive reports.
void go_on(HostAwareDrive& drive) {
  for (const std::uint32_t zone : {1U, 2U}) {
    if (drive.condition(zone) == ZoneCondition::full) REQUIRE(drive.manage(HostOp::zone_reset, zone) == Status::ok);
    drive.write_zone(zone, drive.pointer(zone), 1);
  }
}

}  // namespace

TEST_CASE("a cut at any instant of writes in order leaves the pointer between what was acknowledged and what was sent") {
  std::uint64_t cut_short = 0;
  for (std::uint64_t actions = 0;; ++actions) {
    HostAwareDrive drive;
    drive.write_zone(1, 0, 3);
    drive.bench().submit(HostOp::write, drive.block(1, 3), 9 * 8);
    drive.bench().submit(HostOp::write, drive.block(1, 12), 14 * 8);
    const bool cut = drive.bench().cut_after_actions(actions);
    INFO("cut after " << actions << " actions");
    REQUIRE(drive.bench().boot_status() == Status::ok);
    CHECK(drive.pointer(1) >= (cut ? 3U : 26U));
    CHECK(drive.pointer(1) <= 26);
    cut_short += drive.pointer(1) < 26 ? 1 : 0;
    drive.check_content();
    go_on(drive);
    drive.cut_now();
    drive.check_content();
    if (!cut) break;
  }
  CHECK(cut_short > 5);
}

TEST_CASE("a pointer is found by marks, by what the media cache holds, and by records") {
  HostAwareDrive drive;
  drive.write_zone(1, 0, 10);
  drive.cut_now();
  CHECK(drive.pointer(1) == 10);
  CHECK(drive.condition(1) == ZoneCondition::closed);
  CHECK(drive.metric("zones.searched") == 1);
  CHECK_FALSE(drive.zone(1).non_sequential);
  drive.write_zone(1, 20, 1);
  drive.cut_now();
  CHECK(drive.pointer(1) == 21);
  CHECK(drive.zone(1).non_sequential);
  CHECK(drive.metric("zones.searched") == 0);
  REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);
  drive.cut_now();
  CHECK(drive.pointer(1) == 0);
  CHECK(drive.condition(1) == ZoneCondition::empty);
  CHECK_FALSE(drive.zone(1).non_sequential);
}

TEST_CASE("marks begin again after a write that went to the media cache") {
  HostAwareDrive drive;
  drive.write_zone(1, 0, 4);
  drive.write_zone(1, 22, 2);
  drive.write_zone(1, 24, 3);
  drive.cut_now();
  CHECK(drive.pointer(1) == 27);
  drive.check_content();
}

TEST_CASE("a pointer stays where the media cache has taken what it was known by to its band") {
  HostAwareSetup setup;
  HostAwareDrive drive(setup);
  for (std::uint32_t sector = 0; sector < 30; ++sector) drive.write_zone(5, sector, 1);
  drive.write_zone(1, 0, 10);
  drive.write_zone(1, 20, 1);
  clean_all_older(drive, 5);
  REQUIRE_FALSE(drive.zone(1).non_sequential);
  drive.cut_now();
  CHECK(drive.pointer(1) == 21);
  drive.check_content();
}

TEST_CASE("a boot looks for no more pointers than zones are optimally open") {
  HostAwareDrive drive;
  for (std::uint32_t zone = 1; zone < 7; ++zone) drive.write_zone(zone, 0, 2 + zone);
  drive.cut_now();
  CHECK(drive.metric("zones.searched") <= 3);
  for (std::uint32_t zone = 1; zone < 7; ++zone) CHECK(drive.pointer(zone) == 2 + zone);
  drive.check_content();
}

TEST_CASE("what a zone gets while it is recorded as one without marks is told by a record of its own") {
  FirmwareConfig firmware;
  firmware.write_cache.capacity = sectors(64);
  firmware.write_cache.durability = CacheDurability::volatile_memory;
  firmware.write_cache.order = DestageOrder::positioning;  // several at once
  for (int phase = 0; phase < 40; ++phase) {
    DriveWithFirmware drive(firmware, {{"packet_writes", 1}});  // so that small writes from the cache go two at a time
    for (const std::uint32_t zone : {1U, 2U, 3U}) {
      drive.write(zone, 0, 3);
      REQUIRE(drive->flush() == Status::ok);
    }
    drive->run_for(Picoseconds(std::uint64_t{250'000'000} * phase));
    drive.write(4, 0, 1);    // leads to two records: that zone 4 has marks, and that zone 1, the oldest of four, has none any more
    drive.write(6, 10, 11);  // in the media cache's log meanwhile
    drive.write(1, 3, 4);    // then
    REQUIRE(drive->flush() == Status::ok);
    drive->cut_now();
    INFO("phase " << phase);
    REQUIRE(drive->boot_status() == Status::ok);
    drive.write(1, 4, 5);
    REQUIRE(drive->flush() == Status::ok);
    CHECK(drive.metric("zones.non_sequential_writes") == 0);  // the pointer was after what the zone got
    drive.check_content();
  }
}

TEST_CASE("nothing that the media cache held before a reset comes back over what went to the band after it") {
  const bool clean = GENERATE(false, true);
  HostAwareSetup setup;
  setup.prefilled = 240;
  const auto begin = [clean](HostAwareDrive& drive) {
    drive.write_zone(1, 2, 3);
    drive.write_zone(1, 9, 3);
    if (clean) clean_all_older(drive, 5);
    drive.bench().submit(HostOp::zone_reset, drive.block(1), 0);
    drive.bench().submit(HostOp::write, drive.block(1), 15 * 8);
  };
  CHECK(cut_everywhere<HostAwareDrive>(setup, begin, go_on) > 10);
  HostAwareDrive drive(setup);
  drive.write_zone(1, 2, 3);
  drive.write_zone(1, 9, 3);
  if (clean) clean_all_older(drive, 5);
  REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);  // ended, so that nothing older may remain
  drive.write_zone(1, 0, 15);
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("marks of an earlier life of a zone are none of this one") {
  HostAwareDrive drive;
  drive.write_zone(1, 0, 24);
  REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);
  drive.write_zone(1, 0, 1);
  drive.cut_now();
  CHECK(drive.pointer(1) == 1);
  CHECK(drive.metric("zones.searched") == 1);
  drive.check_content();
}

namespace {

/// Zone 1 is written up to sector 7 in two goes, and the mark of the second cannot be read.
void lose_second_mark(HostAwareDrive& drive) {
  drive.write_zone(1, 0, 4);
  drive.write_zone(1, 4, 3);
  const PhysicalRun last = drive.layer().cache().bands().place({LogicalSector(6), 1});
  drive.bench().media().add_unreadable({last.track, last.first});
  drive.bench().cut_now();
  REQUIRE(drive.bench().boot_status() == Status::ok);
}

Status read_sector(HostAwareDrive& drive, std::uint64_t sector) { return drive.bench().read(drive.block(1, sector), blocks_per_sector); }

}  // namespace

TEST_CASE("what a last sector that cannot be read after a cut proved stays below the pointer, and reads of it fail until it is written") {
  HostAwareDrive drive;
  lose_second_mark(drive);
  CHECK(drive.pointer(1) == 7);
  CHECK(drive.zone(1).non_sequential);
  for (std::uint64_t sector = 0; sector < 7; ++sector) CHECK((read_sector(drive, sector) == Status::ok) == (sector < 4));
  drive.write_zone(1, 7, 2);
  drive.write_zone(1, 5, 1);
  for (const bool cut : {false, true}) {
    if (cut) drive.bench().cut_now();
    CHECK(drive.pointer(1) == 9);
    for (std::uint64_t sector = 0; sector < 9; ++sector) CHECK((read_sector(drive, sector) == Status::ok) == (sector != 4 && sector != 6));
  }
  REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);
  CHECK(read_sector(drive, 4) == Status::ok);
}

TEST_CASE("what a boot could not tell of a zone's sectors it says, as founded in the sector that it could not read") {
  HostAwareDrive drive;
  lose_second_mark(drive);
  const std::vector<ReadDoubt> said = drive.layer().in_doubt();
  REQUIRE(said.size() == 1);
  CHECK(said[0].blocks == HostRun{HostBlock(drive.block(1, 4)), 3 * blocks_per_sector});
  CHECK(founded_doubts(drive.bench().media(), said).size() == 1);
  drive.bench().media().forget_unread();
  CHECK(founded_doubts(drive.bench().media(), said).empty());
  drive.bench().cut_now();
  CHECK(drive.layer().in_doubt().empty());
}

TEST_CASE("what the media cache holds of a zone is not in doubt, whatever of the band cannot be read") {
  HostAwareDrive drive;
  drive.write_zone(1, 0, 4);
  drive.write_zone(1, 4, 3);
  drive.write_zone(1, 5, 1);
  const PhysicalRun last = drive.layer().cache().bands().place({LogicalSector(6), 1});
  drive.bench().media().add_unreadable({last.track, last.first});
  drive.bench().cut_now();
  REQUIRE(drive.bench().boot_status() == Status::ok);
  CHECK(drive.layer().in_doubt().size() == 2);
  CHECK(read_sector(drive, 4) == Status::lost);
  CHECK(read_sector(drive, 5) == Status::ok);
  CHECK(read_sector(drive, 6) == Status::lost);
}

TEST_CASE("after a reset that the log does not reach to, new packets come after it") {
  HostAwareSetup setup;
  setup.prefilled = 240;
  HostAwareDrive drive(setup);
  drive.write_zone(2, 3, 2);
  const std::uint64_t head = drive.layer().cache().log().head();
  for (std::uint64_t position = head - 3; position < head; ++position) {
    const PhysicalRun place = drive.layer().cache().log().place(position, 1);
    drive.bench().media().add_unreadable({place.track, place.first});
  }
  REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);
  drive.bench().cut_now();
  REQUIRE(drive.bench().boot_status() == Status::ok);
  CHECK(drive.layer().cache().log().head() >= head);
  drive.write_zone(1, 4, 1);
  drive.cut_now();
  CHECK(drive.pointer(1) == 5);
  drive.read_zone(1, 4, 1);
  CHECK(drive.bench().scoreboard().errors() == 0);
}
