// Sectors that cannot be read in bands and cache of Virtual Guard, with power cuts.
#include "support/unreadable_sectors.hpp"
#include "vguard_drive.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("vguard: one unreadable sector costs that sector alone") {
  one_unreadable_sector([] { return std::make_unique<VguardDrive>(); }, {.longest = 300, .cuts = 2, .requests = 30});
}

TEST_CASE("vguard: scattered unreadable sectors, with power cuts, never give wrong data") {
  for (std::uint64_t run = 0; run < 600; ++run) {
    INFO("run " << run);
    RandomStream random(run, "vguard faults");
    VguardDrive drive(3, 5);
    scatter_unreadable(drive, random, 8);
    history_with_losses(drive, random, {.longest = 300, .cuts = 4, .requests = 40});
  }
}

TEST_CASE("vguard: a cached track whose record cannot be read after a power cut is still in the cache") {
  VguardDrive drive;
  drive.fill(5);
  drive->steps.clear();
  REQUIRE(drive.write_sectors(1, 3, 2) == Status::ok);  // moves track 2 to the cache
  const PhysicalRun record = drive->steps_in("cache").back().run;
  REQUIRE(record.count == 1);
  REQUIRE(drive.write_sectors(2, 0, 4) == Status::ok);
  drive->media().add_unreadable({record.track, record.first});
  drive->cut_now();
  CHECK(drive.wrong_blocks() == 0);
}
