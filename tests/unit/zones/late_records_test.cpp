// Records of slots that one boot cannot read and a later one can: what the drive has done in between must still hold.
#include "support/unreadable_sectors.hpp"
#include "zone_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Where the buffer has this sector.
template <class Drive>
PhysicalSector slot_of(Drive& drive, std::uint64_t sector) {
  drive.bench().steps.clear();
  drive.read(sector);
  const PhysicalRun place = drive.bench().steps.front().run;
  return {place.track, place.first};
}

/// A cut, and a boot that cannot read these.
template <class Drive>
void boot_without(Drive& drive, const std::vector<PhysicalSector>& slots) {
  for (const PhysicalSector& slot : slots) drive.bench().media().add_transient(slot, 1000);
  drive.cut_now();
  for (const PhysicalSector& slot : slots) drive.bench().media().add_transient(slot, 0);
}

/// Writes of two sectors are cold from here on.
void learn_small_writes(AmphisbaenaDrive& drive) {
  for (int i = 0; i < 20; ++i) drive.write(drive.layer().user_sectors() - 1);
}

}  // namespace

TEST_CASE("amphisbaena: a chunk's block is there again although a boot took its frame for one of the high-frequency buffer") {
  AmphisbaenaDrive drive{AmphisbaenaSetup()};
  learn_small_writes(drive);
  drive.write(drive.at(2, 1), 2);
  const std::uint32_t slot = drive.slot(2, 1);
  const std::vector<PhysicalSector> chunk{slot_of(drive, drive.at(2, 1)), slot_of(drive, drive.at(2, 2))};
  SECTION("and put another block into it") {
    boot_without(drive, chunk);
    const auto in_frame = [&](std::uint32_t zone, std::uint32_t offset) { return drive.slot(zone, offset) / 4 == slot / 4; };
    std::uint32_t hot = 0;
    for (; hot < 8 && !(hot > 0 && in_frame(4, hot - 1)); ++hot) drive.write(drive.at(4, hot));
    REQUIRE(in_frame(4, hot - 1));
  }
  SECTION("and gave the chunk another frame") {
    boot_without(drive, chunk);
    drive.write(drive.at(2, 0), 4);
    drive.write(drive.at(3, 0), 3);
  }
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("amphisbaena: an old copy in a slot that a boot could not read does not come back after the newer one went to its zone") {
  AmphisbaenaSetup setup;
  setup.layer.chunk = sectors(2);
  setup.zones().buffer = sectors(16);
  setup.layer.filter_share = 0.5;
  setup.layer.history = 0;  // what left is not let in again
  AmphisbaenaDrive drive(setup);
  drive.write_zoned({{1, 0}, {5, 7}, {0, 0}, {0, 1}});
  const std::vector<PhysicalSector> old{slot_of(drive, drive.at(0, 0)), slot_of(drive, drive.at(0, 1))};
  drive.write_zoned({{2, 0}});  // the blocks of zone 0 go to their chunk
  REQUIRE(drive.metric("hfb.evicted") == 2);
  drive.write(drive.at(0, 0), 8);  // and are written there again
  boot_without(drive, old);
  learn_small_writes(drive);
  drive.write(drive.at(3, 0), 4);
  drive.write(drive.at(4, 0), 4);  // zone 0 makes room
  REQUIRE(drive.slot(0, 0) == SlotOwners::none);
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("skylight-disk: nothing is written in an epoch of a buffer zone that a record says is past when it can be read again") {
  SkylightSetup setup;
  setup.zones().buffer = sectors(16);
  setup.layer.buffer_zone = sectors(8);
  SkylightDrive drive(setup);
  drive.write(drive.at(0, 0), 8);
  const PhysicalSector first = slot_of(drive, drive.at(0, 0));
  const PhysicalSector last = slot_of(drive, drive.at(0, 7));
  drive.write(drive.at(0, 3));  // cleans the buffer zone, and is alone in its next epoch
  REQUIRE(slot_of(drive, drive.at(0, 3)).index == first.index);
  boot_without(drive, {first, last});
  drive.write(drive.at(0, 5));
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("fluid: the oldest sector of a full log is in it although a boot could not read its position") {
  FluidSetup setup;
  setup.zones().buffer = sectors(32);
  FluidDrive drive(setup);
  drive.write(drive.at(0, 3));
  const PhysicalSector oldest = slot_of(drive, drive.at(0, 3));
  for (std::uint32_t zone = 1; zone < 4; ++zone) drive.write(drive.at(zone, 0), 8);
  drive.write(drive.at(4, 0), 7);
  boot_without(drive, {oldest});
  drive.write(drive.at(5, 0));
  drive.write(drive.at(5, 1));
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("fluid: a segment takes a sector along whose position a boot could not read, or its record stays newer") {
  FluidSetup setup;
  setup.zones().buffer = sectors(32);
  setup.layer.log_holes = fluid::LogHoles::reuse;
  setup.layer.evict_segment = sectors(8);
  FluidDrive drive(setup);
  drive.write(drive.at(0, 0), 4);
  drive.write(drive.at(1, 0), 6);
  const PhysicalSector middle = slot_of(drive, drive.at(0, 2));
  boot_without(drive, {middle});
  for (std::uint32_t zone = 2; zone < 5; ++zone) drive.write(drive.at(zone, 0), 8);  // a segment with the other sectors of zone 0 leaves
  REQUIRE(drive.slot(0, 0) == SlotOwners::none);
  drive.cut_now();
  drive.check_content();
}
