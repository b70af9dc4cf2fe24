// Power cuts at every instant of chosen moments of the store, and random histories with cuts.
#include "store_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Runs `prepare`, submits a write, cuts the power after each possible number of actions, and checks the content, also after going on.
/// Gives how many instants were tried.
template <class Prepare>
std::uint64_t cut_everywhere(const StoreSetup& setup, Prepare prepare, std::uint64_t sector, std::uint32_t count = 1) {
  for (std::uint64_t actions = 0;; ++actions) {
    StoreDrive drive(setup);
    prepare(drive);
    drive.bench().submit(HostOp::write, sector * 8, count * 8);
    const bool cut = drive.bench().cut_after_actions(actions);
    INFO("cut after " << actions << " actions");
    REQUIRE(drive.bench().boot_status() == Status::ok);
    drive.check_content();
    if (!cut) return actions;
    for (std::uint64_t next = 0; next < 12; ++next) drive.write(next * 7 % 24);
    drive.check_content();
    drive.cut_now();
    drive.check_content();
  }
}

void fill_region(StoreDrive& drive) {
  for (const std::uint64_t sblock : {0, 1, 2, 3, 4, 5, 5}) drive.write_sblock(sblock);
}

}  // namespace

TEST_CASE("a cut at any instant of an update of an S-block loses nothing") {
  StoreSetup setup;
  setup.regions.checkpoint = GENERATE(true, false);
  setup.prefilled = GENERATE(0U, 24U);
  CHECK(cut_everywhere(
            setup,
            [](StoreDrive& drive) {
              drive.write(0);
              drive.write(3);
            },
            1) > 4);
}

TEST_CASE("a cut at any instant of a cleaning loses nothing") {
  StoreSetup setup;
  setup.regions.checkpoint = GENERATE(true, false);
  setup.regions.head_width = GENERATE(2U, 3U);
  CHECK(cut_everywhere(setup, fill_region, 10) > 20);
}

TEST_CASE("a cut at any instant of a cleaning that follows a trim loses nothing, and what was trimmed can be read") {
  StoreSetup setup;
  const auto prepare = [](StoreDrive& drive) {
    fill_region(drive);
    drive.trim(2, 2);
    drive.write_sblock(4);
    drive.write_sblock(5);
    drive.write_sblock(5);
  };
  CHECK(cut_everywhere(setup, prepare, 10) > 5);
}

TEST_CASE("a cut at any instant of the checkpoint that a full log needs loses nothing") {
  StoreSetup setup;
  setup.regions.regions = 8;
  setup.regions.log_radii = 2;  // two superblocks and halves of a checkpoint and two changes
  setup.bench.media.tracks = 100;
  const auto prepare = [](StoreDrive& drive) {
    for (const std::uint64_t region : {0, 1}) drive.write(region * 12);
  };
  CHECK(cut_everywhere(setup, prepare, 24) > 8);
  CHECK(cut_everywhere(
            setup,
            [&](StoreDrive& drive) {
              prepare(drive);
              drive.write(24);
              drive.write(36);
            },
            0) > 8);
}

TEST_CASE("an S-block whose sector under the head the cut corrupts keeps its old copy") {
  StoreSetup setup;
  setup.bench.media.powerfail_sector = PowerfailSector::corrupt;
  CHECK(cut_everywhere(setup, fill_region, 10) > 20);
}

namespace {

std::uint32_t pick(RandomStream& random, std::uint64_t low, std::uint64_t high) {
  return static_cast<std::uint32_t>(low + random.below(high - low + 1));
}

StoreSetup random_setup(RandomStream& random) {
  StoreSetup setup;
  for (;;) {
    setup.bench.media.sectors_per_track = pick(random, 2, 9);
    setup.bench.media.tracks = 300;
    setup.bench.media.surfaces = pick(random, 1, 2);
    setup.bench.media.track_skew = pick(random, 0, 1);
    setup.bench.seed = random();
    setup.sblock_sectors = pick(random, 1, 20);
    setup.regions.region_tracks = pick(random, 2, 20);
    setup.regions.head_width = pick(random, 2, 5);
    setup.regions.spare = static_cast<double>(random.below(5)) / 10;
    setup.regions.regions = pick(random, 1, 5);
    setup.regions.log_radii = pick(random, 5, 8);
    setup.regions.checkpoint = random.below(4) != 0;
    std::string problem;
    const DriveGeometry geometry = geometry_of(setup.bench.media);
    if (plan_sblocks(setup.regions, geometry, setup.sblock_sectors, problem).empty()) continue;
    const std::uint64_t capacity = setup.regions.regions *
                                   std::uint64_t{sblock::shape_of(setup.regions, geometry, setup.sblock_sectors).sblocks} *
                                   setup.sblock_sectors;
    const std::uint64_t filling = random.below(3);
    if (random.below(2) == 0) setup.reads = MediaClass::background;
    setup.prefilled = filling == 0 ? 0 : filling == 1 ? capacity : random.below(capacity + 1);
    return setup;
  }
}

void submit_random(StoreDrive& drive, RandomStream& random) {
  const std::uint64_t user = drive.layer().user_sectors() * 8;
  const std::uint64_t first = random.below(user);
  const auto count = static_cast<std::uint32_t>(1 + random.below(std::min<std::uint64_t>(user - first, random.below(4) == 0 ? 400 : 16)));
  const std::uint64_t kind = random.below(20);
  const HostOp op = kind == 0 ? HostOp::trim : kind == 1 ? HostOp::flush : kind < 6 ? HostOp::read : HostOp::write;
  drive.bench().submit(op, op == HostOp::flush ? 0 : first, op == HostOp::flush ? 0 : count, kind == 19);
}

}  // namespace

TEST_CASE("random requests, up to six at a time, return what was written") {
  std::uint64_t migrated = 0;
  for (std::uint64_t run = 0; run < 600; ++run) {
    RandomStream random(run, "sblock histories");
    INFO("run " << run);
    StoreDrive drive(random_setup(random));
    for (int round = 0; round < 60; ++round) {
      const std::uint64_t depth = 1 + random.below(6);
      for (std::uint64_t i = 0; i < depth; ++i) submit_random(drive, random);
      drive.bench().run_until_all_done();
    }
    drive.check_content();
    migrated += static_cast<std::uint64_t>(drive.metric("sblock.migrated"));
  }
  CHECK(migrated > 10'000);
}

TEST_CASE("power cuts at random instants lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 600; ++run) {
    RandomStream random(run, "sblock cuts");
    INFO("run " << run);
    StoreDrive drive(random_setup(random));
    for (int cut = 0; cut < 10; ++cut) {
      for (std::uint64_t i = 0, requests = random.below(60); i < requests; ++i) {
        submit_random(drive, random);
        if (random.below(3) == 0) drive.bench().run_until_all_done();
      }
      drive.bench().cut_after_actions(random.below(600));
      REQUIRE(drive.bench().boot_status() == Status::ok);
      drive.check_content();
    }
  }
}
