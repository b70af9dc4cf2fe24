// Sectors that cannot be read in the buffer, the zones, their log and the map, with power cuts.
#include "support/unreadable_sectors.hpp"
#include "zone_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// A buffer that is cleaned all the time.
template <class Setup>
Setup small_setup() {
  Setup setup;
  setup.zones().buffer = sectors(32);
  setup.zones().log_radii = 12;
  setup.bench.media.tracks = 96;
  return setup;
}

SkylightSetup skylight() {
  auto setup = small_setup<SkylightSetup>();
  setup.layer.buffer_zone = sectors(8);
  return setup;
}

FluidSetup fluid_with(fluid::LogHoles holes, bool loop) {
  auto setup = small_setup<FluidSetup>();
  setup.layer.log_holes = holes;
  setup.layer.loop = loop;
  return setup;
}

/// Map pages of which one is in DRAM; four sectors a map page cannot be, so that the region has few.
template <class Setup>
Setup paged(Setup setup) {
  setup.zones().map.kind = MapKind::paged;
  setup.zones().map.cache = sectors(1);
  return setup;
}

constexpr RandomTraffic traffic{.longest = 120, .cuts = 2, .requests = 20};

template <class Drive, class Setup>
void one_sector(const Setup& setup) {
  one_unreadable_sector([&setup] { return std::make_unique<Drive>(setup); }, traffic);
}

template <class Drive, class Setup>
void scattered(const Setup& setup, std::uint64_t runs) {
  for (std::uint64_t run = 0; run < runs; ++run) {
    INFO("run " << run);
    RandomStream random(run, "zone faults");
    Drive drive(setup);
    scatter_unreadable(drive, random, 12);
    history_with_losses(drive, random, {.longest = 120, .cuts = 4, .requests = 30});
  }
}

}  // namespace

TEST_CASE("zone layers: one unreadable sector costs that sector alone") {
  one_sector<SkylightDrive>(skylight());
  one_sector<FluidDrive>(fluid_with(fluid::LogHoles::circular, false));
  one_sector<FluidDrive>(fluid_with(fluid::LogHoles::reuse, true));
  one_sector<AmphisbaenaDrive>(small_setup<AmphisbaenaSetup>());
  one_sector<FluidDrive>(paged(fluid_with(fluid::LogHoles::circular, true)));
}

TEST_CASE("skylight-disk: scattered unreadable sectors, with power cuts, never give wrong data") {
  scattered<SkylightDrive>(skylight(), 800);
}

TEST_CASE("fluid: scattered unreadable sectors, with power cuts, never give wrong data") {
  scattered<FluidDrive>(fluid_with(fluid::LogHoles::circular, false), 800);
  scattered<FluidDrive>(fluid_with(fluid::LogHoles::reuse, true), 800);
}

TEST_CASE("amphisbaena: scattered unreadable sectors, with power cuts, never give wrong data") {
  scattered<AmphisbaenaDrive>(small_setup<AmphisbaenaSetup>(), 800);
}

TEST_CASE("a buffered sector that cannot be read after a power cut is lost: its zone's older copy does not come back") {
  FluidDrive drive(fluid_with(fluid::LogHoles::circular, false));
  drive.write(drive.at(0, 3));
  for (std::uint32_t zone = 1; zone < 6; ++zone) drive.write(drive.at(zone, 0), 8);  // pushes the first copy to its zone
  REQUIRE(drive.slot(0, 3) == SlotOwners::none);
  drive.write(drive.at(0, 3));
  const std::uint32_t slot = drive.slot(0, 3);
  REQUIRE(slot != SlotOwners::none);
  drive.bench().steps.clear();
  drive.read(drive.at(0, 3));
  const PhysicalRun place = drive.bench().steps.front().run;
  drive.bench().media().add_unreadable({place.track, place.first});
  drive.cut_now();
  CHECK(drive.bench().read(drive.at(0, 3) * blocks_per_sector, 8) == Status::media_error);
  CHECK(drive.bench().write(drive.at(0, 3) * blocks_per_sector + 1, 2) != Status::ok);  // a part of it
  drive.cut_now();
  CHECK(drive.bench().read(drive.at(0, 3) * blocks_per_sector, 8) == Status::media_error);
  drive.trim(drive.at(0, 3));
  CHECK(drive.bench().read(drive.at(0, 3) * blocks_per_sector, 8) == Status::media_error);
  drive.write(drive.at(0, 3));
  drive.check_content();
}

