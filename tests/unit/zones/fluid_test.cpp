// fluid and fluid-loop: what is evicted when, and where things are put.
#include "zone_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

FluidSetup with_slots(std::uint64_t slots) {
  FluidSetup setup;
  setup.zones().buffer = sectors(slots);
  return setup;
}

FluidSetup looping(std::uint64_t slots) {
  FluidSetup setup = with_slots(slots);
  setup.layer.loop = true;
  return setup;
}

}  // namespace

TEST_CASE("the zone of the sector at the tail is written back with all its sectors, and the tail passes holes") {
  FluidDrive drive(with_slots(4));
  drive.write_zoned({{0, 1}, {1, 3}, {0, 5}, {1, 3}, {2, 0}});
  CHECK(drive.slot(1, 3) == 1);  // updated in place
  CHECK(drive.metric("hit.write") == Approx(1.0 / 5));
  CHECK(drive.metric("cleaning.count") == 0);

  drive.write_zoned({{3, 7}});
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("rmw_free.count") == 1);
  CHECK(drive.write_pointer(0) == 6);
  CHECK(drive.metric("pad.sectors") == 4);
  CHECK(drive.slot(3, 7) == 0);
  CHECK(drive.metric("buffer.used") == 3);  // slot 2 is a hole

  drive.write_zoned({{4, 2}});
  CHECK(drive.write_pointer(1) == 4);
  CHECK(drive.metric("pad.sectors") == 4 + 3);
  CHECK(drive.slot(4, 2) == 1);
  CHECK(drive.metric("cleaning.count") == 2);
  drive.check_content();
}

TEST_CASE("of a segment each zone's sectors leave at once, the others of its zones stay, and a cut brings none back") {
  FluidSetup setup = with_slots(6);
  setup.layer.evict_segment = sectors(3);
  FluidDrive drive(setup);
  drive.write_zoned({{0, 1}, {1, 3}, {0, 5}, {0, 2}, {1, 0}, {2, 0}});
  drive.write_zoned({{3, 7}});  // the first three leave: of zone 0 offsets 1 and 5, and of zone 1 offset 3
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("rmw_free.count") == 2);
  CHECK(drive.write_pointer(0) == 6);
  CHECK(drive.write_pointer(1) == 4);
  CHECK(drive.slot(0, 5) == SlotOwners::none);
  CHECK(drive.slot(1, 3) == SlotOwners::none);
  CHECK(drive.slot(0, 2) == 3);
  CHECK(drive.slot(1, 0) == 4);
  CHECK(drive.slot(3, 7) == 0);
  drive.cut_now();
  CHECK(drive.metric("buffer.used") == 4);
  CHECK(drive.slot(0, 5) == SlotOwners::none);
  drive.check_content();
  drive.write_zoned({{4, 0}, {4, 1}, {5, 0}});  // room for two, then zone 0 again: a read-modify-write for what stayed
  CHECK(drive.metric("rmw.count") == 2);
  drive.check_content();
}

TEST_CASE("a segment longer than the log ends at its head: what is written behind it survives a cut") {
  FluidSetup setup = with_slots(4);
  setup.layer.evict_segment = sectors(100);
  FluidDrive drive(setup);
  drive.write_zoned({{0, 1}, {0, 5}, {1, 3}, {1, 4}, {0, 2}});
  CHECK(drive.metric("buffer.used") == 1);
  drive.write_zoned({{1, 3}, {0, 1}});
  drive.cut_now();
  CHECK(drive.metric("buffer.used") == 3);
  drive.check_content();
}

TEST_CASE("with reuse a hole is given out at once") {
  FluidSetup setup = with_slots(4);
  setup.layer.log_holes = fluid::LogHoles::reuse;
  FluidDrive drive(setup);
  drive.write_zoned({{0, 1}, {1, 3}, {0, 5}, {2, 0}, {3, 7}, {4, 2}});
  CHECK(drive.metric("cleaning.count") == 1);  // the second miss takes the hole that zone 0 left
  CHECK(drive.slot(3, 7) == 0);
  CHECK(drive.slot(4, 2) == 2);
  drive.write_zoned({{5, 0}});  // the oldest is now zone 1
  CHECK(drive.slot(1, 3) == SlotOwners::none);
  CHECK(drive.slot(2, 0) == 3);
  drive.check_content();
}

TEST_CASE("appended updates leave a hole and are newer") {
  FluidSetup setup = with_slots(4);
  setup.layer.update = fluid::Update::append;
  FluidDrive drive(setup);
  drive.write_zoned({{0, 1}, {1, 3}, {0, 1}});
  CHECK(drive.slot(0, 1) == 2);
  CHECK(drive.metric("buffer.used") == 2);
  drive.cut_now();
  CHECK(drive.slot(0, 1) == 2);
  drive.check_content();
}

