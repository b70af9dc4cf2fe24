// PORE: the worked example, what a cleaning costs, both modes, memory.
#include "flash_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

namespace {

/// Bands of 8 sectors, three blocks of four pages for the host and one for copies; half of the four bands is opened.
PoreSetup example() {
  PoreSetup setup;
  setup.layer.open_frac = 0.5;
  setup.layer.reserve_blocks = 1;
  setup.bench.nand->blocks = 4;
  setup.bench.nand->pages_per_block = 4;
  return setup;
}

/// Six pages of band 0, three of band 1, two of band 2, one of band 3; nothing twice, so no band has heat.
void fill(PoreDrive& drive) {
  drive.write_banded({{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {1, 0}, {1, 1}, {1, 2}, {2, 0}, {2, 1}, {3, 0}});
}

}  // namespace

TEST_CASE("the bands with most cached pages are evicted, the pages of the others are copied") {
  PoreSetup setup = example();
  setup.cache().crash_safe = GENERATE(false, true);
  setup.cache().map.kind = GENERATE(MapKind::array, MapKind::hash, MapKind::paged);
  PoreDrive drive(setup);
  fill(drive);
  CHECK(drive.metric("cleaning.count") == 0);
  drive.bench().flash_commands.clear();
  drive.bench().steps.clear();
  drive.write_banded({{3, 1}});
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("rmw.count") == 2);
  CHECK(drive.metric("nand.page_copies") == 3);
  CHECK(drive.metric("open.regions_mean") == 2);
  CHECK(drive.metric("forbidden.pages_share") == 3.0 / 12);
  CHECK(drive.flash(FlashOp::erase) == 3);
  CHECK(drive.bench().sectors_in("bands", MediaOp::write) == 2 * 8);
  CHECK(drive.layer().owners().count(0) == 0);
  CHECK(drive.layer().owners().count(1) == 0);
  CHECK(drive.layer().owners().count(2) == 2);
  CHECK(drive.layer().owners().count(3) == 2);
  drive.check_content();
}

TEST_CASE("a cleaning of pore takes the merges, the copies and the erases of emptied blocks") {
  PoreSetup setup = example();
  setup.cache().crash_safe = false;
  setup.bench.media.timing = MediaTimingMode::expected;
  setup.bench.ideal_electronics();
  PoreDrive drive(setup);
  fill(drive);
  drive.bench().steps.clear();
  drive.write_banded({{3, 1}});
  // Nine pages read for the two merges; three copied, with a read and a program each; one erase apart, two of them first.
  const std::uint64_t clean = (drive.bench().media_time() + 9U * 200_us + 3U * (200_us + 1300_us) + 3U * 1500_us).value();
  CHECK(drive.metric("cleaning.max") == Approx(static_cast<double>(clean) / 1e9));
}

// Each cleaning evicts bands 0 and 1 and copies the three pages of bands 2 and 3 that are written first.
TEST_CASE("pore copies pages inside the flash as often in a row as its limit says, then through the controller") {
  for (const std::uint32_t limit : {0U, 1U, 2U}) {
    INFO("limit " << limit);
    PoreSetup setup = example();
    setup.bench.nand->copyback = true;
    setup.bench.nand->bus_rate = BytesPerSecond(46'080'000);
    setup.layer.copybacks = limit;
    PoreDrive drive(setup);
    drive.write_banded({{2, 0}, {2, 1}, {3, 0}});
    for (std::uint64_t round = 0; round < 3; ++round) {
      const double copies = drive.metric("nand.page_copies");
      const double moves = drive.metric("nand.page_copybacks");
      drive.bench().flash_commands.clear();
      std::uint64_t offset = 0;
      while (drive.metric("nand.page_copies") == copies) {
        drive.write_banded({{offset % 2, offset / 2 % 8}});
        ++offset;
      }
      const bool inside = round % (limit + 1) < limit;
      CHECK(drive.metric("nand.page_copies") - copies == 3);
      CHECK(drive.metric("nand.page_copybacks") - moves == (inside ? 3 : 0));
      CHECK(drive.flash(FlashOp::copyback) == (inside ? 3 : 0));
      drive.check_content();
    }
    drive.cut_now();
    drive.check_content();
  }
}

TEST_CASE("pore: a page moves to a page of its own plane, another one through the controller") {
  PoreSetup setup = example();
  setup.bench.nand->copyback = true;
  setup.bench.nand->blocks = 8;
  setup.bench.nand->dies = 2;
  setup.layer.copybacks = 3;
  setup.layer.reserve_blocks = 2;
  PoreDrive drive(setup);
  for (std::uint64_t i = 0; drive.metric("cleaning.count") < 6; ++i) drive.write_banded({{i * 7 % 4, i * 5 % 8}});
  for (const FirmwareBench::FlashRecord& record : drive.bench().flash_commands)
    if (record.op == FlashOp::copyback) CHECK(record.page.value() / 4 % 2 == record.from.value() / 4 % 2);
  CHECK(drive.metric("nand.page_copybacks") > 0);
  CHECK(drive.metric("nand.page_copybacks") < drive.metric("nand.page_copies"));
  drive.check_content();
}

