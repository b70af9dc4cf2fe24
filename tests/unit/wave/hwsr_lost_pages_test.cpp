// Pages of hwsr's journals that become unreadable between the acknowledgement of what they hold and the next boot.
#include "hwsr_drive.hpp"
#include "support/lost_page.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

HwsrSetup journalled() {
  HwsrSetup setup;
  setup.layer.caches.durability = BufferDurability::journal;
  return setup;
}

/// The page that the first write of the drive goes to.
std::uint64_t first_page(const HwsrSetup& setup) {
  HwsrDrive drive(setup);
  drive.write(5);
  REQUIRE(drive.bench().flash_commands.back().op == FlashOp::program);
  return drive.bench().flash_commands.back().page.value();
}

}  // namespace

TEST_CASE("a journalled write whose only page is lost is an error, whether or not another one came behind it") {
  for (const bool another : {false, true}) {
    HwsrSetup setup = journalled();
    lose_page(*setup.bench.nand, first_page(setup));
    HwsrDrive drive(setup);
    drive.write(5);
    if (another) drive.write(9);
    drive.cut_now();
    CHECK(drive.bench().read(5 * 8, 8) == Status::lost);
    drive.cut_now();
    CHECK(drive.bench().read(5 * 8, 8) == Status::lost);
    if (another) drive.read(9);
    drive.bench().verify_all();
    CHECK(drive.bench().scoreboard().errors() == 0);
    drive.write(5);
    drive.read(5);
  }
}

TEST_CASE("a page that is lost when its write is on the disk already costs nothing") {
  HwsrSetup setup = journalled();
  setup.layer.caches.idle_after = Picoseconds(ps_per_second / 100);
  lose_page(*setup.bench.nand, first_page(setup));
  HwsrDrive drive(setup);
  drive.write(5);
  drive.bench().run_for(Picoseconds(5 * ps_per_second));
  REQUIRE(drive.layer().buffer().used() == 0);
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("without the dumped table the newest page of a journal is taken for one that the cut tore") {
  HwsrSetup setup = journalled();
  setup.layer.caches.dump_tags = false;
  lose_page(*setup.bench.nand, first_page(setup));
  HwsrDrive drive(setup);
  drive.write(5);
  drive.cut_now();
  CHECK(drive.bench().read(5 * 8, 8) == Status::ok);
  drive.bench().verify_all();
  CHECK(drive.bench().scoreboard().errors() != 0);
}