TEST_CASE("the sector of a hot zone is queued again, through the slot in reserve") {
  FluidDrive drive(looping(5));
  drive.write_zoned({{0, 1}, {1, 3}, {0, 5}, {2, 0}});
  CHECK(drive.metric("cleaning.count") == 0);
  drive.bench().steps.clear();
  drive.write_zoned({{3, 7}});
  CHECK(drive.metric("loop.requeued") == 1);
  CHECK(drive.slot(0, 1) == 4);
  CHECK(drive.slot(1, 3) == SlotOwners::none);
  CHECK(drive.slot(3, 7) == 0);
  CHECK(drive.write_pointer(1) == 4);
  CHECK(drive.metric("rmw_free.count") == 1);
  CHECK(drive.metric("pad.sectors") == 3);
  // Slot 0 is read, copied to slot 4, and only then written by another sector.
  const auto buffer = drive.bench().steps_in("buffer");
  REQUIRE(buffer.size() == 4);
  CHECK((buffer[0].op == MediaOp::read && buffer[0].run == PhysicalRun{{0, 0}, 0, 1}));
  CHECK((buffer[1].op == MediaOp::write && buffer[1].run == PhysicalRun{{0, 1}, 0, 1}));
  CHECK((buffer[2].op == MediaOp::read && buffer[2].run == PhysicalRun{{0, 0}, 1, 1}));
  CHECK((buffer[3].op == MediaOp::write && buffer[3].run == PhysicalRun{{0, 0}, 0, 1}));
  drive.check_content();
}

TEST_CASE("no more than loop_max of the log is queued again before something is written back") {
  FluidSetup setup = looping(9);
  setup.layer.hot_frac = 1;  // everything is hot
  FluidDrive drive(setup);
  for (std::uint32_t i = 0; i < 8; ++i) drive.write_zoned({{i % 6, i}});
  drive.write_zoned({{5, 7}});
  CHECK(drive.metric("loop.requeued") == 2);  // a quarter of nine slots
  CHECK(drive.metric("rmw_free.count") == 1);
  drive.check_content();
}

TEST_CASE("an append of several sectors takes one positioning, and its updates go where they are") {
  FluidDrive drive(with_slots(16));
  drive.write_zoned({{0, 2}});
  drive.bench().steps.clear();
  drive.write(drive.at(0, 0), 6);
  const auto steps = drive.bench().steps_in("buffer");
  // Slots 1 and 2, slot 0 in place, then slots 3 and 4, 5: the track ends behind slot 3.
  REQUIRE(steps.size() == 4);
  CHECK(steps[0].run == PhysicalRun{{0, 0}, 1, 2});
  CHECK(steps[1].run == PhysicalRun{{0, 0}, 0, 1});
  CHECK(steps[2].run == PhysicalRun{{0, 0}, 3, 1});
  CHECK(steps[3].run == PhysicalRun{{0, 1}, 0, 2});
  drive.check_content();
}

TEST_CASE("a buffered sector is read from the buffer, others from their zone, and what was never written costs a visit to it") {
  FluidDrive drive(with_slots(4));
  drive.write_zoned({{0, 0}, {0, 1}, {1, 0}, {2, 0}, {3, 0}});  // zone 0 is written back
  drive.bench().steps.clear();
  drive.read(drive.at(0, 0), 2);
  CHECK(drive.bench().sectors_in("buffer", MediaOp::read) == 0);
  CHECK(drive.metric("hit.read.media") == 2);
  drive.read(drive.at(1, 0));
  CHECK(drive.bench().sectors_in("buffer", MediaOp::read) == 1);
  CHECK(drive.metric("hit.read.buffer") == 1);
  drive.bench().steps.clear();
  drive.read(drive.at(5, 3), 4);
  CHECK(drive.bench().sectors_in("bands", MediaOp::read) == 4);
}

TEST_CASE("two writes that both wait for a slot of each other's zone do not wait for ever") {
  FluidDrive drive(with_slots(4));
  drive.write_zoned({{0, 0}, {1, 0}, {0, 1}, {1, 1}});
  for (std::uint32_t i = 2; i < 8; ++i) {
    drive.bench().submit(HostOp::write, drive.at(0, i) * 8, 8);
    drive.bench().submit(HostOp::write, drive.at(1, i) * 8, 8);
    drive.bench().submit(HostOp::read, drive.at(0, 0) * 8, 16);
  }
  drive.bench().run_until_all_done();
  drive.check_content();
}

TEST_CASE("the paper's memory is 16 bytes a buffered sector, and the tables are what is reserved") {
  FluidDrive drive(looping(64));
  CHECK(drive.metric("meta.ram_bytes") == 1024);
  CHECK(drive.bench().metric("dram.reserved.metadata") >= drive.metric("meta.ram_bytes_actual"));
  CHECK(drive.bench().metric("dram.reserved.metadata") < drive.metric("meta.ram_bytes_actual") + 12 * 64);
}
