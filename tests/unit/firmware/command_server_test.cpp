// The command server: unaligned writes, TRIM, addresses past the end.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
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