namespace {

/// The two sectors of the newest change of a zone, which was just written back.
std::vector<PhysicalSector> newest_change(FluidDrive& drive) {
  drive.bench().steps.clear();
  for (std::uint32_t zone = 0; zone < 6; ++zone) drive.write(drive.at(zone, 0), 8);
  std::vector<PhysicalSector> written;
  for (const FirmwareBench::StepRecord& step : drive.bench().steps_in("log")) written.push_back({step.run.track, step.run.first});
  REQUIRE(written.size() >= 2);
  return {written.end() - 2, written.end()};
}

}  // namespace

TEST_CASE("a log with one copy left of something has two again after the next boot") {
  FluidDrive drive(fluid_with(fluid::LogHoles::circular, false));
  for (int boot = 0; boot < 2; ++boot) {  // a third would find the first half, and its bad sectors, again
    INFO("boot " << boot);
    const std::vector<PhysicalSector> change = newest_change(drive);
    drive.bench().media().add_unreadable(change[boot % 2]);
    drive.cut_now();
    drive.bench().media().add_unreadable(change[1 - boot % 2]);
    drive.cut_now();
    check_with_losses(drive);
  }
}

TEST_CASE("a change of which a cut left one copy is there twice after the boot, which acts on it") {
  for (std::uint64_t cut = 0; cut < 600; ++cut) {
    INFO("cut after " << cut << " half milliseconds");
    FluidDrive drive(fluid_with(fluid::LogHoles::circular, false));
    for (std::uint32_t zone = 0; zone < 6; ++zone) drive.write(drive.at(zone, 0), 8);
    drive.bench().steps.clear();
    for (std::uint32_t zone = 0; zone < 6; ++zone)
      drive.bench().submit(HostOp::write, drive.at(zone, 0) * blocks_per_sector, 8 * blocks_per_sector);
    drive.bench().run_for(500_us * cut);
    drive.bench().cut_now();
    REQUIRE(drive.bench().boot_status() == Status::ok);
    const std::vector<FirmwareBench::StepRecord> log = drive.bench().steps_in("log");
    const auto newest =
        std::find_if(log.rbegin(), log.rend(), [](const auto& step) { return step.op == MediaOp::write && step.run.count == 1; });
    for (std::uint32_t zone = 0; zone < 6; ++zone) drive.write(drive.at(zone, 3));  // over the slots that the boot gave up
    if (newest != log.rend()) drive.bench().media().add_unreadable({newest->run.track, newest->run.first});
    drive.bench().cut_now();
    check_with_losses(drive);
  }
}

TEST_CASE("a log neither copy of whose newest change can be read is corrupt, and so is the boot") {
  FluidDrive drive(fluid_with(fluid::LogHoles::circular, false));
  for (const PhysicalSector& sector : newest_change(drive)) drive.bench().media().add_unreadable(sector);
  drive.bench().cut_now();
  CHECK(drive.bench().boot_status() == Status::corrupt);
}

namespace {

/// A buffered sector that was overwritten after its zone took it, its slot unreadable, the dump of the table of slots failed.
template <class Drive>
void lost_with_a_failed_dump(Drive& drive, std::uint64_t sector, const std::vector<std::uint64_t>& others) {
  drive.bench().steps.clear();
  drive.read(sector);
  const PhysicalRun place = drive.bench().steps.front().run;
  for (const std::uint64_t other : others) drive.write(other);
  drive.bench().media().add_unreadable({place.track, place.first});
  drive.bench().fail_dumps([](std::uint64_t) { return std::uint64_t{0}; });
  for (int cut = 0; cut < 2; ++cut) {
    INFO("cut " << cut);
    drive.cut_now();
    CHECK(drive.bench().read(sector * blocks_per_sector, 8) == Status::media_error);
    for (const std::uint64_t other : others) drive.read(other);
  }
  check_with_losses(drive);
  drive.write(sector);
  drive.cut_now();
  check_with_losses(drive);
}

}  // namespace

