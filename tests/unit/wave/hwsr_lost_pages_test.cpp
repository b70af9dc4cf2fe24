// Pages of hwsr's journals that become unreadable between the acknowledgement of what they hold and the next boot.
#include <vector>

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

TEST_CASE("a journalled write whose only page is lost is an error, however many came behind it") {
  for (const std::uint64_t others : {0, 1, 2, 3}) {
    INFO(others << " behind it");
    HwsrSetup setup = journalled();
    lose_page(*setup.bench.nand, first_page(setup));
    HwsrDrive drive(setup);
    drive.write(5);
    for (std::uint64_t i = 0; i < others; ++i) drive.write(9 + 4 * i);
    drive.cut_now();
    CHECK(drive.bench().read(5 * 8, 8) == Status::lost);
    drive.cut_now();
    CHECK(drive.bench().read(5 * 8, 8) == Status::lost);
    for (std::uint64_t i = 0; i < others; ++i) drive.read(9 + 4 * i);
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
  drive.read(5);
  drive.check_content();
}

TEST_CASE("of journalled writes whose pages are lost together none is forgotten, and what is left of one counts") {
  const auto write = [](HwsrDrive& drive) {
    drive.write(4, 2);
    drive.write(20);
    drive.write(40);
  };
  HwsrSetup setup = journalled();
  HwsrDrive first(setup);
  write(first);
  std::vector<std::uint64_t> pages;
  for (const FirmwareBench::FlashRecord& record : first.bench().flash_commands)
    if (record.op == FlashOp::program) pages.push_back(record.page.value());
  REQUIRE(pages.size() == 4);
  for (const std::size_t lost : {1, 2, 3}) lose_page(*setup.bench.nand, pages[lost]);
  HwsrDrive drive(setup);
  write(drive);
  drive.cut_now();
  drive.read(4);
  for (const std::uint64_t sector : {5, 20, 40}) CHECK(drive.bench().read(sector * 8, 8) == Status::lost);
  drive.bench().verify_all();
  CHECK(drive.bench().scoreboard().errors() == 0);
}

TEST_CASE("of the last journalled write a page that is lost at its end is known to be lost") {
  HwsrSetup setup = journalled();
  lose_page(*setup.bench.nand, first_page(setup) + 4);  // the next one is in the other block of the stripe, of four pages
  HwsrDrive drive(setup);
  drive.write(5, 2);
  drive.cut_now();
  drive.read(5);
  CHECK(drive.bench().read(6 * 8, 8) == Status::lost);
  drive.bench().verify_all();
  CHECK(drive.bench().scoreboard().errors() == 0);
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

TEST_CASE("of a journalled write that nothing says was completed what can be read counts, and no more") {
  HwsrSetup setup = journalled();
  setup.layer.caches.dump_tags = false;  // as if the dump had failed
  HwsrDrive first(setup);
  first.write(4, 3);
  std::vector<std::uint64_t> pages;
  for (const FirmwareBench::FlashRecord& record : first.bench().flash_commands)
    if (record.op == FlashOp::program) pages.push_back(record.page.value());
  REQUIRE(pages.size() == 3);
  for (std::size_t lost = 0; lost < 3; ++lost) {
    INFO("page " << lost);
    HwsrSetup with_loss = setup;
    lose_page(*with_loss.bench.nand, pages[lost]);
    HwsrDrive drive(with_loss);
    drive.write(4, 3);
    for (int boots = 0; boots < 3; ++boots) {
      drive.cut_now();
      for (std::uint64_t i = 0; i < 3; ++i)
        if (i != lost) drive.read(4 + i);
      CHECK(drive.bench().read((4 + lost) * 8, 8) == Status::ok);  // as it was before: for what the boot knows, a cut ended that write
      drive.write(20 + 4 * static_cast<std::uint64_t>(boots));
    }
    CHECK(drive.bench().scoreboard().errors() == 3 * 8);  // of these reads alone
  }
}

TEST_CASE("a journalled page that one boot cannot read and the next one can does not come back over what was written meanwhile") {
  for (double reads = 1; reads <= 16; ++reads) {
    INFO("unreadable for " << reads << " reads");
    HwsrSetup setup = journalled();
    for (double nth = 1; nth <= reads; ++nth)
      setup.bench.nand->read_failures.push_back({static_cast<double>(first_page(journalled())), nth});
    HwsrDrive drive(setup);
    drive.write(5);
    drive.cut_now();
    drive.write(5);
    drive.cut_now();
    drive.bench().verify_all();
    CHECK(drive.bench().scoreboard().errors() == 0);
  }
}
