// Sectors that cannot be read in bands and cache of Virtual Guard, with power cuts.
#include <optional>

#include "support/unreadable_sectors.hpp"
#include "vguard_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// Track 2 moves to the cache and is written there; gives where the copies of its record lie.
std::vector<PhysicalSector> cache_track_two(VguardDrive& drive) {
  drive.fill(5);
  drive->steps.clear();
  REQUIRE(drive.write_sectors(1, 3, 2) == Status::ok);
  std::vector<PhysicalSector> records;
  for (const auto& step : drive->steps_in("cache"))
    if (step.op == MediaOp::write && step.run.count == 1) records.push_back({step.run.track, step.run.first});
  REQUIRE(records.size() == 2);
  REQUIRE(drive.write_sectors(2, 0, 4) == Status::ok);
  return records;
}

FirmwareConfig refreshing() {
  FirmwareConfig firmware;
  firmware.refresh.threshold = 16;
  return firmware;
}

/// Sectors of all tracks that read as this.
std::uint32_t sectors_with(VguardDrive& drive, Status status) {
  const MediaDevice& media = drive->media();
  std::uint32_t sum = 0;
  for (std::uint64_t track = 0; track < media.geometry().tracks(); ++track)
    for (std::uint32_t sector = 0; sector < track_sectors; ++sector) sum += media.content().status(track, sector) == status ? 1 : 0;
  return sum;
}

}  // namespace

TEST_CASE("vguard: one unreadable sector costs that sector alone") {
  one_unreadable_sector([] { return std::make_unique<VguardDrive>(); }, {.longest = 300, .cuts = 2, .requests = 30});
}

TEST_CASE("vguard: scattered unreadable sectors, with power cuts, never give wrong data") {
  for (std::uint64_t run = 0; run < 600; ++run) {
    INFO("run " << run);
    RandomStream random(run, "vguard faults");
    VguardDrive drive(3, 5);
    scatter_unreadable(drive, random, 8);
    history_with_losses(drive, random, {.longest = 300, .cuts = 4, .requests = 40});
  }
}