TEST_CASE("a buffered sector whose record is lost with the dump of the table is known by the records of other slots") {
  SECTION("fluid: by the slot behind it") {
    FluidDrive drive(fluid_with(fluid::LogHoles::circular, false));
    drive.write(drive.at(0, 3));
    for (std::uint32_t zone = 1; zone < 6; ++zone) drive.write(drive.at(zone, 0), 8);
    REQUIRE(drive.slot(0, 3) == SlotOwners::none);
    drive.write(drive.at(0, 3));
    lost_with_a_failed_dump(drive, drive.at(0, 3), {drive.at(1, 5)});
  }
  SECTION("fluid: by one that is overwritten where it lies") {
    FluidDrive drive(fluid_with(fluid::LogHoles::reuse, true));
    drive.write(drive.at(2, 1));
    drive.write(drive.at(0, 3));
    lost_with_a_failed_dump(drive, drive.at(0, 3), {drive.at(2, 1)});
  }
  SECTION("skylight-disk: by a slot of another buffer zone") {
    SkylightDrive drive(skylight());
    std::uint32_t other = 1;
    while (drive.layer().buffer_zone_of(other) == drive.layer().buffer_zone_of(0)) ++other;
    drive.write(drive.at(0, 3));
    lost_with_a_failed_dump(drive, drive.at(0, 3), {drive.at(other, 5)});
  }
  SECTION("amphisbaena") {
    AmphisbaenaDrive drive(small_setup<AmphisbaenaSetup>());
    drive.write(drive.at(0, 3));
    lost_with_a_failed_dump(drive, drive.at(0, 3), {drive.at(3, 5)});
  }
}

namespace {

/// Zones of 2,048 sectors, two map pages each, of which one is in DRAM.
template <class Setup>
Setup wide(Setup setup) {
  setup.zones().zone = sectors(2048);
  setup.zones().zones = 4;
  setup.zones().buffer = sectors(1024);
  setup.bench.media.sectors_per_track = 512;
  return paged(setup);
}

/// A slot that cannot be read at the second of two boots, the first of which is cut at each instant. The map is entered page by page, so
/// that there is half a table in between. Either the first dump fails, and names tell of the slot; or no dump fails, and the first boot
/// could read it.
template <class Drive>
void half_a_table(const std::function<std::unique_ptr<Drive>()>& make, bool dump_fails) {
  std::uint64_t in_recovery = 0;
  for (bool booted = false; !booted; ++in_recovery) {
    INFO(in_recovery << " actions, dump fails: " << dump_fails);
    const auto drive = make();
    const std::uint64_t sector = drive->at(2, 1030);
    drive->write(sector);
    drive->write_zoned({{0, 1}, {0, 1026}, {1, 3}, {2, 4}, {3, 5}});
    drive->bench().steps.clear();
    drive->read(sector);
    const PhysicalRun place = drive->bench().steps.back().run;  // after the page of the map
    std::uint64_t dumps = 0;
    drive->bench().fail_dumps([&](std::uint64_t pieces) {
      if (++dumps == (dump_fails ? 1 : 2)) drive->bench().media().add_unreadable({place.track, place.first});
      return dump_fails && dumps == 1 ? 0 : pieces;
    });
    booted = !drive->bench().cut_twice(in_recovery);
    CHECK(drive->bench().read(sector * blocks_per_sector, 8) == Status::media_error);
    check_with_losses(*drive);
  }
  CHECK(in_recovery > 20);
}

}  // namespace

TEST_CASE("a table of slots that a cut in a recovery left half restored does not pass for that of the power cut") {
  const bool dump_fails = GENERATE(true, false);
  SECTION("skylight-disk") {
    half_a_table<SkylightDrive>([] { return std::make_unique<SkylightDrive>(wide(skylight())); }, dump_fails);
  }
  SECTION("fluid") {
    const auto setup = wide(fluid_with(fluid::LogHoles::reuse, true));
    half_a_table<FluidDrive>([&setup] { return std::make_unique<FluidDrive>(setup); }, dump_fails);
  }
  SECTION("amphisbaena") {
    const auto setup = wide(small_setup<AmphisbaenaSetup>());
    half_a_table<AmphisbaenaDrive>([&setup] { return std::make_unique<AmphisbaenaDrive>(setup); }, dump_fails);
  }
}

