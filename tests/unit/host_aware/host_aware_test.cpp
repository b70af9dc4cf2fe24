// What goes where, what zones say of themselves, and what a reset gives up.
#include "host_aware_drive.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("writes at the pointer go to their band, all others to the media cache") {
  HostAwareDrive drive;
  CHECK(drive.zone(0).type == ZoneType::conventional);
  CHECK(drive.zone(1).type == ZoneType::sequential_write_preferred);
  CHECK(drive.condition(1) == ZoneCondition::empty);
  drive.write_zone(1, 0, 3);
  drive.write_zone(1, 3, 5);
  CHECK(drive.metric("stream.sectors") == 8);
  CHECK(drive.metric("packet.writes") == 0);
  CHECK(drive.pointer(1) == 8);
  CHECK(drive.condition(1) == ZoneCondition::implicitly_open);
  CHECK_FALSE(drive.zone(1).non_sequential);
  drive.write_zone(1, 2, 1);
  CHECK(drive.zone(1).non_sequential);
  drive.write_zone(1, 12, 2);
  CHECK(drive.metric("packet.writes") == 2);
  CHECK(drive.metric("zones.non_sequential_writes") == 2);
  CHECK(drive.pointer(1) == 14);
  drive.write_zone(1, 14, 4);
  CHECK(drive.metric("stream.sectors") == 12);
  drive.check_content();
}

TEST_CASE("a write across the end of a zone is no error, and both pointers move") {
  HostAwareDrive drive;
  drive.write_zone(1, 0, 28);
  drive.write_zone(1, 28, 5);
  CHECK(drive.condition(1) == ZoneCondition::full);
  CHECK(drive.pointer(2) == 3);
  drive.write_zone(0, 28, 4);
  CHECK(drive.condition(0) == ZoneCondition::not_write_pointer);
  drive.write_zone(1, 29, 1);
  CHECK(drive.condition(1) == ZoneCondition::full);
  drive.check_content();
}

TEST_CASE("in a band that holds more after the pointer a write at the pointer goes to the media cache") {
  HostAwareDrive drive;
  drive.write_zone(2, 0, 4);  // of the band that zone 1 ends in, which holds nothing in front of it
  drive.write_zone(1, 0, 24);
  const double streamed = drive.metric("stream.sectors");
  drive.write_zone(1, 24, 6);
  CHECK(drive.metric("stream.sectors") == streamed);
  drive.check_content();
}

TEST_CASE("zones are opened, closed, finished and reset, and never refuse for want of room") {
  HostAwareDrive drive;
  CHECK(drive.manage(HostOp::zone_open, 0) == Status::invalid_field);
  for (std::uint32_t zone = 1; zone < 6; ++zone) CHECK(drive.manage(HostOp::zone_open, zone) == Status::ok);
  CHECK(drive.condition(5) == ZoneCondition::explicitly_open);
  CHECK(drive.manage(HostOp::zone_close, 5) == Status::ok);
  CHECK(drive.condition(5) == ZoneCondition::empty);
  for (std::uint32_t zone = 1; zone < 5; ++zone) CHECK(drive.manage(HostOp::zone_close, zone) == Status::ok);
  for (std::uint32_t zone = 1; zone < 6; ++zone) drive.write_zone(zone, 0, 2);
  CHECK(drive.metric("zones.closed_for_others") == 2);
  CHECK(drive.condition(1) == ZoneCondition::closed);
  CHECK(drive.condition(2) == ZoneCondition::closed);
  CHECK(drive.condition(3) == ZoneCondition::implicitly_open);
  CHECK(drive.manage(HostOp::zone_finish, 3) == Status::ok);
  CHECK(drive.condition(3) == ZoneCondition::full);
  drive.cut_now();
  CHECK(drive.condition(3) == ZoneCondition::full);
  CHECK(drive.condition(4) == ZoneCondition::closed);
  CHECK(drive.manage(HostOp::zone_reset, 3) == Status::ok);
  CHECK(drive.condition(3) == ZoneCondition::empty);
  drive.check_content();
}

TEST_CASE("after a reset a zone is written to its bands again") {
  HostAwareSetup setup;
  setup.prefilled = 240;
  HostAwareDrive drive(setup);
  CHECK(drive.condition(2) == ZoneCondition::full);
  drive.write_zone(2, 0, 4);
  CHECK(drive.metric("stream.sectors") == 0);
  REQUIRE(drive.manage(HostOp::zone_reset, 2) == Status::ok);
  CHECK_FALSE(drive.zone(2).non_sequential);
  REQUIRE(drive.manage(HostOp::zone_reset, 3) == Status::ok);
  drive.write_zone(2, 0, 30);
  CHECK(drive.metric("stream.sectors") == 30);
  drive.check_content();
}