TEST_CASE("vguard: a cached track of which no record can be read after a power cut is still in the cache") {
  VguardDrive drive;
  const auto records = cache_track_two(drive);
  for (const PhysicalSector record : records) drive->media().add_unreadable(record);
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("vguard: a refresh leaves records that it cannot read as they are") {
  VguardDrive drive(vguard_drive(3), cache_tracks, 0, refreshing());
  const auto records = cache_track_two(drive);
  for (const PhysicalSector record : records) drive->media().add_transient(record, 12);  // one more than the refresh reads
  for (int i = 0; i < 20; ++i) REQUIRE(drive.write_sectors(2, 0, 1) == Status::ok);
  drive->run_until_idle(1000_ms);
  REQUIRE(drive.metric("refresh.tracks") > 0);
  REQUIRE(drive.metric("defects.uncorrectable") == 2);
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("vguard: what a guard lost in its old place is no sector that a refresh stores as lost") {
  VguardDrive drive(vguard_drive(3), cache_tracks, 0, refreshing());
  cache_track_two(drive);
  const std::uint32_t destroyed = sectors_with(drive, Status::damaged);
  REQUIRE(destroyed > 0);
  for (int i = 0; i < 14; ++i) REQUIRE(drive.write_sectors(1, 3, 2) == Status::ok);  // more would destroy it once more
  drive->run_until_idle(1000_ms);
  REQUIRE(drive.metric("refresh.tracks") > 1);
  CHECK(sectors_with(drive, Status::lost) == 0);
  CHECK(sectors_with(drive, Status::damaged) == destroyed);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("vguard: where the dump failed, too, one record of a cached track is enough") {
  const std::size_t lost = GENERATE(0, 1);
  VguardDrive drive;
  drive->fail_dumps([](std::uint64_t) { return std::uint64_t{0}; });
  const auto records = cache_track_two(drive);
  drive->media().add_unreadable(records[lost]);
  for (int cut = 0; cut < 2; ++cut) {
    drive->cut_now();
    REQUIRE(drive->boot_status() == Status::ok);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("vguard: where the dump failed and no record of a slot can be read the drive does not boot with old data") {
  VguardDrive drive;
  drive->fail_dumps([](std::uint64_t) { return std::uint64_t{0}; });
  const auto records = cache_track_two(drive);
  for (const PhysicalSector record : records) drive->media().add_unreadable(record);
  drive->cut_now();
  CHECK(drive->boot_status() == Status::corrupt);
}

TEST_CASE("vguard: a record of which the second copy could not be written is taken back") {
  BenchConfig config = vguard_drive(3);
  PhysicalSector second;
  {
    VguardDrive model(config, cache_tracks);
    second = cache_track_two(model)[1];
  }
  config.media.spare_tracks = 0;
  config.media.write_fault_sectors = {{0, static_cast<double>(second.track.radius), static_cast<double>(second.index)}};
  VguardDrive drive(config, cache_tracks);
  drive->fail_dumps([](std::uint64_t) { return std::uint64_t{0}; });
  drive.fill(5);
  CHECK(drive.write_sectors(1, 3, 2) == Status::media_error);
  REQUIRE(drive.write_sectors(2, 0, 4) == Status::ok);  // where the track lies
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("vguard: a cleaning that cannot write is ended by the next one, and the drive ends in order") {
  std::uint32_t ended = 0;
  for (std::uint64_t run = 0; run < 60; ++run) {
    INFO("run " << run);
    BenchConfig config = vguard_drive(3, 4);
    config.media.spare_tracks = 1;
    RandomStream random(run, "vguard read-only end");
    for (int bad = 0; bad < 40; ++bad)
      config.media.write_fault_sectors.push_back(
          {0, static_cast<double>(random.below(config.media.tracks)), static_cast<double>(random.below(track_sectors))});
    VguardDrive drive(config, 4);
    RandomTraffic traffic{.longest = 300, .reads = 0};
    for (int round = 0; round < 12; ++round) {
      for (int i = 0; i < 16; ++i) submit_random(drive, random, traffic);
      drive->run_until_all_done();
      drive->verify_all();
      REQUIRE(drive->scoreboard().errors() == 0);
    }
    ended += drive.metric("defects.read_only") == 1 ? 1 : 0;
    drive->cut_now();
    REQUIRE(drive->boot_status() == Status::ok);
    REQUIRE(drive.wrong_blocks() == 0);
  }
  CHECK(ended > 10);
}

TEST_CASE("vguard: a record of which a cut left one copy is there twice after the boot, which acts on it") {
  for (std::uint64_t cut = 0; cut < 200; ++cut) {
    INFO("cut after " << cut << " ms");
    VguardDrive drive;
    drive.fill(5);
    drive->steps.clear();
    drive->fail_dumps([](std::uint64_t) { return std::uint64_t{0}; });
    drive->submit(HostOp::write, VguardDrive::block(1, 3), 2 * blocks_per_sector);
    drive->submit(HostOp::write, VguardDrive::block(3, 3), 2 * blocks_per_sector);
    drive->run_for(1_ms * cut);
    drive->cut_now();
    REQUIRE(drive->boot_status() == Status::ok);
    std::optional<PhysicalSector> newest;
    for (const auto& step : drive->steps_in("cache"))
      if (step.op == MediaOp::write && step.run.count == 1) newest = {step.run.track, step.run.first};
    REQUIRE(drive.write_sectors(2, 0, 4) == Status::ok);  // where the record says that the track is
    if (newest) drive->media().add_unreadable(*newest);
    drive->cut_now();
    REQUIRE(drive->boot_status() == Status::ok);
    CHECK(drive.wrong_blocks() == 0);
  }
}
