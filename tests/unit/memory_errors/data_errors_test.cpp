// Bit errors in data on its way between host and platters: one is corrected, two take the sector and nothing beside it.
#include "failing_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

TEST_CASE("memory errors: one wrong bit in written data is corrected") {
  FailingDrive drive;
  REQUIRE(drive.write_struck(16 * 8, 24, 17 * 8, 1) == Status::ok);
  CHECK(drive.metric("dram.ecc_corrected") == 1);
  CHECK(drive.metric("dram.lost_sectors") == 0);
  CHECK(drive->scoreboard().destroyed_blocks() == 0);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("memory errors: two wrong bits in written data take that sector alone until it is written again") {
  FailingDrive drive;
  // The first word of the sector in the middle, and the last.
  for (const std::uint64_t struck : {17 * 8, 17 * 8 + 7}) {
    REQUIRE(drive.write_struck(16 * 8, 24, struck) == Status::ok);
    CHECK(drive.read(16) == Status::ok);
    CHECK_FALSE(ok(drive.read(17)));
    CHECK(drive.read(18) == Status::ok);
    CHECK(drive->scoreboard().exempted({HostBlock(17 * 8), 8}));
    CHECK_FALSE(drive->scoreboard().exempted({HostBlock(16 * 8), 8}));
    CHECK_FALSE(drive->scoreboard().exempted({HostBlock(18 * 8), 8}));
    CHECK(drive.wrong_blocks() == 0);
    REQUIRE(drive.write(17) == Status::ok);
    CHECK(drive.read(16, 3) == Status::ok);
  }
  CHECK(drive.metric("dram.lost_sectors") == 2);
  CHECK(drive->scoreboard().destroyed_blocks() == 16);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("memory errors: two wrong bits in read data fail that read, and the platters still have it") {
  for (const std::uint64_t bits : {1, 2}) {
    FailingDrive drive;
    REQUIRE(drive.write(16, 3) == Status::ok);
    HostRequest& read = drive->submit(HostOp::read, 16 * 8, 24);
    const DramAddress buffer(drive.last_moved() + 3 * 4096);  // next to that of the write
    const Status status = drive.struck_behind_media_read(read, buffer + 3 * 4096 - 1, bits);
    CHECK(status == (bits == 1 ? Status::ok : Status::media_error));
    CHECK(drive.read(16, 3) == Status::ok);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("memory errors: blocks of a sector that the host did not ask for are not read out of the buffer") {
  const auto status_of = [](std::uint64_t struck_block) {
    FailingDrive drive;
    REQUIRE(drive.write(0) == Status::ok);
    HostRequest& read = drive->submit(HostOp::read, 3, 2);
    const DramAddress buffer(drive.last_moved() + 4096);
    return drive.struck_behind_media_read(read, buffer + struck_block * host_block_bytes);
  };
  CHECK(status_of(2) == Status::ok);
  CHECK(status_of(3) == Status::media_error);
  CHECK(status_of(4) == Status::media_error);
  CHECK(status_of(5) == Status::ok);
}

TEST_CASE("memory errors: a part of a sector whose rest is lost on the way is not written") {
  const auto status_of = [](std::uint64_t struck_block, std::uint64_t first, std::uint32_t count) {
    FailingDrive drive;
    REQUIRE(drive.write(8, 2) == Status::ok);
    HostRequest& write = drive->submit(HostOp::write, 8 * 8 + first, count);
    const DramAddress old(host_buffer_bytes);  // the first staging buffer
    const Status status = drive.struck_behind_media_read(write, old + struck_block * host_block_bytes);
    CHECK(drive.read(8, 2) == Status::ok);
    CHECK(drive.wrong_blocks() == 0);
    return status;
  };
  // Blocks 2 and 3 are written: what the old sector has of them is not needed.
  CHECK_FALSE(ok(status_of(1, 2, 2)));
  CHECK(ok(status_of(2, 2, 2)));
  CHECK(ok(status_of(3, 2, 2)));
  CHECK_FALSE(ok(status_of(4, 2, 2)));
  // The end of a sector and the beginning of the next: the rest of both is needed.
  CHECK_FALSE(ok(status_of(5, 6, 4)));
  CHECK(ok(status_of(9, 6, 4)));
  CHECK_FALSE(ok(status_of(10, 6, 4)));
}

TEST_CASE("memory errors: new data in a buffer covers the errors that struck what lay there before") {
  FailingDrive drive;
  for (std::uint64_t address = 0; address < host_buffer_bytes + staging_bytes; address += 512) drive.strike(DramAddress(address));
  for (std::uint64_t sector = 0; sector < 64; sector += 2) REQUIRE(drive.write(sector, 2) == Status::ok);
  REQUIRE(drive->write(3, 2) == Status::ok);
  REQUIRE(drive.read(0, 16) == Status::ok);
  CHECK(drive.metric("dram.lost_sectors") == 0);
  CHECK(drive.wrong_blocks() == 0);
}
