// Power cuts: what is acknowledged survives, and so does what is known of the used tracks.
#include "static_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

TEST_CASE("static mappings: a cut at any instant of an update loses nothing that was acknowledged") {
  for (const PowerfailSector sector : {PowerfailSector::atomic_old, PowerfailSector::atomic_new}) {
    for (std::uint64_t actions = 0;; ++actions) {
      BenchConfig config = static_drive(2);
      config.media.powerfail_sector = sector;
      StaticDrive drive(Scheme::s1234, config);
      drive.fill(4);
      REQUIRE(drive.write_sectors(1, 0, 8) == Status::ok);
      drive->submit(HostOp::write, StaticDrive::block(0, 4), 6 * 8);
      const bool cut = drive->cut_after_actions(actions);
      CHECK(drive.wrong_blocks() == 0);
      if (!cut) break;
    }
  }
}

TEST_CASE("static mappings: a cut in the middle of each step leaves the tracks behind whole, and recovery itself may be cut") {
  for (std::uint64_t turns = 0; turns <= 16; ++turns) {
    for (const Picoseconds recovery_cut : {1_ms, 30_ms, 200_ms, 1000_ms}) {
      StaticDrive drive(Scheme::s1234, 2);
      drive.fill(4);
      drive->submit(HostOp::write, StaticDrive::block(0, 2), 8 * 8);
      drive->cut_at(drive->now() + 5_ms * turns + 3_ms);
      drive->cut_at(drive->now() + recovery_cut);
      CHECK(drive.wrong_blocks() == 0);
    }
  }
}

TEST_CASE("static mappings: a cut in the recovery from a backup that another cut left incomplete destroys nothing") {
  for (std::uint64_t first = 0; first <= 60; ++first) {
    for (std::uint64_t second = 0; second <= 60; ++second) {
      StaticDrive drive(Scheme::s1234, 2);
      drive.fill(4);
      drive->submit(HostOp::write, StaticDrive::block(0, 2), 8 * 8);
      drive->run_for(1_ms * first);
      drive->cut_twice(5_ms * second);
      INFO("cut after " << first << " ms and again after " << 5 * second << " ms");
      REQUIRE(drive.wrong_blocks() == 0);
    }
  }
}

