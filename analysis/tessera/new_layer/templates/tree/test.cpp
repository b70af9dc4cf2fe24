// @NAME@ on a drive of 32 tracks of 16 sectors; even radii in front of the backup region are bottom tracks.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint64_t track_sectors = 16;
constexpr std::uint64_t bottom = 4;  // its tops are 3 and 5

Status write_track(TestDrive& drive, std::uint64_t track) {
  return drive->write(track * track_sectors * blocks_per_sector, track_sectors * blocks_per_sector);
}

}  // namespace

TEST_CASE("@NAME@: a write to a bottom track leaves the tops next to it as they were") {
  TestDrive drive(make_@ID@_factory(), {});
  for (const std::uint64_t track : {bottom - 1, bottom + 1, bottom}) REQUIRE(write_track(drive, track) == Status::ok);
  drive.check_content();
}

TEST_CASE("@NAME@: a power cut at any instant of a write to a bottom track loses nothing") {
  for (int actions = 0;; ++actions) {
    TestDrive drive(make_@ID@_factory(), {});
    for (const std::uint64_t track : {bottom - 1, bottom + 1, bottom}) REQUIRE(write_track(drive, track) == Status::ok);
    drive->submit(HostOp::write, bottom * track_sectors * blocks_per_sector, blocks_per_sector);
    const bool cut = drive->cut_after_actions(actions);
    INFO("cut after " << actions << " actions");
    REQUIRE(drive->boot_status() == Status::ok);
    drive.check_content();
    if (!cut) break;
  }
}
