// Power cuts at every instant of chosen moments of the store, and random histories with cuts.
#include "store_drive.hpp"
#include "support/cut_everywhere.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Cuts a write behind `prepare` at every instant.
template <class Prepare>
std::uint64_t cut_everywhere(const StoreSetup& setup, Prepare prepare, std::uint64_t sector) {
  const auto begin = [&](StoreDrive& drive) {
    prepare(drive);
    drive.bench().submit(HostOp::write, sector * 8, 8);
  };
  const auto go_on = [](StoreDrive& drive) {
    for (std::uint64_t next = 0; next < 12; ++next) drive.write(next * 7 % 24);
  };
  return test::cut_everywhere<StoreDrive>(setup, begin, go_on);
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
  setup.regions.overlap = GENERATE(2U, 3U);
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
  setup.regions.log_radii = 4;  // superblocks, and halves of a checkpoint and two changes, all of it twice
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

StoreSetup random_setup(RandomStream& random) {
  StoreSetup setup;
  setup.size = pick(random, 1, 20);
  setup.regions.checkpoint = random.below(4) != 0;
  if (random.below(2) == 0) setup.reads = MediaClass::background;
  if (random.below(2) == 0) setup.regions.collection = sblock::Collection::whole_log;
  randomise(setup, random);
  return setup;
}

}  // namespace

TEST_CASE("random requests, up to six at a time, return what was written") {
  std::uint64_t migrated = 0;
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "sblock histories");
    INFO("run " << run);
    StoreDrive drive(random_setup(random));
    random_history(drive, random, region_traffic);
    migrated += static_cast<std::uint64_t>(drive.metric("sblock.migrated"));
  }
  CHECK(migrated > 5'000);
}

TEST_CASE("power cuts at random instants lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "sblock cuts");
    INFO("run " << run);
    StoreDrive drive(random_setup(random));
    random_cuts(drive, random, region_traffic);
  }
}