TEST_CASE("static mappings: a track written after the update that saved it is not undone by recovery") {
  StaticDrive drive(Scheme::s1234, 2);
  drive.fill(4);
  REQUIRE(drive.write_sectors(2, 2, 3) == Status::ok);  // saves track 3
  REQUIRE(drive.write_sectors(3, 9, 3) == Status::ok);  // at other angles
  CHECK(drive.metric("backup.voids") == 0);
  REQUIRE(drive.write_sectors(3, 4, 1) == Status::ok);
  REQUIRE(drive.write_sectors(3, 4, 1) == Status::ok);
  CHECK(drive.metric("backup.voids") == 1);
  drive->cut_at(drive->now() + 1_ms);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("static mappings: a track first written after an update in front of it is not destroyed by recovery") {
  StaticDrive drive(Scheme::s1234, 2);
  drive.fill(2);
  REQUIRE(drive.write_sectors(0, 2, 3) == Status::ok);  // saves track 1; to write that back would destroy track 2
  REQUIRE(drive.write_sectors(2, 9, 3) == Status::ok);
  CHECK(drive.metric("backup.voids") == 0);
  REQUIRE(drive.write_sectors(2, 4, 3) == Status::ok);
  CHECK(drive.metric("backup.voids") == 1);
  drive->cut_at(drive->now() + 1_ms);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("static mappings: updates of whole tracks follow each other with cuts in between") {
  for (const double width : {2.0, 3.0}) {
    for (std::uint64_t actions = 0;; actions += 3) {
      StaticDrive drive(Scheme::s1234, 2, {{"head_width", width}});
      drive.fill(4);
      for (const std::uint64_t track : {0, 2, 1}) REQUIRE(drive.write_sectors(track, 0, 16) == Status::ok);
      drive->submit(HostOp::write, StaticDrive::block(0, 0), 16 * 8);
      const bool cut = drive->cut_after_actions(actions);
      CHECK(drive.wrong_blocks() == 0);
      if (!cut) break;
    }
  }
}

TEST_CASE("static mappings: the used tracks are known after a cut") {
  StaticDrive drive(Scheme::s1234, 12, {}, 2);
  REQUIRE(drive.write_sectors(8, 0, 1) == Status::ok);
  CHECK(drive.metric("log.sectors") == 1);
  REQUIRE(drive.write_sectors(8, 3, 1) == Status::ok);
  CHECK(drive.metric("log.sectors") == 1);
  drive->cut_at(drive->now() + 1_ms);
  REQUIRE(drive.write_sectors(0, 0, 1) == Status::ok);  // track 1 was prefilled
  CHECK(drive.metric("rmw.count") == 1);
  REQUIRE(drive.write_sectors(7, 0, 1) == Status::ok);  // the last of its band
  REQUIRE(drive.write_sectors(8, 0, 1) == Status::ok);  // track 9 was never written
  CHECK(drive.metric("rmw.count") == 1);
  REQUIRE(drive.write_sectors(6, 0, 1) == Status::ok);  // track 7 was
  CHECK(drive.metric("rmw.count") == 2);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("static mappings: a track is on record before its data is on the platter") {
  // Were it not, a cut in between would leave data that a later update of the track in front of it destroys.
  for (std::uint64_t actions = 0;; ++actions) {
    StaticDrive drive(Scheme::s1234, 2);
    REQUIRE(drive.write_sectors(0, 0, 4) == Status::ok);
    REQUIRE(drive.write_sectors(1, 0, 4) == Status::ok);
    const bool cut = drive->cut_after_actions(actions);
    REQUIRE(drive.write_sectors(0, 0, 4) == Status::ok);
    CHECK(drive.wrong_blocks() == 0);
    if (!cut) break;
  }
}

TEST_CASE("static mappings: groups of tracks share a bit on record") {
  BenchConfig config = static_drive(160);  // 640 tracks: two a group
  StaticDrive drive(Scheme::s1234, config);
  REQUIRE(drive.write_sectors(4, 0, 1) == Status::ok);
  REQUIRE(drive.write_sectors(5, 0, 1) == Status::ok);
  CHECK(drive.metric("log.sectors") == 1);
  REQUIRE(drive.write_sectors(6, 0, 1) == Status::ok);
  CHECK(drive.metric("log.sectors") == 2);
  drive->cut_at(drive->now() + 1_ms);
  REQUIRE(drive.write_sectors(4, 0, 1) == Status::ok);
  drive->steps.clear();
  REQUIRE(drive.write_sectors(6, 0, 1) == Status::ok);  // track 7 counts as used, with track 6
  CHECK(drive->steps.size() == 4);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("static mappings: what a boot that could not read the record of the used tracks did not know, no later boot forgets") {
  // Of the four sectors of the record those that the boot cannot read: of the newest only, or all.
  const std::uint32_t unread = GENERATE(2U, 4U);
  StaticDrive drive(Scheme::s1234, 3);
  drive.fill(3);  // the third write of the record, in sectors 2 and 3 or 0 and 1
  drive->steps.clear();
  REQUIRE(drive.write_sectors(3, 0, track_sectors) == Status::ok);
  const PhysicalRun newest = drive->steps_in("log").front().run;
  const auto fail = [&](std::uint32_t reads) {
    for (std::uint32_t i = 0; i < unread; ++i)
      drive->media().add_transient({newest.track, (newest.first + i) % Superblock::sectors}, reads);
  };
  fail(~std::uint32_t{0});
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  for (const std::uint64_t track : {5U, 6U}) REQUIRE(drive.write_sectors(track, 0, track_sectors) == Status::ok);
  fail(0);
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  REQUIRE(drive.write_sectors(2, 0, track_sectors) == Status::ok);  // track 3 is behind it
  REQUIRE(drive.write_sectors(4, 0, track_sectors) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("static mappings: without a record every track counts as used after a cut") {
  StaticDrive drive(Scheme::s1234, 2, {{"crash_safe", 0}});
  REQUIRE(drive.write_sectors(0, 0, 1) == Status::ok);
  CHECK(drive.metric("rmw_free.count") == 1);
  drive->cut_at(drive->now() + 1_ms);
  drive->steps.clear();
  REQUIRE(drive.write_sectors(0, 0, 1) == Status::ok);
  CHECK(drive->steps.size() == 7);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("static mappings: as the paper has it, a cut in the middle of an update loses the tracks behind") {
  StaticDrive drive(Scheme::s1234, 2, {{"paper", 1}});
  drive.fill(4);
  drive->submit(HostOp::write, StaticDrive::block(0, 0), 16 * 8);
  drive->cut_at(drive->now() + 55_ms);
  CHECK(drive.wrong_blocks() > 0);
}

TEST_CASE("static mappings: the record of the used tracks is written twice, by turns to two pairs of sectors") {
  StaticDrive drive(Scheme::s1234, 3);
  std::vector<std::vector<std::uint32_t>> records;
  for (std::uint64_t track = 0; track < 4; ++track) {
    drive->steps.clear();
    REQUIRE(drive.write_sectors(track, 0, 1) == Status::ok);
    std::vector<std::uint32_t>& places = records.emplace_back();
    for (const FirmwareBench::StepRecord& step : drive->steps_in("log")) places.push_back(step.run.first);
  }
  const std::vector<std::uint32_t> one{0, 1};
  const std::vector<std::uint32_t> other{2, 3};
  CHECK(((records[0] == one && records[1] == other) || (records[0] == other && records[1] == one)));
  CHECK((records[2] == records[0] && records[3] == records[1]));
}

TEST_CASE("static mappings: boot reads the headers of the backup region track by track") {
  StaticDrive drive(Scheme::s1234, 4);
  drive.fill(8);
  REQUIRE(drive.write_sectors(0, 3, 2) == Status::ok);
  drive->steps.clear();
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  const auto backup = std::ranges::find(drive.plan(), "backup", &Region::name);
  CHECK(drive->sectors_in("backup", MediaOp::read) >= std::uint64_t{backup->count} * track_sectors);
  CHECK(drive->steps_in("backup").size() <= backup->count + 1);  // and what the newest record saved
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("static mappings: of as many tracks as there are groups on record each is known behind a cut") {
  StaticDrive drive(Scheme::s1234, 17);
  for (const std::uint64_t track : {0, 1, 63, 64, 65}) REQUIRE(drive.write_sectors(track, 0, 1) == Status::ok);
  const double used = drive.metric("gauge.tracks.used.last");
  drive->cut_now();
  CHECK(drive.metric("gauge.tracks.used.last") == used);
  CHECK(drive.wrong_blocks() == 0);
}
