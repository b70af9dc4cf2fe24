// Bit errors in data that lies in a cache: what is in no other place is lost, what is there is read there.
#include "failing_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

FirmwareConfig write_cache(CacheDurability durability = CacheDurability::plp) {
  FirmwareConfig config;
  config.write_cache.capacity = Bytes(16 * 4096);
  config.write_cache.durability = durability;
  return config;
}

/// Writes sectors 4 to 6 into the cache; gives where the one in the middle lies.
DramAddress written_slot(FailingDrive& drive) {
  REQUIRE(drive.write(4, 3) == Status::ok);
  return drive.last_moved() + 4096;
}

void check_middle_is_lost(FailingDrive& drive) {
  CHECK(drive.read(4) == Status::ok);
  CHECK_FALSE(ok(drive.read(5)));
  CHECK(drive.read(6) == Status::ok);
  CHECK(drive->scoreboard().exempted({HostBlock(40), 8}));
  CHECK_FALSE(drive->scoreboard().exempted({HostBlock(32), 8}));
  CHECK_FALSE(drive->scoreboard().exempted({HostBlock(48), 8}));
  CHECK(drive.wrong_blocks() == 0);
}

}  // namespace

TEST_CASE("memory errors: a dirty sector of the write cache is lost, goes home as lost and is good when written again") {
  FailingDrive drive(write_cache());
  drive.strike(written_slot(drive) + 4088);
  check_middle_is_lost(drive);
  drive->run_until_idle(10_s);
  CHECK(drive.metric("cache.destaged") == 3);
  check_middle_is_lost(drive);
  REQUIRE(drive.write(5) == Status::ok);
  CHECK(drive.read(4, 3) == Status::ok);
  drive->run_until_idle(10_s);
  CHECK(drive.read(4, 3) == Status::ok);
  CHECK(drive.metric("dram.lost_sectors") == 1);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("memory errors: an error that nobody reads before the destage goes home as a lost sector") {
  FailingDrive drive(write_cache());
  drive.strike(written_slot(drive));
  drive->run_until_idle(10_s);
  check_middle_is_lost(drive);
}

TEST_CASE("memory errors: a clean sector of the write cache is read from the platters") {
  FailingDrive drive(write_cache());
  const DramAddress slot = written_slot(drive);
  drive->run_until_idle(10_s);
  drive.strike(slot);
  CHECK(drive.read(4, 3) == Status::ok);
  CHECK(drive.metric("dram.lost_sectors") == 1);
  CHECK(drive.metric("cache.miss.read") == 1);
  CHECK(drive.read(5) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("memory errors: a segment of the read cache that lost a sector is given up, and the platters have it") {
  FirmwareConfig config;
  config.read_cache = {.segments = 1, .segment_sectors = 8, .read_ahead = 0};
  FailingDrive drive(config);
  REQUIRE(drive.write(4, 3) == Status::ok);
  REQUIRE(drive.read(4, 3) == Status::ok);
  REQUIRE(drive.read(4, 3) == Status::ok);
  CHECK(drive.metric("read_cache.hits") == 1);
  const auto segment = [&] {  // what the hit read
    const auto& dmas = drive->dmas;
    return dmas[dmas.size() - 3].address;
  }();
  drive.strike(segment + 4096);
  drive->steps.clear();
  CHECK(drive.read(4, 3) == Status::ok);
  CHECK(drive->steps.size() == 1);
  CHECK(drive.metric("dram.lost_sectors") == 1);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("memory errors: a dump and a restart find what cannot be read of the write cache") {
  for (const bool cut : {false, true}) {
    for (const std::uint64_t bits : {1, 2}) {
      FailingDrive drive(write_cache());
      drive.strike(written_slot(drive), bits);
      if (cut)
        drive->cut_now();
      else
        drive->restart_now();
      CHECK(drive.metric("dram.lost_sectors") == static_cast<double>(bits - 1));
      if (bits == 2)
        check_middle_is_lost(drive);
      else
        CHECK(drive.read(4, 3) == Status::ok);
      CHECK(drive.wrong_blocks() == 0);
    }
  }
}
