// Updates in place: steps, times, sectors, locks.
#include "static_drive.hpp"

#include <algorithm>

#include "base/random.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// Letters and positions in the first band: "R1 R2 W0 ..."; a backup is "B".
std::string sequence(StaticDrive& drive) {
  std::string text;
  for (const FirmwareBench::StepRecord& step : drive->steps) {
    if (!text.empty()) text += ' ';
    if (step.run.track.radius < raz) {
      text += 'B';
    } else {
      text += step.op == MediaOp::read ? 'R' : 'W';
      text += std::to_string(step.run.track.radius - raz);
    }
  }
  return text;
}

std::string steps_of_update(StaticDrive& drive, std::uint64_t track) {
  drive->steps.clear();
  REQUIRE(drive.write_sectors(track, 2, 3) == Status::ok);
  return sequence(drive);
}

const std::map<std::string, double> as_paper{{"paper", 1}};

}  // namespace

TEST_CASE("static mappings: requests of an update in a full band (section 3.1)") {
  StaticDrive drive(Scheme::s1234, 2, as_paper, 8);
  CHECK(steps_of_update(drive, 0) == "R1 R2 R3 W0 W1 W2 W3");
  CHECK(drive.metric("war.mean") == 7);
  CHECK(steps_of_update(drive, 1) == "R2 R3 W1 W2 W3");
  CHECK(steps_of_update(drive, 2) == "R3 W2 W3");
  CHECK(steps_of_update(drive, 3) == "W3");
  CHECK(drive.metric("war.mean") == 4);
  CHECK(std::all_of(drive->steps.begin(), drive->steps.end(), [](const auto& step) { return step.run.first == 2 && step.run.count == 3; }));
}

TEST_CASE("static mappings: requests of updates at 75 percent of 124R(3)") {
  StaticDrive drive(Scheme::s124r3, 2, as_paper, 6);
  CHECK(steps_of_update(drive, 0) == "R1 W0 W1");
  CHECK(steps_of_update(drive, 1) == "W1");
  CHECK(steps_of_update(drive, 2) == "W3");
}

