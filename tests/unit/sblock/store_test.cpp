// What a write of an S-block and a cleaning do to the platters, and what they cost.
#include "store_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

TEST_CASE("a region of the paper has 179 slots, 52 of them internal guard, for 115 S-blocks") {
  DriveGeometry geometry;
  geometry.sector_bytes = 512;
  geometry.zones = {{0, 238419, 8192, 0}};
  const sblock::RegionConfig config;
  const sblock::LogShape shape = sblock::shape_of(config, geometry, 20 * 64);
  CHECK(shape.slots == 179);
  CHECK(shape.guard == 52);
  CHECK(shape.sblocks == 115);  // 128 less a tenth
  CHECK(sblock::utilisation(config, config.spare) == Approx(0.5));
}

TEST_CASE("the paper's disk holds 2.65 times as much as S-blocks with regions of 10 tracks, 8 under the head and 0.3 spare") {
  sblock::RegionConfig config;
  config.region_tracks = 10;
  config.spare = 0.3;
  const double wave = 10.0 / (10 + 8 / 2);
  CHECK(wave / sblock::utilisation(config, config.spare) == Approx(2.653).epsilon(0.001));
}

TEST_CASE("a region is followed by a guard as wide as the head") {
  StoreDrive drive{StoreSetup{}};
  std::uint64_t regions = 0;
  for (const Region& region : drive.plan()) {
    if (region.name != "bands") continue;
    CHECK(region.format == RecordingFormat::shingled);
    CHECK(region.band_tracks == 6);
    CHECK(region.guard_tracks == 2);
    CHECK(region.head_width == 2);
    regions += region.count / 8;
  }
  CHECK(regions == 2);
}

TEST_CASE("a whole S-block goes to the head without a read, a part of one is merged with the old copy") {
  StoreDrive drive{StoreSetup{}};
  drive.write_sblock(0);
  CHECK(drive.slot(0, 0) == 0);
  CHECK(drive.metric("sblock.migrated_mean") == 0);
  drive.bench().steps.clear();
  drive.write_sblock(0);
  CHECK(drive.slot(0, 0) == 1);
  REQUIRE(drive.bench().steps.size() == 1);
  CHECK(drive.bench().steps[0].op == MediaOp::write);
  drive.bench().steps.clear();
  drive.write(1);
  CHECK(drive.slot(0, 0) == 2);
  REQUIRE(drive.bench().steps.size() == 2);
  CHECK(drive.bench().steps[0].op == MediaOp::read);
  CHECK(drive.bench().steps[0].run == PhysicalRun{{0, 0}, 2, 1});  // the first sector of slot 1
  CHECK(drive.bench().steps[1].run == PhysicalRun{{0, 1}, 0, 2});
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.metric("rmw_free.count") == 2);
  drive.check_content();
}

TEST_CASE("an S-block that was never written is read without the platter") {
  StoreDrive drive{StoreSetup{}};
  drive.write(0);
  drive.bench().steps.clear();
  drive.read(4, 2);
  CHECK(drive.bench().steps.empty());
}

TEST_CASE("a write that finds fewer than two free slots moves live S-blocks from the tail to the head") {
  StoreSetup setup;
  StoreDrive drive{setup};
  for (std::uint64_t sblock = 0; sblock < 6; ++sblock) drive.write_sblock(sblock);
  drive.write_sblock(5);  // one slot left in front of the guard
  CHECK(drive.layer().store().logs().free_slots(0) == 1);
  drive.write_sblock(5);  // five live ones, then a dead one
  CHECK(drive.metric("sblock.migrated") == 5);
  CHECK(drive.metric("sblock.migrated_max") == 5);
  CHECK(drive.metric("sblock.written") == 8);
  CHECK(drive.metric("sblock.migrated_mean") == Approx(5.0 / 8));
  CHECK(drive.metric("sblock.collections") == 1);
  CHECK(drive.metric("layout.utilisation") == Approx(4.0 / 8 * 0.9));
  drive.check_content();
}