TEST_CASE("a name in a record does not count once the sector has left the slot") {
  FluidDrive drive(fluid_with(fluid::LogHoles::circular, false));
  drive.write(drive.at(0, 1));  // the oldest: its slot is used again, that of the next sector of its zone is not yet
  drive.write(drive.at(1, 0), 8);
  drive.write(drive.at(0, 3));
  drive.bench().steps.clear();
  drive.read(drive.at(0, 3));
  const PhysicalRun place = drive.bench().steps.front().run;
  drive.write(drive.at(2, 5));  // its record names it, and stays on the platter
  for (std::uint32_t zone = 3; drive.slot(0, 3) != SlotOwners::none; ++zone) drive.write(drive.at(zone, 0), 8);
  drive.bench().media().add_unreadable({place.track, place.first});
  drive.bench().fail_dumps([](std::uint64_t) { return std::uint64_t{0}; });
  drive.cut_now();
  drive.read(drive.at(0, 3));
  check_with_losses(drive);
}

namespace {

/// 0:3 in the first slot of a log of 32, others in the next ones up to `used`; where the first slot is.
PhysicalSector fill_log(FluidDrive& drive, std::uint32_t used) {
  drive.write(drive.at(0, 3));
  drive.bench().steps.clear();
  drive.read(drive.at(0, 3));
  const PhysicalRun place = drive.bench().steps.front().run;
  for (std::uint32_t i = 1; i < used; ++i) drive.write(drive.at(1 + (i - 1) / 8, (i - 1) % 8));
  return {place.track, place.first};
}

/// 0:3 has left this slot, whatever the records of others say of it.
void has_left(FluidDrive& drive, PhysicalSector slot) {
  drive.bench().media().add_unreadable(slot);
  drive.bench().fail_dumps([](std::uint64_t) { return std::uint64_t{0}; });
  drive.cut_now();
  drive.read(drive.at(0, 3));
  REQUIRE(drive.bench().scoreboard().errors() == 0);
}

}  // namespace

TEST_CASE("a record of a sector's new slot, or of a write next to it, does not name the slot that it leaves") {
  auto setup = fluid_with(fluid::LogHoles::circular, false);
  setup.layer.update = fluid::Update::append;
  FluidDrive drive(setup);
  SECTION("the new slot lies in front of the old one") {
    const PhysicalSector first = fill_log(drive, 31);
    drive.write(drive.at(0, 3));
    has_left(drive, first);
  }
  SECTION("another write is under way") {
    const PhysicalSector first = fill_log(drive, 30);
    drive.bench().submit(HostOp::write, drive.at(0, 3) * blocks_per_sector, blocks_per_sector);
    drive.bench().submit(HostOp::write, drive.at(5, 0) * blocks_per_sector, blocks_per_sector);
    drive.bench().run_until_all_done();
    has_left(drive, first);
  }
}

TEST_CASE("a record that is written while a zone takes its sectors back does not name the slots that they leave") {
  for (std::uint32_t wait = 0; wait < 120; ++wait) {
    INFO("after " << wait << " half milliseconds");
    FluidDrive drive(fluid_with(fluid::LogHoles::circular, false));
    const PhysicalSector first = fill_log(drive, 32);
    drive.bench().submit(HostOp::write, drive.at(5, 0) * blocks_per_sector, blocks_per_sector);  // 0:3 makes room
    drive.bench().run_for(500_us * wait);
    drive.write(drive.at(1, 0));  // in the slot behind it
    drive.bench().run_until_all_done();
    has_left(drive, first);
  }
}

TEST_CASE("amphisbaena: what a move that failed left in a frame does not count when the frame is another chunk's") {
  AmphisbaenaSetup setup;
  setup.layer.filter_share = 0.5;
  setup.layer.history = 0;
  setup.bench.media.write_fault_sectors = {{0, 2, 1}};  // the second slot of the first frame after the high-frequency buffer
  AmphisbaenaDrive drive(setup);
  drive.write_zoned({{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {2, 0}, {1, 3}, {1, 1}});
  // Needs room: 1:0 and 1:1 are to go to that frame side by side, and 1:0 gets there.
  CHECK(drive.bench().write(drive.at(3, 0) * blocks_per_sector, blocks_per_sector) != Status::ok);
  for (const auto& [zone, offset] : {std::pair{4U, 2U}, {4U, 6U}, {5U, 2U}, {5U, 6U}, {3U, 2U}, {3U, 6U}})
    drive.write(drive.at(zone, offset), 2);
  CHECK(drive.slot(3, 6) / 4 == 2);  // cold writes have taken all frames, the last one that one
  CHECK(drive.metric("cleaning.count") == 0);
  drive.cut_now();
  drive.check_content();
}
