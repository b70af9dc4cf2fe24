// Interlaced read-modify-write (Hajkazemi et al., section 2.1). The drive has 32 tracks; three in the middle are
// the backup region, even radii in front of it are bottoms.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::uint64_t track_sectors = 16;
constexpr std::uint64_t bottom = 4;  // T; its tops are 3 and 5
const std::map<std::string, double> one_slot{{"backup_slots", 1}};

std::uint64_t block(std::uint64_t track, std::uint64_t sector) { return (track * track_sectors + sector) * blocks_per_sector; }

/// Writes `count` sectors from `sector` on, on both tops.
void write_tops(TestDrive& drive, std::uint64_t sector, std::uint32_t count) {
  REQUIRE(drive->write(block(bottom - 1, sector), count * 8) == Status::ok);
  REQUIRE(drive->write(block(bottom + 1, sector), count * 8) == Status::ok);
}

Status write_sectors(TestDrive& drive, std::uint64_t track, std::uint64_t sector, std::uint32_t count) {
  return drive->write(block(track, sector), count * 8);
}

}  // namespace

TEST_CASE("imr-rmw: the steps of the paper, in its order") {
  TestDrive drive(make_imr_rmw_factory(), one_slot);
  write_tops(drive, 2, 3);
  drive->steps.clear();
  REQUIRE(write_sectors(drive, bottom, 2, 3) == Status::ok);
  const auto& steps = drive->steps;
  REQUIRE(steps.size() == 6);
  const auto is = [&steps](std::size_t i, MediaOp op, std::uint32_t radius, StepHint hint) {
    return steps[i].op == op && steps[i].run == PhysicalRun{{0, radius}, 2, 3} && steps[i].hint == hint;
  };
  CHECK(is(0, MediaOp::read, 3, StepHint::same_angle));
  CHECK(is(1, MediaOp::read, 5, StepHint::same_angle));
  CHECK(steps[2].op == MediaOp::write);
  CHECK(steps[2].hint == StepHint::backup_round_trip);
  CHECK(steps[2].run.count == 6);
  CHECK(is(3, MediaOp::write, 4, StepHint::same_angle));
  CHECK(is(4, MediaOp::write, 3, StepHint::same_angle));
  CHECK(is(5, MediaOp::write, 5, StepHint::same_angle));
}

