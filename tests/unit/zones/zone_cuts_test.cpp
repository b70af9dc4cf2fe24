// Power cuts at every instant of chosen moments.
#include "support/cut_everywhere.hpp"
#include "zone_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Cuts a write behind `prepare` at every instant.
template <class Drive, class Setup, class Prepare>
std::uint64_t cut_everywhere(const Setup& setup, Prepare prepare, std::uint32_t zone, std::uint32_t offset, std::uint32_t count = 1) {
  const auto begin = [&](Drive& drive) {
    prepare(drive);
    drive.bench().submit(HostOp::write, drive.at(zone, offset) * 8, count * 8);
  };
  const auto go_on = [](Drive& drive) { drive.write_zoned({{0, 0}, {1, 1}, {2, 2}, {0, 3}, {5, 7}, {0, 3}}); };
  return test::cut_everywhere<Drive>(setup, begin, go_on);
}

}  // namespace

TEST_CASE("a cut at any instant of an append, its record and the write behind it loses nothing") {
  FluidSetup setup;
  setup.layer.update = GENERATE(fluid::Update::in_place, fluid::Update::append);
  setup.layer.log_holes = GENERATE(fluid::LogHoles::circular, fluid::LogHoles::reuse);
  const auto prepare = [](FluidDrive& drive) { drive.write_zoned({{0, 1}, {1, 3}, {0, 5}, {2, 0}}); };
  CHECK(cut_everywhere<FluidDrive>(setup, prepare, 3, 7) > 12);
}

TEST_CASE("a cut at any instant of a rewrite loses nothing") {
  FluidSetup setup;
  setup.prefilled = GENERATE(0U, 48U);
  setup.zones().merge_buffer = GENERATE(sectors(0), sectors(3));
  const auto prepare = [](FluidDrive& drive) {
    drive.write_zoned({{0, 6}, {1, 3}, {0, 5}, {2, 0}, {3, 7}, {0, 2}, {0, 5}, {4, 0}, {1, 0}});
  };
  CHECK(cut_everywhere<FluidDrive>(setup, prepare, 5, 1, 2) > 20);
}

TEST_CASE("a cut at any instant of a TRIM that empties a zone, and of the append over what was trimmed, loses nothing else") {
  FluidSetup setup;
  setup.bench.media.powerfail_sector = GENERATE(PowerfailSector::atomic_old, PowerfailSector::atomic_new);
  const auto fill = [](FluidDrive& drive) {
    for (std::uint32_t zone = 0; zone < 3; ++zone) drive.write(drive.at(zone, 0), 8);
    drive.write_zoned({{3, 0}, {3, 1}, {4, 0}, {4, 1}});
  };
  const auto go_on = [](FluidDrive& drive) { drive.write_zoned({{0, 0}, {1, 1}, {2, 2}, {0, 3}, {5, 7}, {0, 3}}); };
  const auto empty = [&](FluidDrive& drive) {
    fill(drive);
    drive.bench().submit(HostOp::trim, drive.at(0, 0) * 8, 8 * 8);
  };
  CHECK(test::cut_everywhere<FluidDrive>(setup, empty, go_on) >= 2);
  const auto append = [&](FluidDrive& drive) {
    fill(drive);
    drive.trim(drive.at(0, 3), 5);
    drive.write_zoned({{0, 4}, {5, 0}, {5, 1}, {5, 2}});
    drive.bench().submit(HostOp::write, drive.at(2, 7) * 8, 8);
  };
  CHECK(test::cut_everywhere<FluidDrive>(setup, append, go_on) > 5);
}

TEST_CASE("a cut at any instant of an update in place leaves the old or the new content") {
  FluidSetup setup;
  const auto prepare = [](FluidDrive& drive) { drive.write_zoned({{0, 1}, {0, 2}, {1, 3}}); };
  CHECK(cut_everywhere<FluidDrive>(setup, prepare, 0, 1, 2) > 3);
}

TEST_CASE("a cut at any instant of a re-queue loses nothing") {
  FluidSetup setup;
  setup.layer.loop = true;
  setup.zones().buffer = sectors(5);
  const auto prepare = [](FluidDrive& drive) { drive.write_zoned({{0, 1}, {1, 3}, {0, 5}, {2, 0}}); };
  CHECK(cut_everywhere<FluidDrive>(setup, prepare, 3, 7) > 12);
}

TEST_CASE("a cut at any instant of the cleaning of a buffer zone loses nothing") {
  SkylightSetup setup;
  setup.zones().buffer = sectors(8);
  setup.layer.buffer_zone = sectors(4);
  setup.layer.hash = ZoneHash::modulo;
  const auto prepare = [](SkylightDrive& drive) { drive.write_zoned({{1, 0}, {0, 1}, {2, 0}, {0, 1}, {4, 2}}); };
  CHECK(cut_everywhere<SkylightDrive>(setup, prepare, 2, 3) > 20);
}

