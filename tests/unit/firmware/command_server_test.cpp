// The command server: unaligned writes, TRIM, addresses past the end; and the read cache in front of a layer.
#include <catch2/catch.hpp>

#include "firmware/layers/cmr.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

TEST_CASE("command server: every alignment of a write keeps the blocks around it, and reads only the edges it needs") {
  for (std::uint64_t head = 0; head < 8; ++head) {
    for (std::uint32_t count = 1; count <= 26; ++count) {
      TestDrive drive(make_cmr_factory(), {});
      REQUIRE(drive->write(8, 40) == Status::ok);
      drive->steps.clear();
      REQUIRE(drive->write(8 + head, count) == Status::ok);
      const bool first_cut = head != 0;
      const bool last_cut = (head + count) % 8 != 0;
      const std::uint64_t sectors = (head + count + 7) / 8;
      const std::uint64_t edges = sectors == 1 ? (first_cut || last_cut ? 1U : 0U) : (first_cut ? 1U : 0U) + (last_cut ? 1U : 0U);
      std::uint64_t read = 0;
      for (const auto& step : drive->steps) read += step.op == MediaOp::read ? step.run.count : 0;
      CHECK(read == edges);
      CHECK(drive.metric("unaligned.rmw") == (edges != 0 ? 1 : 0));
      CHECK(drive.wrong_blocks() == 0);
    }
  }
}

TEST_CASE("command server: unaligned writes to one sector at once do not lose each other's blocks") {
  TestDrive drive(make_cmr_factory(), {});
  for (std::uint64_t block = 0; block < 24; ++block) drive->submit(HostOp::write, block, 1);
  drive->run_until_all_done();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("command server: an unaligned write gives its buffer back") {
  BenchConfig config = small_drive();
  config.controller.staging_buffer = Bytes(2 * 4096);  // what one such write needs
  TestDrive drive(make_cmr_factory(), {}, config);
  for (std::uint64_t sector = 0; sector < 4; ++sector) {
    const HostRequest& request = drive->submit(HostOp::write, sector * blocks_per_sector + 1, 3);
    drive->run_for(1_s);
    REQUIRE(FirmwareBench::done(request));
  }
}

TEST_CASE("command server: the last block is served, one past it is refused") {
  TestDrive drive(make_cmr_factory(), {});
  const std::uint64_t end = drive.firmware().user_sectors() * blocks_per_sector;
  CHECK(drive->write(end - 1, 1) == Status::ok);
  CHECK(drive->read(end - 8, 8) == Status::ok);
  CHECK(drive->write(end - 1, 2) == Status::rule_violation);
  CHECK(drive->read(end, 1) == Status::rule_violation);
}

TEST_CASE("command server: TRIM leaves partly covered sectors alone") {
  TestDrive drive(make_cmr_factory(), {});
  REQUIRE(drive->write(0, 32) == Status::ok);
  CHECK(drive->trim(3, 4) == Status::ok);
  CHECK(drive->trim(3, 26) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("read cache: read-ahead makes the next sequential read a hit, and a write takes its sectors out") {
  FirmwareConfig config;
  config.read_cache = {.segments = 2, .segment_sectors = 16, .read_ahead = 12};
  TestDrive drive(make_cmr_factory(), {}, small_drive(), config);
  REQUIRE(drive->write(0, 32 * 8) == Status::ok);
  REQUIRE(drive->read(0, 4 * 8) == Status::ok);
  drive->run_until_idle(1_s);
  drive->steps.clear();
  REQUIRE(drive->read(4 * 8, 8 * 8) == Status::ok);
  CHECK(drive->steps.empty());
  CHECK(drive.metric("read_cache.hits") == 1);
  REQUIRE(drive->write(5 * 8, 8) == Status::ok);
  REQUIRE(drive->read(4 * 8, 8 * 8) == Status::ok);
  CHECK(drive.metric("read_cache.hits") == 1);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("read cache: reads and writes at once never see stale sectors") {
  FirmwareConfig config;
  config.read_cache = {.segments = 3, .segment_sectors = 16, .read_ahead = 8};
  config.write_cache.capacity = 32_KiB;
  TestDrive drive(make_cmr_factory(), {}, small_drive(), config);
  std::uint64_t state = 5;
  for (int i = 0; i < 1500; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    drive->submit((state >> 62) == 0 ? HostOp::write : HostOp::read, (state >> 33) % 300,
                  static_cast<std::uint32_t>((state >> 20) % 40 + 1));
    if (i % 6 == 5) drive->run_until_all_done();
  }
  drive->run_until_all_done();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("read cache: one segment is enough for a stream") {
  FirmwareConfig config;
  config.read_cache = {.segments = 1, .segment_sectors = 16, .read_ahead = 12};
  TestDrive drive(make_cmr_factory(), {}, small_drive(), config);
  REQUIRE(drive->write(0, 32 * 8) == Status::ok);
  REQUIRE(drive->read(0, 4 * 8) == Status::ok);
  drive->run_until_idle(1_s);
  drive->steps.clear();
  REQUIRE(drive->read(4 * 8, 8 * 8) == Status::ok);
  CHECK(drive->steps.empty());
}