TEST_CASE("a collection of the whole log wins every dead slot at once, one that goes on only until the write fits does not") {
  StoreSetup setup;
  setup.regions.collection = GENERATE(sblock::Collection::incremental, sblock::Collection::whole_log);
  StoreDrive drive{setup};
  // Of eight slots seven are used in front of the guard: 0 1 2 0' 3 1' 4, of which the first two are dead.
  for (const std::uint64_t sblock : {0U, 1U, 2U, 0U, 3U, 1U, 4U}) drive.write_sblock(sblock);
  CHECK(drive.layer().store().logs().free_slots(0) == 1);
  drive.write_sblock(4);
  const bool whole = setup.regions.collection == sblock::Collection::whole_log;
  CHECK(drive.metric("sblock.migrated") == (whole ? 5 : 0));
  CHECK(drive.layer().store().logs().free_slots(0) == (whole ? 2 : 1));
  CHECK(drive.metric("sblock.collections") == (whole ? 1 : 0));
  drive.check_content();
}

TEST_CASE("spare S-blocks by number take the place of their share, from two on") {
  DriveGeometry geometry;
  geometry.sector_bytes = 512;
  geometry.zones = {{0, 238419, 8192, 0}};
  sblock::RegionConfig config;
  config.spare_slots = 2;
  CHECK(sblock::shape_of(config, geometry, 20 * 64).sblocks == 125);  // of 128, and 179 - 52 - 2 fit beside the guard
  config.spare_slots = 32;
  CHECK(sblock::shape_of(config, geometry, 20 * 64).sblocks == 96);
  CHECK(sblock::spare_share(config, geometry, 20 * 64) == Approx(0.25));
  config.spare_slots = 1;
  std::string problem;
  CHECK(sblock::plan_sblocks(config, geometry, 20 * 64, problem).empty());
  CHECK(problem == "spare_slots is 1: a cleaning takes two free S-blocks of a region; 0 keeps the share `spare` free");
}

TEST_CASE("expected time of an update that moves nothing is two positionings and two transfers") {
  StoreSetup setup;
  setup.bench.media.speed = Rpm(6000);
  setup.bench.media.timing = MediaTimingMode::expected;
  setup.bench.media.sectors_per_track = 16;
  setup.size = 8;
  setup.bench.ideal_electronics();
  StoreDrive drive{setup};
  drive.write_sblock(0);
  drive.write_sblock(1);
  drive.read(0);  // both slots lie on one track: no seek
  drive.bench().steps.clear();
  drive.write(3);
  // Read of slot 0: half a turn of 10 ms, eight of sixteen sectors. Write of slot 2: one track further.
  const Picoseconds seek = drive.bench().steps[1].timing.seek;
  CHECK(seek > Picoseconds());
  CHECK(drive.bench().media_time() == 5_ms + 5_ms + seek + 5_ms + 5_ms);
  CHECK(drive.metric("rmw.time.max") == Approx(20 + static_cast<double>(seek.value()) / 1e9));
}

TEST_CASE("a trimmed S-block is not moved") {
  StoreDrive drive{StoreSetup{}};
  for (std::uint64_t sblock = 0; sblock < 6; ++sblock) drive.write_sblock(sblock);
  drive.trim(0, 10);  // five of six
  drive.write_sblock(5);
  drive.write_sblock(5);
  CHECK(drive.metric("sblock.migrated") == 0);
  drive.check_content();
}

TEST_CASE("used state lies in the log in order, and stays after a cut") {
  StoreSetup setup;
  setup.prefilled = 24;
  StoreDrive drive{setup};
  CHECK(drive.slot(1, 5) == 5);
  drive.write(0);
  drive.cut_now();
  CHECK(drive.slot(1, 5) == 5);
  CHECK(drive.slot(0, 0) == 6);
  CHECK(drive.layer().store().logs().free_slots(1) == 2);
  drive.write(12);
  drive.write(13);
  CHECK(drive.metric("sblock.migrated") == 0);  // the tail is what was written
  drive.check_content();
}

