// The read cache keeps what passes under a head that has landed in front of the sectors that were asked for.
#include <catch2/catch.hpp>

#include "firmware/caches/read_cache.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::uint32_t blocks = 8;  // of 512 B in a sector
constexpr Picoseconds sector = 625_us;

/// A turn of 10 ms with 16 sectors, whose spindle is where it is.
BenchConfig spinning_drive() {
  BenchConfig config = small_drive();
  config.media.timing = MediaTimingMode::rotational;
  return config;
}

FirmwareConfig cached(bool zero_latency, std::uint32_t segment_sectors = 32) {
  FirmwareConfig firmware;
  firmware.read_cache = {.segments = 2, .segment_sectors = segment_sectors, .read_ahead = 0, .zero_latency = zero_latency};
  return firmware;
}

/// Reads sector 12 after the head has passed sector 1: it lands at once and waits, while nine whole sectors pass. Gives how many were kept.
double read_late_sector(TestDrive& drive) {
  REQUIRE(drive->read(1 * blocks, blocks) == Status::ok);
  const double before = drive.metric("read_cache.early_sectors");
  REQUIRE(drive->read(12 * blocks, blocks) == Status::ok);
  REQUIRE(drive->steps.back().timing.rotation / sector == 9);
  return drive.metric("read_cache.early_sectors") - before;
}

double hits_after_reading(TestDrive& drive, std::uint32_t at) {
  const double before = drive.metric("read_cache.hits");
  REQUIRE(drive->read(at * blocks, blocks) == Status::ok);
  return drive.metric("read_cache.hits") - before;
}

}  // namespace

TEST_CASE("read cache: with zero_latency sectors that passed under the head before those asked for are hits") {
  for (const bool keeps : {false, true}) {
    TestDrive drive(make_cmr_factory(), {}, spinning_drive(), cached(keeps));
    REQUIRE(drive->write(0, 32 * blocks) == Status::ok);
    if (keeps)
      CHECK(read_late_sector(drive) == 9);
    else
      REQUIRE(drive->read(12 * blocks, blocks) == Status::ok);
    CHECK(hits_after_reading(drive, 3) == (keeps ? 1 : 0));  // the first that passed as a whole
    CHECK(drive->scoreboard().errors() == 0);
  }
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(), cached(true));
  REQUIRE(read_late_sector(drive) == 9);
  CHECK(hits_after_reading(drive, 2) == 0);  // its begin had passed already
}

TEST_CASE("read cache: early sectors have the room that the read and a step of its read-ahead leave in the segment") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(), cached(true, 14));  // 14 - 1 - 8
  CHECK(read_late_sector(drive) == 5);
  CHECK(hits_after_reading(drive, 7) == 1);
}

TEST_CASE("read cache: what the write cache has not written home ends the early sectors") {
  FirmwareConfig config = cached(true);
  config.write_cache.capacity = 64_KiB;
  config.write_cache.idle_after = 1_s;
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(), config);
  REQUIRE(drive->write(8 * blocks, blocks) == Status::ok);
  CHECK(read_late_sector(drive) == 3);
  CHECK(hits_after_reading(drive, 8) == 0);
  CHECK(drive->scoreboard().errors() == 0);
}

TEST_CASE("read cache: an early sector that is written while it passes is given up") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(), cached(true));
  REQUIRE(drive->write(0, 16 * blocks) == Status::ok);
  REQUIRE(drive->read(1 * blocks, blocks) == Status::ok);
  HostRequest& read = drive->submit(HostOp::read, 12 * blocks, blocks);
  drive->run_for(sector);
  HostRequest& trim = drive->submit(HostOp::trim, 8 * blocks, blocks);
  REQUIRE(drive->run_until_done(trim) == Status::ok);
  REQUIRE(drive->run_until_done(read) == Status::ok);
  CHECK(hits_after_reading(drive, 9) == 0);
}

TEST_CASE("read cache: a sector that cannot be read ends the early sectors, and fails no request") {
  TestDrive drive(make_cmr_factory(), {}, spinning_drive(), cached(true));
  drive->media().add_unreadable({{0, 0}, 9});
  CHECK(read_late_sector(drive) == 2);
}

TEST_CASE("read cache: with early sectors reads and writes at once never see stale ones") {
  FirmwareConfig config = cached(true);
  config.read_cache.segments = 3;
  config.read_cache.read_ahead = 8;
  config.read_cache.read_ahead_step = 3;
  for (const Bytes buffer : {Bytes(0), Bytes(32_KiB)}) {
    config.write_cache.capacity = buffer;
    TestDrive drive(make_cmr_factory(), {}, spinning_drive(), config);
    std::uint64_t state = 7;
    for (int i = 0; i < 1200; ++i) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      drive->submit((state >> 62) == 0 ? HostOp::write : HostOp::read, (state >> 33) % 500,
                    static_cast<std::uint32_t>((state >> 20) % 20 + 1));
      if (i % 4 == 3) drive->run_until_all_done();
    }
    drive->run_until_all_done();
    CHECK(drive.metric("read_cache.early_sectors") > 100);
    CHECK(drive.wrong_blocks() == 0);
  }
}