TEST_CASE("hits heat a band, and a hot band stays in the cache") {
  PoreDrive drive(example());
  fill(drive);
  for (int i = 0; i < 5; ++i) drive.read(drive.at(0, 0));
  CHECK(drive.layer().heat(0) == 5);  // 36 / 6 is below 9 and above 4
  drive.read(drive.at(0, 1));
  drive.read(drive.at(0, 2));
  drive.read(drive.at(0, 3));
  drive.read(drive.at(0, 4));  // 36 / 10 is below 4
  drive.write_banded({{3, 1}});
  CHECK(drive.layer().owners().count(0) == 6);
  CHECK(drive.layer().owners().count(1) == 0);
  CHECK(drive.layer().owners().count(2) == 0);
  CHECK(drive.layer().heat(0) == 0);
  drive.check_content();
}

TEST_CASE("an update heats its band and leaves a page that is not valid") {
  PoreDrive drive(example());
  drive.write_banded({{0, 0}, {0, 0}, {0, 1}});
  CHECK(drive.layer().heat(0) == 1);
  CHECK(drive.layer().owners().count(0) == 2);
  CHECK(drive.metric("hit.write.flash") == 1);
}

TEST_CASE("at least one band is opened, and blocks full of valid pages are left alone") {
  PoreSetup setup = example();
  setup.layer.open_frac = 0;
  PoreDrive drive(setup);
  drive.write_banded({{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {1, 1}, {1, 2}, {1, 3}, {2, 0}, {2, 1}, {3, 0}, {2, 2}});
  drive.bench().flash_commands.clear();
  drive.write_banded({{3, 1}});  // of bands 0 and 1 the lower is opened: its block needs no copy, the others are full
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.metric("nand.page_copies") == 0);
  CHECK(drive.flash(FlashOp::erase) == 1);
  drive.check_content();
}

TEST_CASE("write amplification is one and a band for each open band over the pages of the cache") {
  // 16 bands with as many dirty pages each, a quarter of them opened: each cleaning rewrites 4 bands of 8 sectors and frees the pages
  // of a quarter of the cache.
  PoreSetup setup;
  setup.cache().bands = 16;
  setup.cache().crash_safe = false;
  setup.layer.open_frac = 0.25;
  setup.layer.reserve_blocks = 1;
  setup.bench.media.tracks = 100;
  setup.bench.nand->blocks = 17;
  setup.bench.nand->pages_per_block = 4;
  PoreDrive drive(setup);
  for (std::uint64_t i = 0; i < 640; ++i) drive.write_banded({{i % 16, i / 16 % 8}});
  const double rmws = drive.metric("rmw.count");
  CHECK(rmws == drive.metric("cleaning.count") * 4);
  CHECK(static_cast<double>(drive.bench().sectors_in("bands", MediaOp::write)) == rmws * 8);
}

TEST_CASE("original: a period evicts the pages used longest ago of the zones that are open") {
  PoreSetup setup = example();
  setup.layer.mode = pore::Mode::original;
  setup.layer.zone_sectors = 16;  // two zones of two bands each
  setup.layer.period = 4;
  setup.cache().crash_safe = GENERATE(false, true);
  PoreDrive drive(setup);
  drive.write_banded({{0, 0}, {2, 0}, {0, 1}, {1, 0}, {0, 2}, {1, 1}, {2, 1}, {0, 3}, {1, 2}, {0, 4}, {3, 0}, {3, 1}});
  drive.read(drive.at(0, 0));  // the oldest of the first zone becomes its newest
  drive.write_banded({{3, 2}});
  // Zone 0 scores 64 / 2 and is opened; its oldest four are 0:1, 1:0, 0:2 and 1:1.
  const PageOwners& owners = drive.layer().owners();
  CHECK(drive.metric("rmw.count") == 2);
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(owners.count(0) == 4);
  CHECK(owners.count(1) == 5);
  std::vector<std::uint64_t> left;
  for (std::uint32_t page = owners.first(0); page != PageOwners::none; page = owners.after(page))
    left.push_back(owners.sector(page).value());
  CHECK(left == std::vector<std::uint64_t>{3, 10, 4, 0});
  drive.check_content();
  if (!setup.cache().crash_safe) return;
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("the reserve is left to the copies, however many blocks are filled side by side") {
  PoreSetup setup = example();
  setup.cache().parallel = 3;
  setup.layer.reserve_blocks = 2;
  setup.bench.nand->blocks = 6;
  PoreDrive drive(setup);
  for (std::uint64_t i = 0; i < 16; ++i) {
    drive.write_banded({{i % 4, i / 4}});
    CHECK(drive.layer().space(0).free_blocks() >= 2);
  }
  CHECK(drive.metric("cleaning.count") == 0);
  CHECK(drive.layer().space(0).room(2) == 0);
}

TEST_CASE("memory is the sector map and sixteen bytes a region") {
  PoreDrive drive(example());
  CHECK(drive.metric("meta.ram_bytes") == 4 * 32 + 16 * 4);
  CHECK(drive.metric("meta.ram_bytes_actual") > 4 * 32 + 16 * 4);
}