TEST_CASE("memory is two bytes an S-block and two a slot, beside heads and tails") {
  StoreDrive drive{StoreSetup{}};
  CHECK(drive.layer().store().paper_metadata() == Bytes(4 * 12));
  CHECK(drive.layer().store().metadata() == Bytes(2 * (16 + 6 * 2 + 12 * 2 + 8 + 16)));
  CHECK(drive.metric("meta.ram_bytes_sector_level") == Approx(0.024 * 12 * 2 * 4096));
}

TEST_CASE("boot reads only regions that were written since the checkpoint") {
  StoreSetup setup;
  setup.regions.regions = 6;
  StoreDrive drive{setup};
  drive.write_sblock(7);  // region 1
  drive.bench().steps.clear();
  drive.cut_now();
  CHECK(drive.bench().sectors_in("bands", MediaOp::read) == 3);  // the last sectors of the slots from the head of the checkpoint on
  drive.check_content();
}

TEST_CASE("a region that goes round makes a checkpoint due, so that boot reads at most what is intact") {
  StoreDrive drive{StoreSetup{}};
  drive.write_sblock(0);
  const double log = drive.metric("log.sectors");
  for (int i = 1; i < 8; ++i) drive.write_sblock(0);  // 12 slots less the guard of 4 and the one that is written: 7 are intact
  CHECK(drive.metric("log.sectors") == log);
  drive.write_sblock(0);
  CHECK(drive.metric("log.sectors") ==
        log + 4);  // a sector of tables, in which the region is still open, and the superblock, all of it twice
  drive.cut_now();
  CHECK(drive.slot(0, 0) == 8);
  drive.check_content();
}

TEST_CASE("a checkpoint after so many S-blocks leaves few regions that boot reads") {
  StoreSetup setup;
  setup.regions.regions = 12;
  setup.regions.checkpoint_every = 2;
  setup.bench.media.tracks = 200;
  StoreDrive drive{setup};
  for (std::uint64_t region = 0; region < 12; ++region) drive.write_sblock(region * 6);
  drive.bench().steps.clear();
  drive.cut_now();
  CHECK(drive.bench().sectors_in("bands", MediaOp::read) <=
        4 * 2 * 2);  // four headers each of those written before the checkpoint and since
  drive.check_content();
}

TEST_CASE("a plan that cannot be says why") {
  DriveGeometry geometry;
  geometry.zones = {{0, 100, 16, 0}};
  sblock::RegionConfig config;
  std::string problem;
  CHECK(sblock::plan_sblocks(config, geometry, 200, problem).empty());
  CHECK(problem.find("and a spare share of 0.") != std::string::npos);
  CHECK(problem.find("no room for an S-block") != std::string::npos);
  problem.clear();
  config.region_tracks = 60000;
  geometry.zones = {{0, 200000, 16, 0}};
  CHECK(sblock::plan_sblocks(config, geometry, 8, problem).empty());
  CHECK(problem.find("two bytes") != std::string::npos);
  problem.clear();
  config.region_tracks = 20;
  geometry.zones = {{0, 30, 16, 0}};
  CHECK(sblock::plan_sblocks(config, geometry, 8, problem).empty());
  CHECK(problem.find("room for 0") != std::string::npos);
  problem.clear();
  geometry.zones = {{0, 30000, 16, 0}};
  config.log_radii = 1;
  CHECK(sblock::plan_sblocks(config, geometry, 8, problem).empty());
  CHECK(problem.find("log_radii 1") != std::string::npos);
}

TEST_CASE("each S-block of a prefilled drive has a slot of its own, in order of the slots") {
  StoreSetup setup;
  setup.prefilled = 24;
  StoreDrive drive(setup);
  const std::uint32_t sblocks = drive.layer().store().logs().shape().sblocks;
  for (std::uint32_t sblock = 0; sblock < sblocks; ++sblock) CHECK(drive.slot(0, sblock) == sblock);
}
