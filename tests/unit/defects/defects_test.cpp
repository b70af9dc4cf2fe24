// What the drive does about each kind of bad sector.
#include <catch2/catch.hpp>

#include "support/recorded_events.hpp"
#include "unit/defects/defect_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;
using Events = std::vector<RecordedEvents::Event>;

/// Subject of events about sectors of that track.
constexpr std::uint64_t radius_1 = 1U << 20;

TEST_CASE("a drive without bad sectors writes and reads nothing on its spare tracks, and pays nothing") {
  DefectDrive with([](MediaConfig&) {});
  DefectDrive without([](MediaConfig& media) { media.spare_tracks = 0; });
  for (DefectDrive* drive : {&with, &without}) {
    REQUIRE(drive->write(3, 40) == Status::ok);
    REQUIRE(drive->read(3, 40) == Status::ok);
  }
  CHECK(with->now() == without->now());
  CHECK(with->steps.size() == without->steps.size());
  CHECK(with.defects("spares_left") == 28);
  with->cut_now();  // the table is looked for: the four headers
  without->cut_now();
  CHECK(with->steps.size() == without->steps.size() + 4);
  CHECK(with.wrong_blocks() == 0);
}

TEST_CASE("a sector that comes back at a retry is delivered, in the host's time, and stays where it is below the threshold") {
  const std::uint32_t failing = GENERATE(1U, 3U, 4U);  // the first read fails, then retries 1 to failing - 1
  DefectDrive drive([&](MediaConfig& media) { media.transient_sectors = {{0, 1, 4, double(failing)}}; });
  REQUIRE(drive.write(16, 16) == Status::ok);
  const RecordedEvents events(drive.bench());
  HostRequest& read = drive->submit(HostOp::read, 16 * blocks_per_sector, 16 * blocks_per_sector);
  std::array<Picoseconds, life_phases> parts{};
  while (!FirmwareBench::done(read)) {
    parts = read.life.parts;
    drive->timeline().step();
  }
  parts = read.life.parts;
  REQUIRE(read.status == Status::ok);
  CHECK(drive.defects("retries") == failing);
  CHECK(drive.defects("recovered") == 1);
  const bool moved = failing >= 4;
  CHECK(events.of("relocate") == (moved ? Events{{radius_1 + 4, 1}} : Events{}));
  CHECK(drive.defects("relocations") == (moved ? 1 : 0));
  CHECK(drive.defects("spares_left") == (moved ? 27 : 28));
  CHECK(parts[static_cast<std::size_t>(LifePhase::error_recovery)] > 5_ms * failing);  // at least half a turn each
  drive->steps.clear();
  REQUIRE(drive.read(16, 16) == Status::ok);
  CHECK(drive.defects("recovered") == (moved ? 1 : 2));  // on the spare it is read at once
  if (moved) CHECK(drive->steps.size() == 3);            // before it, the spare, behind it
  drive->cut_now();
  CHECK(drive.wrong_blocks() == 0);
  CHECK(drive.defects("reallocated") == (moved ? 1 : 0));
}

TEST_CASE("a sector is given up after the last retry, and not before") {
  for (const std::uint32_t failing : {11U, 12U}) {
    DefectDrive drive([&](MediaConfig& media) { media.transient_sectors = {{0, 1, 4, double(failing)}}; });
    REQUIRE(drive.write(16, 16) == Status::ok);
    const bool back = failing == 11;
    CHECK(drive.read(16, 16) == (back ? Status::ok : Status::media_error));
    CHECK(drive.defects("retries") == 11);
    CHECK(drive.defects("uncorrectable") == (back ? 0 : 1));
    CHECK(drive.defects("pending") == (back ? 0 : 1));
    CHECK(drive.defects("reallocated") == (back ? 1 : 0));
    REQUIRE(drive.read(16, 4) == Status::ok);  // its neighbours
    REQUIRE(drive.read(21, 11) == Status::ok);
  }
}