TEST_CASE("a cut at any time of a write of a whole track of slots leaves each of them old or new, whichever sector came first") {
  // The last slot to be written lies in front of the first one: the record of that one must not name it.
  SkylightSetup setup;
  setup.zones().buffer = sectors(8);
  setup.layer.buffer_zone = sectors(8);
  setup.prefilled = 48;
  setup.bench.media.timing = MediaTimingMode::rotational;
  setup.bench.media.powerfail_sector = GENERATE(PowerfailSector::atomic_old, PowerfailSector::corrupt);
  const Picoseconds turn = revolution(setup.bench.media.speed);
  for (std::uint64_t wait = 0; wait < 4; ++wait) {
    for (std::uint64_t time = 0; time < 48; ++time) {
      INFO("after " << wait << " quarters of a turn, cut after " << time << " sixteenths");
      SkylightDrive drive(setup);
      drive.bench().fail_dumps([](std::uint64_t) { return std::uint64_t{0}; });
      drive.bench().run_for(Picoseconds(turn.value() / 4 * wait));
      drive.bench().submit(HostOp::write, drive.at(0, 0) * 8, 4 * 8);
      drive.bench().cut_at(drive.bench().now() + Picoseconds(turn.value() / 16 * time));
      REQUIRE(drive.bench().boot_status() == Status::ok);
      drive.check_content();
    }
  }
}

TEST_CASE("a copy that a write-back made void does not come back, however new its slot looks") {
  // Zone 0 is written back, newer data of it goes to a slot that is won back and given to another zone; the old slot still names
  // the first copy of the sector when the power is cut.
  FluidDrive drive(FluidSetup{});
  drive.write_zoned({{1, 0}, {0, 1}, {2, 0}, {3, 0}});
  drive.write_zoned({{4, 0}});  // zone 1 leaves slot 0
  drive.write_zoned({{5, 0}});  // zone 0 leaves slot 1
  drive.write_zoned({{0, 1}});  // zone 2 leaves slot 2; the newest copy lies there
  drive.cut_now();
  CHECK(drive.slot(0, 1) == 2);
  drive.check_content();
}

TEST_CASE("a log of zones that is full is followed by a checkpoint, and a cut at any instant of it loses nothing") {
  FluidSetup setup;
  setup.zones().log_radii = 4;  // sixteen sectors: superblocks, and halves of a checkpoint and two changes, all of it twice
  setup.zones().buffer = sectors(1);
  const auto prepare = [](FluidDrive& drive) { drive.write_zoned({{0, 1}, {1, 1}, {2, 1}}); };
  for (std::uint32_t zone = 3; zone < 6; ++zone) CHECK(cut_everywhere<FluidDrive>(setup, prepare, zone, 0) > 10);
}

TEST_CASE("an unreadable sector under the head at the cut is not taken for an older copy") {
  FluidSetup setup;
  setup.layer.update = fluid::Update::append;
  setup.bench.media.powerfail_sector = PowerfailSector::corrupt;
  const auto prepare = [](FluidDrive& drive) { drive.write_zoned({{0, 1}, {1, 3}, {0, 5}}); };
  CHECK(cut_everywhere<FluidDrive>(setup, prepare, 0, 1) > 3);
}

namespace {

/// Writes of more than two sectors are cold after this.
void learn_small_writes(AmphisbaenaDrive& drive) {
  for (int i = 0; i < 20; ++i) drive.write(drive.at(5, 7));
}

}  // namespace

TEST_CASE("a cut at any instant of the cleaning of chunks loses nothing, nor what stays in the other part") {
  AmphisbaenaSetup setup;
  setup.prefilled = GENERATE(0U, 48U);
  setup.zones().merge_buffer = GENERATE(sectors(0), sectors(3));
  const auto prepare = [](AmphisbaenaDrive& drive) {
    learn_small_writes(drive);
    drive.write_zoned({{1, 2}, {1, 0}});
    for (const std::uint32_t zone : {0U, 1U, 2U}) drive.write(drive.at(zone, 1), 6);
  };
  CHECK(cut_everywhere<AmphisbaenaDrive>(setup, prepare, 4, 1, 3) > 20);
}

TEST_CASE("a cut at any instant of the way from the high-frequency buffer to a chunk and its zone loses nothing") {
  AmphisbaenaSetup setup;
  setup.layer.chunk = sectors(1);
  setup.zones().buffer = sectors(GENERATE(4U, 8U));
  const auto prepare = [](AmphisbaenaDrive& drive) {
    drive.write_zoned({{0, 0}, {1, 0}, {2, 0}, {2, 0}, {3, 0}, {4, 0}, {3, 0}, {0, 0}, {5, 1}, {5, 3}, {0, 0}, {1, 0}});
  };
  CHECK(cut_everywhere<AmphisbaenaDrive>(setup, prepare, 3, 0) > 6);
}

