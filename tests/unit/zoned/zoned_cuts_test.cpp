// Power cuts: at every instant of short scenarios, and in histories of a host that keeps to the rules.
#include "support/cut_everywhere.hpp"
#include "support/zone_history.hpp"
#include "zoned_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Goes on at the pointer that the drive reports.
void go_on(ZonedDrive& drive) {
  for (const std::uint32_t zone : {1U, 2U}) {
    if (drive.condition(zone) == ZoneCondition::full) REQUIRE(drive.manage(HostOp::zone_reset, zone) == Status::ok);
    REQUIRE(drive.write_zone(zone, drive.pointer(zone), 1) == Status::ok);
  }
}

}  // namespace

TEST_CASE("a cut at any instant of writes leaves the pointer between what was acknowledged and what was sent") {
  std::uint64_t acknowledged = 0;
  std::uint64_t cut_short = 0;
  for (std::uint64_t actions = 0;; ++actions) {
    ZonedDrive drive;
    REQUIRE(drive.write_zone(1, 0, 3) == Status::ok);
    drive.bench().submit(HostOp::write, drive.block(1, 3), 4 * 8);
    drive.bench().submit(HostOp::write, drive.block(1, 7), 2 * 8);
    const bool cut = drive.bench().cut_after_actions(actions);  // the requests are gone with the power
    acknowledged = cut ? 3 : 9;
    INFO("cut after " << actions << " actions");
    REQUIRE(drive.bench().boot_status() == Status::ok);
    CHECK(drive.pointer(1) >= acknowledged);
    CHECK(drive.pointer(1) <= 9);
    CHECK(drive.condition(1) == (cut ? ZoneCondition::closed : ZoneCondition::implicitly_open));
    cut_short += drive.pointer(1) < 9 ? 1 : 0;
    drive.check_content();
    go_on(drive);
    drive.cut_now();
    drive.check_content();
    if (!cut) break;
  }
  CHECK(cut_short > 5);
}

TEST_CASE("a cut at any instant of a reset and the write behind it brings no old data back") {
  ZonedDrive empty;
  REQUIRE(empty.write_zone(1, 0, 11) == Status::ok);
  REQUIRE(empty.manage(HostOp::zone_reset, 1) == Status::ok);
  empty.cut_now();
  CHECK(empty.condition(1) == ZoneCondition::empty);
  const std::uint32_t most_steps = GENERATE(0U, 40U);
  const auto begin = [most_steps](ZonedDrive& drive) {
    REQUIRE(drive.write_zone(1, 0, 11) == Status::ok);
    const HostRequest& reset = drive.bench().submit(HostOp::zone_reset, drive.block(1), 0);
    for (std::uint32_t steps = most_steps; steps > 0 && !FirmwareBench::done(reset); --steps) drive.bench().timeline().step();
    drive.bench().submit(HostOp::write, drive.block(1), 5 * 8);
  };
  CHECK(cut_everywhere<ZonedDrive>(ZonedSetup(), begin, go_on) > 10);
}

TEST_CASE("a cut at any instant of the first write of a zone, and of the last, keeps what was acknowledged") {
  const auto begin = [](ZonedDrive& drive) {
    REQUIRE(drive.write_zone(1, 0, 10) == Status::ok);
    drive.bench().submit(HostOp::write, drive.block(1, 10), 2 * 8);
    drive.bench().submit(HostOp::write, drive.block(2), 1 * 8);
  };
  CHECK(cut_everywhere<ZonedDrive>(ZonedSetup(), begin, go_on) > 10);
}

TEST_CASE("a cut at any instant of a write of whole tracks leaves no mark in front of its data") {
  ZonedSetup setup;
  setup.bench.media.timing = MediaTimingMode::rotational;
  const auto begin = [](ZonedDrive& drive) {
    // Old data, which the tracks in front destroy: what lies below a pointer and was not written cannot be read.
    REQUIRE(drive.write_zone(1, 0, 12) == Status::ok);
    REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);
    REQUIRE(drive.write_zone(1, 0, 1) == Status::ok);
    drive.bench().submit(HostOp::write, drive.block(1, 1), 11 * 8);
  };
  CHECK(cut_everywhere<ZonedDrive>(setup, begin, go_on) > 5);
  for (std::uint64_t part = 0; part < 48; ++part) {
    ZonedDrive drive(setup);
    begin(drive);
    drive.bench().cut_at(drive.bench().now() + Picoseconds(part * ps_per_second / 1000));
    drive.check_content();
  }
}

TEST_CASE("data of an earlier life of a zone is not found as new data") {
  ZonedDrive drive;
  REQUIRE(drive.write_zone(1, 0, 12) == Status::ok);
  REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);
  REQUIRE(drive.write_zone(1, 0, 1) == Status::ok);
  drive.cut_now();
  CHECK(drive.pointer(1) == 1);
  CHECK(drive.metric("zones.searched") == 1);
  drive.check_content();
}

TEST_CASE("open zones are closed after a cut, and empty where nothing is written") {
  ZonedDrive drive;
  REQUIRE(drive.manage(HostOp::zone_open, 1) == Status::ok);
  REQUIRE(drive.manage(HostOp::zone_open, 2) == Status::ok);
  REQUIRE(drive.write_zone(2, 0, 4) == Status::ok);
  drive.cut_now();
  CHECK(drive.condition(1) == ZoneCondition::empty);
  CHECK(drive.condition(2) == ZoneCondition::closed);
  CHECK(drive.pointer(2) == 4);
  CHECK(drive.layer().states().open_zones() == 0);
}

TEST_CASE("the pointer of a zone of many tracks is found with few reads") {
  ZonedSetup setup;
  setup.layer.zone = sectors(64);
  setup.layer.zones = 3;
  ZonedDrive drive(setup);
  const auto written = static_cast<std::uint32_t>(GENERATE(1, 3, 4, 5, 31, 32, 33, 59, 60, 61, 63));
  REQUIRE(drive.write_zone(1, 0, written) == Status::ok);
  drive.cut_now();
  CHECK(drive.pointer(1) == written);
  CHECK(drive.metric("zones.search_reads") <= 12);
  drive.check_content();
}

TEST_CASE("histories of a host that keeps to the rules lose nothing, and find the pointers where they may be") {
  const std::uint64_t seed = GENERATE(range(1, 25));
  ZonedSetup setup;
  setup.layer.max_open = 1 + static_cast<std::uint32_t>(seed % 4);
  ZonedDrive drive(setup);
  ZonedWorkload host(seed, {.blocks = drive.user_sectors() * blocks_per_sector, .zone_blocks = drive.layer().zone_blocks(), .largest = 64});
  play_zone_history(drive, host, RandomStream(seed, "zoned histories"));
}