TEST_CASE("static mappings: a head of three tracks destroys two, and what their rewriting destroys") {
  StaticDrive drive(Scheme::s1234, 2, {{"paper", 0}, {"crash_safe", 0}, {"head_width", 3}, {"band_tracks", 5}});
  REQUIRE(drive.write_sectors(0, 0, 16) == Status::ok);
  REQUIRE(drive.write_sectors(2, 0, 16) == Status::ok);
  CHECK(steps_of_update(drive, 0) == "R2 W0 W2");
  REQUIRE(drive.write_sectors(4, 0, 16) == Status::ok);
  CHECK(steps_of_update(drive, 0) == "R2 R4 W0 W2 W4");
  REQUIRE(drive.write_sectors(1, 0, 16) == Status::ok);
  REQUIRE(drive.write_sectors(3, 0, 16) == Status::ok);
  CHECK(steps_of_update(drive, 0) == "R1 R2 R3 R4 W0 W1 W2 W3 W4");
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("static mappings: what an update destroys is saved between reading and writing") {
  StaticDrive drive(Scheme::s1234, 2, {}, 8);
  CHECK(steps_of_update(drive, 0) == "R1 R2 R3 B W0 W1 W2 W3");
  CHECK(drive->steps[3].run.count == 9);
  CHECK(drive->steps[3].hint == StepHint::backup_round_trip);
  CHECK(drive.metric("backup.sectors") == 9);
  CHECK(drive.metric("war.mean") == 7);
  CHECK(steps_of_update(drive, 7) == "W8");
}

TEST_CASE("static mappings: an update takes t_seek and half a turn, and two turns for each track behind") {
  for (const bool safe : {false, true}) {
    for (std::uint64_t behind = 0; behind < 4; ++behind) {
      BenchConfig config = static_drive(10);
      config.media.seek_curve = {{1, 8.0}, {63, 8.0}};
      StaticDrive drive(Scheme::s1234, config, {{"crash_safe", safe}}, 40);
      REQUIRE(drive.write_sectors(39, 0, 1) == Status::ok);  // far away
      drive->steps.clear();
      REQUIRE(drive.write_sectors(3 - behind, 2, 1) == Status::ok);
      // Where the tracks behind are saved first, a turn more.
      const Picoseconds saving = safe && behind != 0 ? 10_ms : 0_ms;
      CHECK(drive->media_time() == 8_ms + 5_ms + 10_ms * (2 * behind) + saving + Picoseconds(10'000'000'000 / track_sectors));
      drive->steps.clear();
      REQUIRE(drive.write_sectors(3 - behind, 2, 1) == Status::ok);  // right after it: a missed turn instead of seek and half a turn
      if (behind != 0) CHECK(drive->media_time() == 10_ms * (2 * behind + 1) + saving);
    }
  }
}

TEST_CASE("static mappings: the gauge of used tracks counts each once, and behind a power cut those that count as used") {
  StaticDrive drive(Scheme::s1234, 12, {}, 2);
  const auto used = [&drive] { return drive.metric("gauge.tracks.used.last"); };
  CHECK(used() == 2);
  for (const auto& [track, tracks] : {std::pair(8U, 3), std::pair(8U, 3), std::pair(1U, 3), std::pair(9U, 4)}) {
    REQUIRE(drive.write_sectors(track, 0, 1) == Status::ok);
    CHECK(used() == tracks);
  }
  drive->cut_now();
  CHECK(used() == 4);  // 48 tracks: each has a bit on record

  StaticDrive paper(Scheme::s1234, 2, as_paper);
  REQUIRE(paper.write_sectors(4, 0, 1) == Status::ok);
  CHECK(paper.metric("gauge.tracks.used.last") == 5);  // and all in front of it
  paper->cut_now();
  CHECK(paper.metric("gauge.tracks.used.last") == 8);
}

TEST_CASE("static mappings: a write of whole band in order costs nothing extra, backwards it does") {
  StaticDrive forwards(Scheme::s1234, 2);
  forwards.fill(8);
  CHECK(forwards.metric("war.mean") == 1);
  CHECK(forwards.metric("rmw.count") == 0);
  CHECK(forwards.metric("rmw_free.count") == 8);
  StaticDrive backwards(Scheme::s1234, 2);
  for (std::uint64_t track = 4; track-- > 0;) REQUIRE(backwards.write_sectors(track, 0, 4) == Status::ok);
  CHECK(backwards.metric("war.mean") == 4);
  CHECK(backwards.metric("rmw.count") == 3);
  CHECK(backwards.metric("rmw_free.count") == 1);
}

TEST_CASE("static mappings: a request over several tracks counts for each of them") {
  StaticDrive drive(Scheme::s1234, 2, as_paper, 8);
  REQUIRE(drive->write(StaticDrive::block(0, 8), 40 * blocks_per_sector) == Status::ok);  // tracks 0, 1 and 2
  CHECK(drive.metric("war.mean") == Approx((7 + 5 + 3) / 3.0));
  CHECK(drive.sectors_written() == 8 * 4 + 16 * 3 + 16 * 2);
}

TEST_CASE("static mappings: updates of tracks that hold data are told from first writes") {
  StaticDrive drive(Scheme::s1234, 2);
  REQUIRE(drive.write_sectors(3, 0, 1) == Status::ok);
  REQUIRE(drive.write_sectors(2, 0, 1) == Status::ok);  // the first write to its track, but not free
  CHECK(drive.metric("war.mean") == 2);
  REQUIRE(drive.write_sectors(2, 0, 1) == Status::ok);
  REQUIRE(drive.write_sectors(3, 0, 1) == Status::ok);
  REQUIRE(drive.write_sectors(3, 5, 1) == Status::ok);
  CHECK(drive.metric("war.update_mean") == Approx(5 / 3.0));
}

TEST_CASE("static mappings: usage is a high-water mark in the paper, each track's own affair otherwise") {
  StaticDrive paper(Scheme::s1234, 2, as_paper);
  REQUIRE(paper.write_sectors(2, 0, 1) == Status::ok);
  REQUIRE(paper.write_sectors(0, 0, 1) == Status::ok);
  CHECK(paper.metric("rmw.count") == 1);
  StaticDrive ours(Scheme::s1234, 2);
  REQUIRE(ours.write_sectors(2, 0, 1) == Status::ok);
  REQUIRE(ours.write_sectors(0, 0, 1) == Status::ok);
  CHECK(ours.metric("rmw.count") == 0);
}

TEST_CASE("static mappings: writes that overlap in angle within a band, all at once, keep every track whole") {
  for (const double width : {2.0, 3.0}) {
    BenchConfig config = static_drive(4);
    config.media.timing = MediaTimingMode::rotational;
    config.controller.scheduling = SchedulingPolicy::shortest_positioning;
    StaticDrive drive(Scheme::s1234, config, {{"head_width", width}});
    RandomStream random(7, "static mappings");
    for (int round = 0; round < 60; ++round) {
      for (int i = 0; i < 16; ++i) {
        const HostOp op = random.below(3) != 0 ? HostOp::write : HostOp::read;
        drive->submit(op, StaticDrive::block(random.below(8), random.below(12)), static_cast<std::uint32_t>(random.below(4) + 1) * 8);
      }
      drive->run_until_all_done();
    }
    CHECK(drive.wrong_blocks() == 0);
    CHECK(drive.metric("rmw.count") > 200);
  }
}

TEST_CASE("static mappings: what an update destroys is saved half a turn away from it") {
  for (const auto& [sector, opposite] : {std::pair(3U, 11U), std::pair(7U, 15U), std::pair(12U, 4U)}) {
    StaticDrive drive(Scheme::s1234, 2, {}, 8);
    drive->steps.clear();
    REQUIRE(drive.write_sectors(2, sector, 1) == Status::ok);
    const auto saved = drive->steps_in("backup");
    REQUIRE(saved.size() == 1);
    CHECK(saved.front().run.first == opposite);
  }
}