TEST_CASE("imr-rmw: a sequential bottom write takes six turns, a random one t_seek and five and a half (section 2.1)") {
  BenchConfig config = small_drive();
  config.media.seek_curve = {{1, 8.0}, {31, 8.0}};
  TestDrive drive(make_imr_rmw_factory(), one_slot, config);
  write_tops(drive, 2, 1);
  drive->steps.clear();
  REQUIRE(write_sectors(drive, bottom, 2, 1) == Status::ok);
  CHECK(drive->media_time() == 60_ms);

  REQUIRE(write_sectors(drive, 28, 0, 1) == Status::ok);  // the last track: far away
  drive->steps.clear();
  REQUIRE(write_sectors(drive, bottom, 2, 1) == Status::ok);
  CHECK(drive->media_time() == 63_ms + Picoseconds(10'000'000'000 / track_sectors));
}

TEST_CASE("imr-rmw: a neighbour without data saves a read and a rewrite, the first and last tracks have one neighbour or none") {
  TestDrive drive(make_imr_rmw_factory(), one_slot);
  REQUIRE(write_sectors(drive, bottom + 1, 2, 1) == Status::ok);
  drive->steps.clear();
  REQUIRE(write_sectors(drive, bottom, 2, 1) == Status::ok);
  CHECK(drive->steps.size() == 4);
  CHECK(drive->media_time() == 40_ms);
  drive->steps.clear();
  REQUIRE(write_sectors(drive, 8, 2, 1) == Status::ok);
  CHECK(drive->steps.size() == 1);
  CHECK(drive.metric("rmw_free.count") == 1);

  TestDrive all(make_imr_rmw_factory(), {{"backup_slots", 1}, {"skip_unwritten", 0}});
  REQUIRE(write_sectors(all, 0, 2, 1) == Status::ok);
  CHECK(all->steps.size() == 4);
}

TEST_CASE("imr-rmw: a bottom write of s sectors writes 5s, of which 2s to the backup region") {
  for (const std::uint32_t sectors : {1U, 3U, 8U, 9U, 16U}) {
    TestDrive drive(make_imr_rmw_factory(), one_slot);
    write_tops(drive, 0, 16);
    drive->steps.clear();
    REQUIRE(write_sectors(drive, bottom, 0, sectors) == Status::ok);
    CHECK(drive.sectors_written() == 5 * sectors);
    CHECK(drive.metric("backup.sectors") == 2 * sectors);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("imr-rmw: two whole tops are saved although each track of the backup region has a slipped defect, also under power cuts") {
  BenchConfig config = small_drive();
  for (const double radius : {14.0, 15.0, 16.0}) config.media.slipped_defects.push_back({0.0, radius, 1.0});
  TestDrive drive(make_imr_rmw_factory(), one_slot, config);
  for (std::uint64_t round = 0; round < 6; ++round) {
    write_tops(drive, 0, 16);
    REQUIRE(write_sectors(drive, bottom, round, 2) == Status::ok);
    REQUIRE(write_sectors(drive, bottom, 0, 16) == Status::ok);
    drive->submit(HostOp::write, block(bottom, 0), 16 * 8);
    drive->cut_after_actions(3 * round);
    CHECK(drive.wrong_blocks() == 0);
  }
  CHECK(drive.metric("backup.sectors") > 0);
}

TEST_CASE("imr-rmw: no neighbour is forgotten: random writes over all tracks read back right") {
  for (const double ratio : {1.0, 0.9, 0.7}) {
    for (const double group : {1.0, 3.0}) {
      TestDrive drive(make_imr_rmw_factory(), {{"backup_slots", 1}, {"top_ratio", ratio}, {"layout_n", group}});
      const std::uint64_t blocks = drive.firmware().user_sectors() * blocks_per_sector;
      std::uint64_t state = 12345;
      for (int i = 0; i < 300; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const std::uint64_t first = (state >> 33) % (blocks - 400);
        REQUIRE(drive->write(first, static_cast<std::uint32_t>((state >> 20) % 400 + 1)) == Status::ok);
      }
      CHECK(drive.wrong_blocks() == 0);
    }
  }
}

TEST_CASE("imr-rmw: writes that overlap in angle on neighbouring tracks, all at once, keep every track whole") {
  BenchConfig config = small_drive();
  config.media.timing = MediaTimingMode::rotational;
  config.controller.scheduling = SchedulingPolicy::shortest_positioning;
  for (const double early : {0.0, 1.0}) {
    TestDrive drive(make_imr_rmw_factory(), {{"backup_slots", 1}, {"ack_early", early}}, config);
    std::uint64_t state = 99;
    for (int round = 0; round < 40; ++round) {
      for (int i = 0; i < 16; ++i) {
        state = state * 6364136223846793005U + 1442695040888963407U;
        const HostOp op = (state >> 60) < 11 ? HostOp::write : HostOp::read;
        drive->submit(op, block((state >> 33) % 7, (state >> 40) % 12), static_cast<std::uint32_t>((state >> 20) % 4 + 1) * 8);
      }
      drive->run_until_all_done();
    }
    CHECK(drive.wrong_blocks() == 0);
    CHECK(drive.metric("rmw.count") > 50);
  }
}

TEST_CASE("imr-rmw: a cut at any instant of a read-modify-write loses nothing that was acknowledged") {
  for (const double early : {0.0, 1.0}) {
    for (const PowerfailSector sector : {PowerfailSector::atomic_old, PowerfailSector::atomic_new}) {
      for (std::uint64_t actions = 0;; ++actions) {
        BenchConfig config = small_drive();
        config.media.powerfail_sector = sector;
        TestDrive drive(make_imr_rmw_factory(), {{"backup_slots", 1}, {"ack_early", early}}, config);
        write_tops(drive, 0, 16);
        REQUIRE(write_sectors(drive, bottom, 1, 6) == Status::ok);
        REQUIRE(write_sectors(drive, bottom + 1, 9, 2) == Status::ok);
        drive->submit(HostOp::write, block(bottom, 4), 6 * 8);
        const bool cut = drive->cut_after_actions(actions);
        CHECK(drive.wrong_blocks() == 0);
        if (!cut) break;
      }
    }
  }
}

TEST_CASE("imr-rmw: a cut in the middle of each step leaves the tops whole, and recovery itself may be cut") {
  for (int turns = 0; turns <= 12; ++turns) {
    for (const Picoseconds recovery_cut : {1_ms, 30_ms, 200_ms}) {
      TestDrive drive(make_imr_rmw_factory(), one_slot);
      write_tops(drive, 0, 16);
      REQUIRE(write_sectors(drive, bottom, 0, 8) == Status::ok);
      drive->submit(HostOp::write, block(bottom, 2), 8 * 8);
      drive->cut_at(drive->now() + 5_ms * static_cast<std::uint64_t>(turns) + 3_ms);
      drive->cut_at(drive->now() + recovery_cut);
      CHECK(drive.wrong_blocks() == 0);
    }
  }
}

TEST_CASE("imr-rmw: a top written after a read-modify-write is not undone by recovery (lazy clear)") {
  TestDrive drive(make_imr_rmw_factory(), one_slot);
  write_tops(drive, 2, 3);
  REQUIRE(write_sectors(drive, bottom, 2, 3) == Status::ok);
  CHECK(drive.metric("backup.voids") == 0);
  REQUIRE(write_sectors(drive, bottom - 1, 3, 1) == Status::ok);
  CHECK(drive.metric("backup.voids") == 1);
  drive->cut_at(drive->now() + 1_ms);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("imr-rmw: the record is voided only for a write that it describes, and once") {
  TestDrive drive(make_imr_rmw_factory(), one_slot);
  write_tops(drive, 2, 3);
  REQUIRE(write_sectors(drive, bottom, 2, 3) == Status::ok);
  REQUIRE(write_sectors(drive, bottom - 1, 0, 2) == Status::ok);  // beside the saved run
  REQUIRE(write_sectors(drive, bottom - 1, 5, 2) == Status::ok);
  REQUIRE(write_sectors(drive, bottom + 3, 2, 3) == Status::ok);  // another top
  CHECK(drive.metric("backup.voids") == 0);
  REQUIRE(write_sectors(drive, bottom + 1, 4, 1) == Status::ok);
  REQUIRE(write_sectors(drive, bottom + 1, 4, 1) == Status::ok);
  CHECK(drive.metric("backup.voids") == 1);
}

TEST_CASE("imr-rmw: whole-track records follow each other with cuts in between") {
  for (std::uint64_t actions = 0;; ++actions) {
    TestDrive drive(make_imr_rmw_factory(), one_slot);
    for (std::uint64_t track = 1; track < 10; track += 2) REQUIRE(write_sectors(drive, track, 0, 16) == Status::ok);
    for (std::uint64_t track = 2; track < 6; track += 2) REQUIRE(write_sectors(drive, track, 0, 16) == Status::ok);
    drive->submit(HostOp::write, block(6, 0), 16 * 8);
    const bool cut = drive->cut_after_actions(actions);
    CHECK(drive.wrong_blocks() == 0);
    if (!cut) break;
  }
}

TEST_CASE("imr-rmw: prefill marks the tops that it fills") {
  TestDrive drive(make_imr_rmw_factory(), one_slot, small_drive(), {}, 6 * track_sectors);
  REQUIRE(write_sectors(drive, bottom, 2, 1) == Status::ok);
  CHECK(drive->steps.size() == 6);
  REQUIRE(write_sectors(drive, 8, 2, 1) == Status::ok);
  CHECK(drive->steps.size() == 7);
}

TEST_CASE("imr-rmw: a top of which all was trimmed is written over with nothing, once, and then costs no read-modify-write") {
  TestDrive drive(make_imr_rmw_factory(), one_slot);
  write_tops(drive, 0, 16);
  if (GENERATE(false, true)) {
    REQUIRE(drive->trim(block(bottom - 1, 0), 5 * 8) == Status::ok);
    REQUIRE(drive->trim(block(bottom - 1, 5), 11 * 8) == Status::ok);
  } else {
    REQUIRE(drive->trim(block(bottom - 2, 8), 24 * 8) == Status::ok);
  }
  drive->steps.clear();
  REQUIRE(write_sectors(drive, bottom, 2, 3) == Status::ok);
  REQUIRE(drive->steps.size() == 1 + 4);
  CHECK(drive->steps[0].op == MediaOp::write);
  CHECK(drive->steps[0].run == PhysicalRun{{0, 3}, 0, 16});
  CHECK((drive->steps[1].op == MediaOp::read && drive->steps[1].run == PhysicalRun{{0, 5}, 2, 3}));
  REQUIRE(write_sectors(drive, bottom, 8, 3) == Status::ok);
  CHECK(drive->steps.size() == 5 + 4);

  REQUIRE(drive->trim(block(bottom + 1, 0), 16 * 8) == Status::ok);
  drive->steps.clear();
  REQUIRE(write_sectors(drive, bottom, 2, 3) == Status::ok);
  REQUIRE(write_sectors(drive, bottom, 0, 16) == Status::ok);
  CHECK(drive->steps.size() == 3);
  CHECK(drive.metric("rmw_free.count") == 2);
  CHECK(drive.wrong_blocks() == 0);

  REQUIRE(write_sectors(drive, bottom + 1, 7, 1) == Status::ok);  // from here on that one holds something
  drive->steps.clear();
  REQUIRE(write_sectors(drive, bottom, 2, 3) == Status::ok);
  CHECK(drive->steps.size() == 4);
  CHECK(drive.wrong_blocks() == 0);
  drive->cut_at(drive->now() + 1_ms);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("imr-rmw: a write of less than an eighth of a track saves and restores trimmed tops, which is less to write than all of them") {
  TestDrive drive(make_imr_rmw_factory(), one_slot);
  write_tops(drive, 0, 16);
  REQUIRE(drive->trim(block(bottom - 1, 0), 16 * 8) == Status::ok);
  drive->steps.clear();
  REQUIRE(write_sectors(drive, bottom, 2, 1) == Status::ok);
  CHECK(drive->steps.size() == 6);
  REQUIRE(write_sectors(drive, bottom, 2, 2) == Status::ok);
  CHECK(drive->steps.size() == 6 + 5);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("imr-rmw: a top that was trimmed in part, or written between two TRIMs, is saved and restored") {
  TestDrive drive(make_imr_rmw_factory(), one_slot);
  write_tops(drive, 0, 16);
  REQUIRE(drive->trim(block(bottom - 1, 1), 15 * 8) == Status::ok);
  REQUIRE(drive->trim(block(bottom + 1, 0), 8 * 8) == Status::ok);
  REQUIRE(write_sectors(drive, bottom + 1, 3, 1) == Status::ok);
  REQUIRE(drive->trim(block(bottom + 1, 8), 8 * 8) == Status::ok);
  drive->steps.clear();
  REQUIRE(write_sectors(drive, bottom, 2, 3) == Status::ok);
  CHECK(drive->steps.size() == 6);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("imr-rmw: a top that is written after its TRIM is saved and restored") {
  TestDrive drive(make_imr_rmw_factory(), one_slot);
  write_tops(drive, 0, 16);
  REQUIRE(drive->trim(block(bottom - 1, 0), 16 * 8) == Status::ok);
  REQUIRE(write_sectors(drive, bottom - 1, 3, 2) == Status::ok);
  drive->steps.clear();
  REQUIRE(write_sectors(drive, bottom, 2, 3) == Status::ok);
  CHECK(drive->steps.size() == 6);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("imr-rmw: a cut at any instant of the writing over of tops that were trimmed leaves them old or empty") {
  for (const double early : {0.0, 1.0}) {
    for (const PowerfailSector sector : {PowerfailSector::atomic_old, PowerfailSector::atomic_new}) {
      for (std::uint64_t actions = 0;; ++actions) {
        INFO("cut after " << actions << " actions");
        BenchConfig config = small_drive();
        config.media.powerfail_sector = sector;
        TestDrive drive(make_imr_rmw_factory(), {{"backup_slots", 1}, {"ack_early", early}}, config);
        write_tops(drive, 0, 16);
        REQUIRE(write_sectors(drive, bottom, 1, 6) == Status::ok);
        REQUIRE(write_sectors(drive, bottom + 3, 0, 16) == Status::ok);
        REQUIRE(drive->trim(block(bottom - 1, 0), 16 * 8) == Status::ok);
        if (actions % 2 == 0) REQUIRE(drive->trim(block(bottom + 1, 0), 16 * 8) == Status::ok);
        drive->submit(HostOp::write, block(bottom, 4), 6 * 8);
        drive->submit(HostOp::write, block(bottom - 1, 10), 2 * 8);
        const bool cut = drive->cut_after_actions(actions);
        CHECK(drive.wrong_blocks() == 0);
        REQUIRE(write_sectors(drive, bottom, 0, 16) == Status::ok);
        REQUIRE(write_sectors(drive, bottom + 2, 0, 16) == Status::ok);
        CHECK(drive.wrong_blocks() == 0);
        if (!cut) break;
      }
    }
  }
}
