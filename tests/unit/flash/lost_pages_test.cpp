// Pages that become unreadable between the acknowledgement of what they hold and the next boot, and that no checkpoint names.
#include "flash_drive.hpp"
#include "support/lost_page.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Eight blocks of two pages in one zone; page `lost` cannot be read from the first time on, and no checkpoint comes before the cut.
template <class Setup>
Setup losing(std::uint64_t lost) {
  Setup setup;
  setup.cache().checkpoint = {sectors(64), 1'000'000};
  setup.bench.nand->blocks = 8;
  if constexpr (std::is_same_v<Setup, SkylightSetup>) setup.layer.cache_zones = 1;
  lose_page(*setup.bench.nand, lost);
  return setup;
}

/// Behind a cut; then everything can be written and read again.
template <class Drive>
Status read_first_sector(Drive& drive) {
  drive.cut_now();
  const Status status = drive.bench().read(0, 8);
  drive.bench().verify_all();
  CHECK(drive.bench().scoreboard().errors() == 0);
  drive.write(0);
  drive.read(0);
  return status;
}

/// Where the writes to the checkpoint's region begin, since `steps` was cleared.
std::vector<PhysicalSector> checkpoint_writes(SkylightDrive& drive) {
  std::vector<PhysicalSector> sectors;
  for (const auto& step : drive.bench().steps_in("checkpoint"))
    if (step.op == MediaOp::write) sectors.push_back({step.run.track, step.run.first});
  return sectors;
}

}  // namespace

TEST_CASE("a page that was lost before a checkpoint named it is an error, not the older copy beside it") {
  SkylightDrive skylight(losing<SkylightSetup>(1));
  skylight.write_banded({{0, 0}, {0, 0}});
  CHECK(read_first_sector(skylight) == Status::media_error);
  PoreDrive pore(losing<PoreSetup>(1));
  pore.write_banded({{0, 0}, {0, 0}});
  CHECK(read_first_sector(pore) == Status::media_error);
}

TEST_CASE("a lost page is known where it is alone in its block") {
  SkylightDrive drive(losing<SkylightSetup>(2));
  drive.write_banded({{0, 0}, {1, 0}, {0, 0}});
  CHECK(read_first_sector(drive) == Status::media_error);
}

TEST_CASE("a lost page is known where what can be read of its block was not acknowledged") {
  SkylightDrive drive(losing<SkylightSetup>(2));
  drive.write_banded({{0, 0}, {1, 0}, {0, 0}});
  drive.bench().submit(HostOp::write, 64, 8);
  const NandArray& array = drive.bench().nand().array();
  while (array.programmed(NandBlock(1)) < 2) drive.bench().timeline().step();
  CHECK(read_first_sector(drive) == Status::media_error);
}

TEST_CASE("a lost page is known at further boots, and behind a checkpoint that came meanwhile") {
  SkylightDrive drive(losing<SkylightSetup>(1));
  drive.write_banded({{0, 0}, {0, 0}});
  drive.cut_now();
  drive.cut_now();
  CHECK(read_first_sector(drive) == Status::media_error);

  SkylightSetup setup = losing<SkylightSetup>(3);
  setup.cache().checkpoint.every = 2;
  SkylightDrive later(setup);
  later.write_banded({{1, 0}, {0, 0}});
  later.bench().run_until_idle(Picoseconds(ps_per_second));
  REQUIRE(later.metric("checkpoint.sectors") > 3);
  later.write_banded({{1, 1}, {0, 0}});
  later.cut_now();
  CHECK(later.bench().read(0, 8) == Status::media_error);
}

TEST_CASE("a lost page is known although a copy of the checkpoint that names it cannot be read, and boots make that copy anew") {
  SkylightSetup setup = losing<SkylightSetup>(3);
  setup.cache().checkpoint = {sectors(12), 2};  // halves of the tags and one change
  SkylightDrive drive(setup);
  drive.write_banded({{1, 0}, {0, 0}});
  drive.bench().run_until_idle(Picoseconds(ps_per_second));
  drive.bench().steps.clear();
  drive.write_banded({{1, 1}, {0, 0}});
  drive.bench().run_until_idle(Picoseconds(ps_per_second));
  REQUIRE(checkpoint_writes(drive).size() >= 3);  // both copies of all tags, and superblocks
  for (const std::size_t copy : {0, 1}) {
    const PhysicalSector unreadable = checkpoint_writes(drive)[copy];
    drive.bench().media().add_unreadable(unreadable);
    drive.bench().steps.clear();
    drive.cut_now();
    CHECK(drive.bench().read(0, 8) == Status::media_error);
    CHECK(drive.bench().scoreboard().errors() == 0);
  }
}

TEST_CASE("a boot that can read neither a page nor the checkpoint that would name its sector is refused") {
  for (const bool lost : {false, true}) {
    SkylightSetup setup = losing<SkylightSetup>(1);
    setup.cache().checkpoint.every = 2;
    if (!lost) setup.bench.nand->read_failures.clear();
    SkylightDrive drive(setup);
    for (const std::size_t copy : {0, 1}) drive.bench().media().add_unreadable(checkpoint_writes(drive)[copy]);
    drive.write_banded({{0, 0}, {0, 0}});
    drive.bench().run_until_idle(Picoseconds(ps_per_second));  // the dumped ring no longer has what the checkpoint has
    drive.bench().cut_now();
    CHECK(drive.bench().boot_status() == (lost ? Status::corrupt : Status::ok));
    if (!lost) drive.check_content();
  }
}

TEST_CASE("a block whose erase a cut tore holds nothing that is lost") {
  SkylightSetup setup = losing<SkylightSetup>(1);
  setup.bench.nand->read_failures.clear();
  setup.bench.nand->blocks = 2;
  SkylightDrive drive(setup);
  drive.write_banded({{0, 0}, {0, 1}, {0, 2}, {0, 3}});
  drive.bench().submit(HostOp::write, 4 * 8, 8);  // merges the band, then erases
  NandArray& array = drive.bench().nand().array();
  while (array.programmed(NandBlock(0)) != 0) drive.bench().timeline().step();
  for (const std::uint64_t block : {0, 1}) array.tear_erase(NandBlock(block));
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("without the dumped tags, or where their dump failed, a lost page is taken for one that the cut tore") {
  SkylightSetup setup = losing<SkylightSetup>(1);
  setup.cache().checkpoint.dump_tags = false;
  SkylightDrive drive(setup);
  drive.write_banded({{0, 0}, {0, 0}});
  drive.cut_now();
  CHECK(drive.bench().read(0, 8) == Status::ok);  // the older copy
  CHECK(drive.bench().scoreboard().errors() != 0);

  SkylightDrive torn(losing<SkylightSetup>(1));
  torn.bench().fail_dumps([](std::uint64_t) { return std::uint64_t{0}; });
  torn.write_banded({{0, 0}, {0, 0}});
  torn.cut_now();
  CHECK(torn.bench().read(0, 8) == Status::ok);
}

TEST_CASE("a page that one boot cannot read and the next one can does not come back over what was written meanwhile") {
  for (double reads = 1; reads <= 16; ++reads) {
    INFO("unreadable for " << reads << " reads");
    PoreSetup setup;
    setup.bench.nand->blocks = 8;
    for (double nth = 1; nth <= reads; ++nth) setup.bench.nand->read_failures.push_back({1, nth});
    PoreDrive drive(setup);
    drive.write_banded({{0, 0}, {0, 0}});
    drive.cut_now();
    drive.write(0);
    drive.cut_now();
    drive.read(0);
    drive.bench().verify_all();
    CHECK(drive.bench().scoreboard().errors() == 0);
  }
}
