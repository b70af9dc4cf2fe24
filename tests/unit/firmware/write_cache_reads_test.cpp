// Reads of which the write cache holds a part.
#include <catch2/catch.hpp>
#include <vector>

#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// A turn of 10 ms, so 625 us a sector; the head is on the first one as the time begins.
TestDrive spinning_drive() {
  FirmwareConfig config;
  config.write_cache.capacity = Bytes(64 * 4096);
  BenchConfig drive = small_drive();
  drive.media.timing = MediaTimingMode::rotational;
  return {make_cmr_factory(), {}, drive, config};
}

void write_sector(TestDrive& drive, std::uint64_t sector) { REQUIRE(drive->write(sector * blocks_per_sector, 8) == Status::ok); }

}  // namespace

TEST_CASE("write cache: what a read lacks is asked for at once, before the read that comes after it") {
  TestDrive drive = spinning_drive();
  write_sector(drive, 3);
  write_sector(drive, 6);
  drive->steps.clear();
  drive->submit(HostOp::read, 1 * 8, 8 * 8);
  drive->run_for(1_us);
  drive->submit(HostOp::read, 9 * 8, 4 * 8);
  drive->run_until_all_done();
  std::vector<std::uint32_t> sectors;
  for (const auto& step : drive->steps) sectors.push_back(step.run.count);
  CHECK(sectors == std::vector<std::uint32_t>{2, 2, 2, 4});
  CHECK(drive->now() < 13 * 625_us + 1_us);  // one after another it was two turns more
  CHECK(drive.metric("cache.hit.read") == 2);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("write cache: a read in more parts than are read at once gives each its data") {
  TestDrive drive = spinning_drive();
  for (std::uint64_t sector = 1; sector < 24; sector += 2) write_sector(drive, sector);
  drive->steps.clear();
  REQUIRE(drive->read(0, 25 * 8) == Status::ok);
  CHECK(drive->steps.size() == 13);
  CHECK(drive.metric("cache.hit.read") == 12);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("write cache: a sector that becomes whole while a read in many parts waits comes with all that was written") {
  for (std::uint64_t delay = 0; delay < 80; ++delay) {
    INFO("read after " << delay << " half milliseconds");
    FirmwareConfig config;
    config.write_cache.capacity = Bytes(64 * 4096);
    config.write_cache.edges = EdgeReads::behind;
    BenchConfig bench = small_drive();
    bench.media.timing = MediaTimingMode::rotational;
    TestDrive drive(make_cmr_factory(), {}, bench, config, 40);
    for (std::uint64_t sector = 3; sector < 24; sector += 2) write_sector(drive, sector);
    for (const std::uint64_t sector : {1U, 24U}) REQUIRE(drive->write(sector * 8 + 2, 3) == Status::ok);
    drive->run_for(Picoseconds(delay * (500_us).value()));
    REQUIRE(drive->read(1 * 8, 24 * 8) == Status::ok);  // in more parts than are read at once
    CHECK(drive->scoreboard().errors() == 0);
  }
}

TEST_CASE("write cache: a part that cannot be read fails its read, whichever it is") {
  for (const std::uint32_t lost : {0U, 3U, 7U}) {
    TestDrive drive = spinning_drive();
    drive->media().add_unreadable({{0, 0}, lost});
    for (const std::uint64_t sector : {2U, 5U}) write_sector(drive, sector);
    INFO("sector " << lost);
    CHECK(drive->read(0, 8 * 8) != Status::ok);
  }
}