TEST_CASE("what an overlapping write destroyed after a reset reads as never written, before and after a merge") {
  const std::uint32_t failing_reads = GENERATE(0U, 2U);  // of the destroyed sectors
  HostAwareDrive drive;
  drive.write_zone(1, 0, 30);
  drive.write_zone(5, 0, 30);
  REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);
  drive.write_zone(1, 0, 6);  // and the track after it
  MediaDevice& media = drive.bench().media();
  std::vector<PhysicalSector> destroyed;
  for (std::uint32_t radius = 0; radius < 200; ++radius)
    for (std::uint32_t sector = 0; sector < 8; ++sector)
      if (media.content().status(radius, sector) == Status::damaged) destroyed.push_back({{0, radius}, sector});
  REQUIRE_FALSE(destroyed.empty());
  const auto fail = [&](std::uint32_t reads) {
    for (const PhysicalSector sector : destroyed) media.add_transient(sector, reads);
  };
  fail(failing_reads);
  drive.read_zone(1, 6, 20);
  drive.write_zone(1, 20, 1);
  drive.write_zone(1, 3, 1);  // so that the merge begins in front of that track
  fail(failing_reads);
  clean_all_older(drive, 5);
  CHECK_FALSE(drive.zone(1).non_sequential);
  fail(0);
  drive.read_zone(1, 0, 30);
  drive.check_content();
}

TEST_CASE("a zone is non-sequential as long as the media cache holds some of it") {
  HostAwareSetup setup;
  setup.prefilled = 240;
  HostAwareDrive drive(setup);
  drive.write_zone(1, 5, 1);
  CHECK(drive.zone(1).non_sequential);
  drive.cut_now();
  CHECK(drive.zone(1).non_sequential);
  clean_all_older(drive, 5);
  CHECK_FALSE(drive.zone(1).non_sequential);
  drive.write_zone(1, 6, 1);
  CHECK(drive.zone(1).non_sequential);
  drive.trim(30 + 6);
  CHECK_FALSE(drive.zone(1).non_sequential);
  drive.cut_now();
  CHECK_FALSE(drive.zone(1).non_sequential);
  drive.check_content();
}

TEST_CASE("a TRIM of a zone leaves its pointer, and nothing of it is merged, nor comes back over what is written after a reset") {
  HostAwareSetup setup;
  setup.prefilled = 240;
  HostAwareDrive drive(setup);
  for (std::uint64_t sector = 3; sector < 12; ++sector) drive.write_zone(1, sector, 1);
  const std::uint64_t pointer = drive.pointer(1);
  drive.trim(30, 30);
  CHECK(drive.pointer(1) == pointer);
  CHECK(drive.layer().cache().map().logged() == 0);
  drive.cut_now();
  CHECK(drive.pointer(1) == pointer);
  drive.check_content();
  REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);
  drive.write_zone(1, 0, 20);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("a TRIM of a zone that shares a band with the next one moves its pointer no further than it was") {
  HostAwareDrive drive;
  drive.write_zone(1, 0, 26);
  drive.write_zone(2, 0, 5);  // in the same band
  drive.write_zone(1, 25, 1);
  REQUIRE(drive.layer().cache().map().logged() == 1);
  drive.trim(30, 30);
  CHECK(drive.layer().cache().map().logged() == 0);
  CHECK(drive.pointer(1) == 26);
  drive.cut_now();
  CHECK(drive.pointer(1) == 26);
  CHECK(drive.pointer(2) == 5);
  drive.check_content();
}

TEST_CASE("zones that cannot be are refused in a sentence") {
  const auto problem_of = [](auto change) {
    HostAwareSetup setup;
    change(setup.layer);
    std::string problem;
    CHECK(host_aware::plan_host_aware(setup.layer, geometry_of(setup.bench.media), problem).empty());
    return problem;
  };
  using Config = host_aware::HostAwareConfig;
  CHECK_THAT(problem_of([](Config& config) { config.zone = sectors(20); }), Catch::Contains("smaller than a band of 3 tracks"));
  CHECK_THAT(problem_of([](Config& config) { config.zone = Bytes(100'001); }), Catch::Contains("no whole number of sectors"));
  CHECK_THAT(problem_of([](Config& config) { config.conventional_zones = 8; }), Catch::Contains("leaves no zone to write in order"));
  CHECK_THAT(problem_of([](Config& config) { config.zones = 100; }), Catch::Contains("the drive has room for"));
  CHECK_THAT(problem_of([](Config& config) { config.zones = 0, config.conventional_zones = 60; }),
             Catch::Contains("leave no room for others"));
}