TEST_CASE("an unreadable sector is lost alone, is pending through a power cut, and the next write moves it to a spare") {
  DefectDrive drive([](MediaConfig& media) { media.unreadable_sectors = {{0, 1, 4}}; });
  REQUIRE(drive.read(16, 16) == Status::media_error);
  CHECK(drive.defects("pending") == 1);
  drive->cut_now();
  CHECK(drive.defects("pending") == 1);
  drive->steps.clear();
  REQUIRE(drive.write(16, 16) == Status::ok);
  CHECK(drive.defects("pending") == 0);
  CHECK(drive.defects("reallocated") == 1);
  REQUIRE(drive.read(16, 16) == Status::ok);
  drive->cut_now();
  REQUIRE(drive.read(16, 16) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
  REQUIRE(drive.write(18, 4) == Status::ok);  // in parts, the spare written in place
  REQUIRE(drive.read(16, 16) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
  CHECK(drive.defects("spares_left") == 27);
}

TEST_CASE("after a power cut a pending sector gets all of its retries again: a write of which the table did not learn may have cured it") {
  for (const std::uint32_t failing : {23U, 24U}) {  // 12 reads make it pending, the last of 12 more brings it or does not
    DefectDrive drive([&](MediaConfig& media) { media.transient_sectors = {{0, 1, 4, double(failing)}}; });
    REQUIRE(drive.write(16, 16) == Status::ok);
    REQUIRE(drive.read(16, 16) == Status::media_error);
    REQUIRE(drive.defects("pending") == 1);
    drive->cut_now();
    CHECK(drive.read(20, 1) == (failing == 23 ? Status::ok : Status::media_error));
  }
}

TEST_CASE("a pending sector that came back, by itself or at its one retry, gets all of its retries again") {
  const std::uint32_t failing = GENERATE(12U, 13U);  // the next read brings it, or its retry does
  DefectDrive drive([&](MediaConfig& media) { media.transient_sectors = {{0, 1, 4, double(failing)}}; });
  REQUIRE(drive.write(16, 16) == Status::ok);
  REQUIRE(drive.read(16, 16) == Status::media_error);
  REQUIRE(drive.defects("pending") == 1);
  REQUIRE(drive.read(16, 16) == Status::ok);
  drive->media().add_transient({{0, 1}, 4}, 5);
  CHECK(drive.read(16, 16) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("a pending sector that holds the next write, of many sectors or of it alone, stays where it is and is forgotten") {
  const std::uint32_t count = GENERATE(16U, 1U);
  DefectDrive drive([](MediaConfig& media) {
    media.transient_errors_per_million = 5'000;  // soft errors: new data is good, but they take longer than the retries
    media.transient_error_reads = 1000;
  });
  for (std::uint64_t sector = 0; sector < 512; sector += 16) static_cast<void>(drive.read(sector, 16));
  const double pending = drive.defects("pending");
  REQUIRE(pending > 0);
  for (std::uint64_t sector = 0; sector < 512; sector += count) REQUIRE(drive.write(sector, count) == Status::ok);
  CHECK(drive.defects("pending") == 0);
  CHECK(drive.defects("reallocated") < pending);
}

TEST_CASE("a write that stops is looked at closer from where it stopped, and behind the bad sector it goes on in one piece") {
  DefectDrive drive([&](MediaConfig& media) { media.write_fault_sectors = {{0, 1, 13}}; });
  REQUIRE(drive.write(16, 16) == Status::ok);
  CHECK(drive->steps.back().run == PhysicalRun{{0, 1}, 14, 2});
  // First two sectors at a time, then those two in which it stopped.
  for (const auto& step : drive->steps)
    if (step.run.track == PhysicalTrack{0, 1} && step.run.count == 1) CHECK((step.run.first == 12 || step.run.first == 13));
}

TEST_CASE("a write that stops at a bad sector is repeated, and then that sector alone goes to a spare") {
  const std::uint32_t bad = GENERATE(0U, 7U, 15U);
  DefectDrive drive([&](MediaConfig& media) { media.write_fault_sectors = {{0, 1, double(bad)}}; });
  REQUIRE(drive.write(10, 30) == Status::ok);
  CHECK(drive.defects("write_faults") == 1);
  CHECK(drive.defects("retries") == 5);
  CHECK(drive.defects("reallocated") == 1);
  REQUIRE(drive.read(10, 30) == Status::ok);
  REQUIRE(drive.write(16 + bad) == Status::ok);  // on its spare
  CHECK(drive.defects("write_faults") == 1);
  drive->cut_now();
  REQUIRE(drive.read(10, 30) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("a spare that is bad itself is passed over, before and after it came into use") {
  DefectDrive drive([](MediaConfig& media) {
    media.write_fault_sectors = {{0, 1, 4}};
    media.unreadable_sectors = {{0, first_spare_radius, 2}};
    media.grown_defects = {{0, first_spare_radius, 3, 60'000}};
  });
  REQUIRE(drive.write(20) == Status::ok);
  CHECK(drive.defects("spares_left") == 26);  // the first did not hold it
  REQUIRE(drive.read(20) == Status::ok);
  drive->run_for(60_s);
  REQUIRE(drive.read(20) == Status::media_error);
  CHECK(drive.defects("pending") == 1);
  REQUIRE(drive.write(20) == Status::ok);
  CHECK(drive.defects("spares_left") == 25);
  CHECK(drive.defects("pending") == 0);
  drive->cut_now();
  REQUIRE(drive.read(20) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("the table survives a bad place in either copy, or in one of each") {
  const auto [a, b] = GENERATE(table<int, int>({{0, -1}, {1, -1}, {-1, 0}, {-1, 1}, {0, 1}, {1, 0}}));
  DefectDrive drive([&, a = a, b = b](MediaConfig& media) {
    media.write_fault_sectors = {{0, 1, 4}, {0, 2, 4}, {0, 3, 4}};
    if (a >= 0) media.unreadable_sectors.push_back({0, first_spare_radius, double(a)});
    if (b >= 0) media.unreadable_sectors.push_back({0, first_spare_radius + 1, double(b)});
  });
  for (std::uint32_t radius = 1; radius <= 3; ++radius) {
    REQUIRE(drive.write(radius * 16, 16) == Status::ok);
    drive->cut_now();
    REQUIRE(drive->boot_status() == Status::ok);
    CHECK(drive.defects("reallocated") == radius);
    for (std::uint32_t written = 1; written <= radius; ++written) REQUIRE(drive.read(written * 16, 16) == Status::ok);
  }
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("a drive that is formatted again begins an empty table, and what it saves then counts") {
  DefectDrive drive([](MediaConfig& media) { media.write_fault_sectors = {{0, 1, 4}, {0, 2, 4}, {0, 3, 4}}; });
  for (std::uint32_t radius = 1; radius <= 3; ++radius) REQUIRE(drive.write(radius * 16, 16) == Status::ok);
  CHECK(drive.defects("reallocated") == 3);
  drive->controller().power_off();
  bool booted = false;
  drive->controller().power_on(false, [&](Status) { booted = true; });
  while (!booted) drive->timeline().step();
  CHECK(drive.defects("reallocated") == 0);
  REQUIRE(drive.write(16, 16) == Status::ok);
  drive->cut_now();
  CHECK(drive.defects("reallocated") == 1);
  REQUIRE(drive.read(16, 16) == Status::ok);
}

TEST_CASE("a table of which no image is whole stops the boot: what lies where is not known") {
  DefectDrive drive([](MediaConfig& media) {
    media.write_fault_sectors = {{0, 1, 4}};
    media.grown_defects = {{0, 32, 0, 60'000}, {0, 32, 1, 60'000}, {0, 33, 0, 60'000}, {0, 33, 1, 60'000}};
  });
  REQUIRE(drive.write(16, 16) == Status::ok);
  drive->run_for(60_s);
  drive->cut_now();
  CHECK(drive->boot_status() == Status::corrupt);
}
