// Tracks are read and rewritten before the writes next to them have spoilt them.
#include "firmware/refresh/track_refresh.hpp"

#include "support/random_histories.hpp"
#include "unit/defects/defect_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::uint32_t limit = 80;

BenchConfig weak_drive() {
  return drive_with([](MediaConfig& media) { media.interference_limit = limit; });
}

FirmwareConfig refreshing(std::uint32_t threshold, RefreshCounters counters = RefreshCounters::track) {
  FirmwareConfig firmware;
  firmware.refresh.threshold = threshold;
  firmware.refresh.counters = counters;
  firmware.refresh.areas_per_track = 4;
  return firmware;
}

/// Fills three tracks and writes one sector of the middle one again and again.
void write_hot_spot(DefectDrive& drive, std::uint32_t times) {
  REQUIRE(drive.write(64, 48) == Status::ok);
  for (std::uint32_t i = 0; i < times; ++i) REQUIRE(drive.write(85) == Status::ok);
}

}  // namespace

TEST_CASE("without a refresh a hot spot costs the sectors next to it, with one nothing") {
  DefectDrive without(weak_drive());
  write_hot_spot(without, 300);
  CHECK(without.wrong_blocks() == 2 * blocks_per_sector);
  for (const RefreshCounters counters : {RefreshCounters::track, RefreshCounters::area}) {
    DefectDrive with(weak_drive(), refreshing(32, counters));
    write_hot_spot(with, 300);
    with->run_until_idle(1000_ms);
    CHECK(with.wrong_blocks() == 0);
    CHECK(with.metric("refresh.tracks") == 18);  // every 32 of 300 writes, both sides
    CHECK(with.metric("refresh.sectors") == 18 * 16);
    CHECK(with.metric("refresh.failed") == 0);
  }
}

TEST_CASE("a counter per area tells a hot spot from writes all over the track") {
  const auto refreshes = [](RefreshCounters counters) {
    DefectDrive drive(weak_drive(), refreshing(32, counters));
    REQUIRE(drive.write(64, 48) == Status::ok);
    for (std::uint32_t i = 0; i < 96; ++i) REQUIRE(drive.write(80 + i % 16) == Status::ok);
    drive->run_until_idle(1000_ms);
    CHECK(drive.wrong_blocks() == 0);
    return drive.metric("refresh.tracks");
  };
  CHECK(refreshes(RefreshCounters::track) == 6);
  CHECK(refreshes(RefreshCounters::area) == 0);
}

TEST_CASE("counters outlive power cuts: a hot spot that is cut before each refresh costs nothing") {
  for (const bool dumped : {true, false}) {
    FirmwareConfig firmware = refreshing(32);
    firmware.refresh.dumped = dumped;
    DefectDrive drive(weak_drive(), firmware);
    write_hot_spot(drive, 0);
    for (int round = 0; round < 20; ++round) {
      for (int i = 0; i < 20; ++i) REQUIRE(drive.write(85) == Status::ok);
      drive->cut_now();
      REQUIRE(drive->boot_status() == Status::ok);
    }
    drive->run_until_idle(1000_ms);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("a dump that fails makes each track wait for its next write only") {
  DefectDrive drive(weak_drive(), refreshing(32));
  drive->fail_dumps([](std::uint64_t) { return std::uint64_t{0}; });
  write_hot_spot(drive, 0);
  for (int round = 0; round < 20; ++round) {
    for (int i = 0; i < 20; ++i) REQUIRE(drive.write(85) == Status::ok);
    drive->run_until_idle(1000_ms);
    drive->cut_now();
    REQUIRE(drive->boot_status() == Status::ok);
  }
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("after a dump that failed tracks of the host's data alone are refreshed, none with the firmware's own bytes") {
  DefectDrive drive(weak_drive(), refreshing(32));
  int dumps = 0;
  drive->fail_dumps([&dumps](std::uint64_t pieces) { return ++dumps == 1 ? std::uint64_t{0} : pieces; });
  double refreshed = 0;
  write_hot_spot(drive, 1);
  for (int cuts = 0; cuts < 3; ++cuts) {
    drive->cut_now();
    REQUIRE(drive->boot_status() == Status::ok);
    drive->run_until_idle(100'000_ms);
    CHECK(drive.wrong_blocks() == 0);
    refreshed += drive.metric("refresh.tracks");
  }
  CHECK(refreshed > 0);
}

TEST_CASE("a cut at any instant of a refresh loses nothing, and what waited is refreshed after it") {
  for (std::uint64_t actions = 0;; ++actions) {
    DefectDrive drive(weak_drive(), refreshing(32));
    write_hot_spot(drive, 31);
    drive->submit(HostOp::write, 85 * blocks_per_sector, blocks_per_sector);
    const bool cut = drive->cut_after_actions(actions);
    INFO("cut after " << actions << " actions");
    REQUIRE(drive->boot_status() == Status::ok);
    for (int i = 0; i < 100; ++i) REQUIRE(drive.write(85) == Status::ok);
    drive->run_until_idle(1000_ms);
    REQUIRE(drive.wrong_blocks() == 0);
    if (!cut) {
      CHECK(actions > 8);
      break;
    }
  }
}

TEST_CASE("a host's write of a track that is being refreshed stays") {
  DefectDrive drive(weak_drive(), refreshing(32));
  write_hot_spot(drive, 31);
  drive->submit(HostOp::write, 85 * blocks_per_sector, blocks_per_sector);
  for (std::uint64_t sector = 64; sector < 112; ++sector) drive->submit(HostOp::write, sector * blocks_per_sector, blocks_per_sector);
  drive->run_until_all_done();
  drive->run_until_idle(1000_ms);
  CHECK(drive.metric("refresh.tracks") > 0);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("a bad sector of a track goes through a refresh as what it is, and others of the track are as new") {
  DefectDrive drive(drive_with([](MediaConfig& media) {
                      media.interference_limit = limit;
                      media.unreadable_sectors = {{0, 4, 3}};
                      media.write_fault_sectors = {{0, 6, 9}};
                    }),
                    refreshing(32));
  write_hot_spot(drive, 300);
  drive->run_until_idle(1000_ms);
  CHECK(drive.read(67) == Status::lost);  // what the refresh could not read it wrote as lost
  CHECK(drive.read(68, 12) == Status::ok);
  CHECK(drive.read(80, 32) == Status::ok);
  CHECK(drive.defects("reallocated") >= 1);
}

TEST_CASE("a refresh is refused where tracks overlap without bands, and so are thresholds that a refresh itself would reach") {
  RefreshConfig config;
  Region region;
  region.name = "data";
  region.format = RecordingFormat::shingled;
  CHECK(config.problem({region}).empty());
  config.threshold = 100;
  CHECK(config.problem({region}) ==
        "firmware.refresh.threshold is 100, and tracks of the region 'data' overlap without bands, so that a refresh of one would rewrite "
        "all after it: set it to 0");
  region.band_tracks = 8;
  CHECK(config.problem({region}).empty());
  region.format = RecordingFormat::conventional;
  CHECK(config.problem({region}).empty());
  config.threshold = 15;
  CHECK(config.problem({region}) ==
        "firmware.refresh.threshold is 15; expected 0, or 16 to 32767: each refresh is itself a write next to two tracks");
}