TEST_CASE("a cut at any instant of a reallocation loses nothing") {
  AmphisbaenaSetup setup;
  setup.layer.sampling = 24;
  const bool grows = GENERATE(true, false);
  // Seven SUP blocks, then a loop over eight LUP blocks, of which the filter list has one: ghosts. Then one block only.
  const auto prepare = [grows](AmphisbaenaDrive& drive) {
    for (std::uint32_t i = 0; i < 7; ++i) drive.write(drive.at(0, i));
    for (std::uint32_t i = 0; i < 16; ++i) drive.write(drive.at(1 + i % 4, i / 4 % 2));
    if (grows) return;
    for (std::uint32_t i = 0; i < 48; ++i) drive.write(drive.at(5, 0));
  };
  AmphisbaenaDrive drive(setup);
  prepare(drive);
  drive.write(drive.at(5, 1));
  CHECK(drive.metric(grows ? "hfb.chunks_taken" : "hfb.chunks_returned") > 0);
  CHECK(cut_everywhere<AmphisbaenaDrive>(setup, prepare, 5, 1) > 6);
}

TEST_CASE("a cut at any instant of a collection that was given up loses nothing") {
  AmphisbaenaSetup setup;
  setup.zones().zone = sectors(16);
  setup.layer.victim = amphisbaena::VictimRule::count;
  const auto prepare = [](AmphisbaenaDrive& drive) {
    learn_small_writes(drive);
    for (std::uint32_t chunk = 0; chunk < 4; ++chunk) drive.write(drive.at(0, 4 * chunk), 3);
    drive.write(drive.at(1, 0), 3);
    drive.write(drive.at(1, 4), 3);
    drive.bench().submit(HostOp::write, drive.at(2, 0) * 8, 24);
    drive.bench().submit(HostOp::write, drive.at(0, 4) * 8, 24);
  };
  CHECK(cut_everywhere<AmphisbaenaDrive>(setup, prepare, 0, 12, 3) > 20);
}

TEST_CASE("an old copy of a block that left the high-frequency buffer does not come back after its chunk is written back") {
  // Blocks 0:0 and 0:1 go from the high-frequency buffer to their chunk, are written there and go to their zone; nothing is written
  // to one of their old slots.
  AmphisbaenaSetup setup;
  setup.layer.chunk = sectors(2);
  setup.zones().buffer = sectors(16);
  setup.layer.filter_share = 0.5;
  setup.layer.history = 0;  // what left is not let in again
  AmphisbaenaDrive drive(setup);
  drive.write_zoned({{1, 0}, {1, 4}});          // SUP
  drive.write_zoned({{0, 0}, {0, 1}, {2, 0}});  // LUP of one chunk, which leave together; one slot stays free
  CHECK(drive.metric("hfb.evicted") == 2);
  drive.write(drive.at(0, 0), 8);  // cold: all chunks of the zone
  drive.write(drive.at(3, 0), 4);
  drive.write(drive.at(4, 0), 4);  // zone 0 makes room
  CHECK(drive.write_pointer(0) == 8);
  CHECK(drive.slot(0, 0) == SlotOwners::none);
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("a checkpoint of the log does not make void what is written to a free slot meanwhile") {
  // A cleaning logs the many records that are out of date at once; the log is full after some cleanings.
  AmphisbaenaSetup setup;
  setup.zones().zones = 120;
  setup.zones().buffer = sectors(600);
  setup.bench.media.tracks = 600;
  setup.zones().log_radii = 6;
  setup.layer.hfb_share = 0.5;
  const std::uint32_t cleanings = GENERATE(1U, 2U, 3U, 4U);
  AmphisbaenaDrive drive(setup);
  for (std::uint32_t block = 0; block < 160; ++block) drive.write(drive.at(80, 0) + block);
  std::uint32_t zone = 0;
  while (drive.metric("cleaning.count") < cleanings) drive.write(drive.at(zone++, 0), 8);
  bool checkpoint = false;  // it takes more than the two writes' records
  for (std::uint32_t pair = 0; pair < 60 && !checkpoint; ++pair) {
    const double log = drive.metric("log.sectors");
    drive.bench().submit(HostOp::write, (drive.at(110, 0) + pair) * 8, 8);
    drive.bench().submit(HostOp::write, drive.at(zone++, 0) * 8, 64);
    drive.bench().run_until_all_done();
    checkpoint = drive.metric("log.sectors") > log + 2;
  }
  REQUIRE(checkpoint);
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("a boot reads the log of the zones up to the track on which it ends, and no further") {
  FluidSetup setup;
  setup.zones().log_radii = 8;  // of four sectors: superblocks, and halves of 14 sectors
  FluidDrive drive(setup);
  drive.bench().steps.clear();
  drive.cut_now();
  // The superblocks, the checkpoint, and what is left of a track behind it or the next one.
  CHECK(drive.bench().sectors_in("log", MediaOp::read) <= 4 + 1 + 4);
}

TEST_CASE("in paper mode every zone counts as full after a power cut") {
  SkylightSetup setup;
  setup.zones().paper = true;
  SkylightDrive drive(setup);
  drive.cut_now();
  for (std::uint32_t zone = 0; zone < 6; ++zone) CHECK(drive.write_pointer(zone) == 8);
}
