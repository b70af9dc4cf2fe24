// The background medium scan finds and moves sectors that are hard to read before the host meets them, and keeps out of the host's way.
#include "firmware/scan/media_scan.hpp"

#include "unit/defects/defect_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

constexpr std::uint32_t data_tracks = 32;
constexpr std::uint32_t per_track = 16;

FirmwareConfig scanning(Picoseconds interval = 1'000_s) {
  FirmwareConfig firmware;
  firmware.media_scan.interval = interval;
  firmware.media_scan.minimum_idle = 100_ms;
  return firmware;
}

BenchConfig fading_drive(std::uint32_t until_ms) {
  return drive_with([&](MediaConfig& media) {
    media.grown_defects = {{0, 5, 3, double(until_ms)}, {0, 20, 7, double(until_ms)}};
    media.grown_defect_notice = 60'000_s;
  });
}

}  // namespace

TEST_CASE("a scan reads every track of the plan once an interval") {
  DefectDrive drive(drive_with([](MediaConfig&) {}), scanning());
  drive->run_for(900_s);
  CHECK(drive.metric("media_scan.passes") == 1);
  CHECK(drive.metric("media_scan.reads") == data_tracks);
  CHECK(drive.metric("media_scan.bytes") == data_tracks * per_track * 4096);
  CHECK(drive.metric("media_scan.busy") > 0);
  drive->run_for(1'000_s);
  CHECK(drive.metric("media_scan.passes") == 2);
}

TEST_CASE("a scan in parts of tracks reads the same") {
  FirmwareConfig firmware = scanning();
  firmware.media_scan.sectors = 5;
  DefectDrive drive(drive_with([](MediaConfig&) {}), firmware);
  drive->run_for(900_s);
  CHECK(drive.metric("media_scan.reads") == data_tracks * 4);
  CHECK(drive.metric("media_scan.bytes") == data_tracks * per_track * 4096);
}

TEST_CASE("sectors that fade are moved by a scan before they are lost, and lost to the host without one") {
  for (const bool scans : {true, false}) {
    DefectDrive drive(fading_drive(500'000), scans ? scanning() : FirmwareConfig{});
    REQUIRE(drive.write(0, data_tracks * per_track) == Status::ok);
    drive->run_for(600_s);
    CHECK(drive.read(5 * per_track + 3) == (scans ? Status::ok : Status::media_error));
    CHECK(drive.read(20 * per_track + 7) == (scans ? Status::ok : Status::media_error));
    if (!scans) continue;
    CHECK(drive.metric("media_scan.recovered") == 2);
    CHECK(drive.metric("media_scan.moved") == 2);
    CHECK(drive.metric("media_scan.unreadable") == 0);
    CHECK(drive.defects("reallocated") == 2);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("a scan finds an unreadable sector once, and the next write to it goes to a spare") {
  DefectDrive drive(drive_with([](MediaConfig& media) { media.unreadable_sectors = {{0, 4, 3}}; }), scanning());
  drive->run_for(2'500_s);
  CHECK(drive.metric("media_scan.passes") == 3);
  CHECK(drive.metric("media_scan.unreadable") == 1);
  CHECK(drive.defects("pending") == 1);
  REQUIRE(drive.write(4 * per_track + 3) == Status::ok);
  CHECK(drive.defects("reallocated") == 1);
  CHECK(drive.read(4 * per_track + 3) == Status::ok);
}

TEST_CASE("a command of the host ends a read of the scan, which is repeated once the host was idle for long enough") {
  DefectDrive drive(drive_with([](MediaConfig&) {}), scanning());
  REQUIRE(drive.write(0, per_track) == Status::ok);
  drive->run_for(220_ms);  // two looks; then it reads
  const double before = drive.metric("media_scan.reads");
  CHECK(before > 0);
  for (std::uint32_t i = 0; i < 200; ++i) {
    REQUIRE(drive.read(i) == Status::ok);
    drive->run_for(50_ms);
  }
  CHECK(drive.metric("media_scan.delayed") == 1);
  CHECK(drive.metric("media_scan.suspended") == 1);
  CHECK(drive.metric("media_scan.reads") <= before + 1);
  drive->run_for(10_s);
  CHECK(drive.metric("media_scan.passes") == 1);
  CHECK(drive.metric("media_scan.bytes") == data_tracks * per_track * 4096);
}

TEST_CASE("a drive that scans is idle to whoever waits for it") {
  DefectDrive drive(drive_with([](MediaConfig&) {}), scanning(1_s));
  drive->run_for(3_s);
  REQUIRE(drive.write(0, per_track) == Status::ok);
  const Picoseconds begin = drive->now();
  drive->run_until_idle(5_s);
  CHECK(drive->now() - begin < 100_ms);
}

TEST_CASE("a power cut leaves the scan where it was, a dump that fails has it begin again") {
  for (const bool whole : {true, false}) {
    DefectDrive drive(drive_with([](MediaConfig&) {}), scanning(100'000_s));
    if (!whole) drive->fail_dumps([](std::uint64_t) { return std::uint64_t{0}; });
    drive->run_for(400_ms);
    const double read = drive.metric("media_scan.bytes");
    REQUIRE(read > 4 * per_track * 4096);
    REQUIRE(drive.metric("media_scan.passes") == 0);
    drive->cut_now();
    REQUIRE(drive->boot_status() == Status::ok);
    drive->run_for(20_s);
    const double all = data_tracks * per_track * 4096;
    CHECK(drive.metric("media_scan.passes") == 1);
    CHECK(drive.metric("media_scan.bytes") == (whole ? all - read : all));
    drive->cut_now();
    drive->run_for(20_s);
    CHECK(drive.metric("media_scan.passes") == (whole ? 0 : 1));  // the next is not due
  }
}

TEST_CASE("a cut at any instant of a move by the scan loses nothing") {
  for (std::uint64_t actions = 0;; ++actions) {
    DefectDrive drive(fading_drive(50'000'000), scanning());
    REQUIRE(drive.write(0, 8 * per_track) == Status::ok);
    drive->run_for(190_ms);
    const bool cut = drive->cut_after_actions(actions * 3);
    INFO("cut after " << actions * 3 << " actions");
    REQUIRE(drive->boot_status() == Status::ok);
    REQUIRE(drive.wrong_blocks() == 0);
    if (!cut || actions > 300) break;
  }
}

TEST_CASE("a scan moves the firmware's own sectors as what they are") {
  FirmwareConfig firmware = scanning();
  firmware.write_cache.capacity = Bytes(64 * 4096);
  firmware.write_cache.durability = CacheDurability::journal;
  TestDrive drive(make_cmr_factory(), {{"journal_tracks", 4}}, drive_with([](MediaConfig& media) {
                    for (double radius = 13; radius < 19; ++radius)  // the journal's tracks among them
                      for (double sector = 0; sector < 4; ++sector) media.grown_defects.push_back({0, radius, sector, 4e9});
                    media.grown_defect_notice = Picoseconds(~std::uint64_t{0});
                  }),
                  firmware);
  for (std::uint64_t i = 0; i < 30; ++i) REQUIRE(drive->write(i * 24, 8) == Status::ok);
  drive->run_for(100_s);
  CHECK(drive.metric("media_scan.moved") > 0);
  drive->cut_now();
  REQUIRE(drive->boot_status() == Status::ok);
  drive.check_content();
}

TEST_CASE("a scan is refused on a drive without spare tracks") {
  BenchConfig config = drive_with([](MediaConfig& media) { media.spare_tracks = 0; });
  MediaScanConfig scan;
  CHECK(scan.problem(geometry_of(config.media)).empty());
  scan.interval = 1_s;
  CHECK(scan.problem(geometry_of(config.media)).starts_with("firmware.media_scan.interval is not 0, and the drive has no spare tracks"));
}
