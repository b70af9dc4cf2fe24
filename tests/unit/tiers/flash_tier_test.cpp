// tessera's flash tier: what goes to it, past it and out of it.
#include "support/cut_everywhere.hpp"
#include "support/flash_faults.hpp"
#include "support/lost_page.hpp"
#include "support/random_histories.hpp"
#include "tiers_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

namespace {

/// Without a buffer, so that each write of the host is one of the flash tier's: of eight sectors at most, the longer ones go past it.
TiersSetup unbuffered(std::uint32_t blocks = 12) {
  TiersSetup setup;
  setup.layer.buffer = Bytes(0);
  setup.layer.evict_after = 3600_s;
  setup.layer.flash_backlog = 8;
  setup.use_flash(blocks);
  return setup;
}

}  // namespace

TEST_CASE("a write that the flash keeps up with is on flash, and is read from there") {
  TiersDrive drive(unbuffered());
  drive.bench().steps.clear();
  drive.write(3, 2);
  drive.read(3, 2);
  CHECK(drive.bench().steps.empty());
  CHECK(drive.metric("flash.written") == 2);
  CHECK(drive.metric("hit.read.flash") == 2);
  drive.check_content();
}

TEST_CASE("a write longer than the flash takes goes past it, and a void with it only over an older copy") {
  TiersDrive drive(unbuffered());
  drive.write(30, 10);
  CHECK(drive.metric("flash.past") == 10);
  CHECK(drive.metric("flash.voids") == 0);
  drive.write(32, 1);
  drive.write(30, 10);
  CHECK(drive.metric("flash.voids") == 1);
  drive.cut_now();
  drive.check_content();  // the copy in flash does not come back
}

TEST_CASE("of a read the flash has in part the rest comes from the platters") {
  TiersDrive drive(unbuffered());
  drive.write(40, 10);
  drive.write(43, 2);
  drive.read(40, 10);
  CHECK(drive.metric("hit.read.flash") == 2);
  CHECK(drive.metric("hit.read.log") + drive.metric("hit.read.media") == 8);
  drive.check_content();
}

TEST_CASE("a trimmed sector stays in flash, and a later write past the flash counts after a cut") {
  TiersDrive drive(unbuffered());
  drive.write(32, 2);
  drive.trim(32, 2);
  CHECK(drive.metric("flash.voids") == 0);
  drive.read(32, 2);
  CHECK(drive.metric("hit.read.flash") == 2);
  drive.write(30, 10);
  CHECK(drive.metric("flash.voids") == 1);
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("a full flash gives its oldest block back in idle time, and what was read since stays") {
  TiersSetup setup = unbuffered();
  setup.layer.evict_after = 1_ms;
  setup.layer.flash_free = 50;  // six of twelve blocks of four pages
  setup.layer.copy_forward = GENERATE(tiers::CopyForward::off, tiers::CopyForward::on);
  const bool stays = setup.layer.copy_forward == tiers::CopyForward::on;
  TiersDrive drive(setup);
  for (std::uint64_t i = 0; i < 6; ++i) drive.write(40 * i, 4);
  drive.read(0, 4);  // of the first block
  drive.write(300, 4);
  while (drive.metric("flash.evicted") == 0 && drive.layer().idle()) drive.bench().run_for(100_us);
  CHECK_FALSE(drive.layer().idle());
  drive.bench().run_for(1_s);
  CHECK(drive.layer().idle());
  CHECK(drive.metric("flash.evicted") >= 1);
  CHECK((drive.metric("nand.page_copies") == 4) == stays);
  CHECK(drive.metric("flash.moved_on") >= 4);
  drive.check_content();
  drive.cut_now();
  drive.check_content();
}

/// Long writes over what the flash holds each claim the two pages of a void, before they go to the platters; meanwhile short ones fill the
/// flash. What they leave must do for all that was claimed, or a void finds no page and its write ends with "no space".
TEST_CASE("short writes leave flash for the voids of writes that are under way") {
  double voids = 0;
  for (std::uint64_t run = 0; run < 40; ++run) {
    RandomStream random(run, "voids beside short writes");
    INFO("run " << run);
    TiersSetup setup = unbuffered(pick(random, 8, 16));
    setup.layer.flash_backlog = 64;
    TiersDrive drive(setup);
    for (std::uint32_t round = 0; round < 36; ++round) {
      for (std::uint32_t depth = 0; depth < 32; ++depth) {
        const std::uint32_t count = random.below(3) != 0 ? 10 : pick(random, 1, 8);
        drive.bench().submit(HostOp::write, random.below(24) * 10 * blocks_per_sector, count * blocks_per_sector);
      }
      drive.bench().run_until_all_done();
    }
    CHECK(drive.bench().failed_whole_requests() == 0);
    drive.check_content();
    voids += drive.metric("flash.voids");
  }
  CHECK(voids > 1000);
}

TEST_CASE("pages are programmed in order although two cores run the layer") {
  for (std::uint64_t run = 0; run < 8; ++run) {
    RandomStream random(run, "two cores");
    INFO("run " << run);
    TiersSetup setup = unbuffered(24);
    setup.bench.nand->pages_per_block = 32;
    setup.bench.controller.cores = 4;
    setup.layer.flash_run = 64;
    setup.layer.flash_backlog = 256;
    TiersDrive drive(setup);
    for (std::uint32_t round = 0; round < 8; ++round) {
      for (std::uint32_t depth = 0; depth < 16; ++depth)
        drive.bench().submit(HostOp::write, random.below(24) * 10 * blocks_per_sector,
                             pick(random, 1, depth % 2 == 0 ? 60 : 2) * blocks_per_sector);
      drive.bench().run_until_all_done();
    }
    CHECK(drive.metric("flash.failed_programs") == 0);
  }
}

TEST_CASE("the oldest block is not evicted before the pages on their way to it have come") {
  TiersSetup setup = unbuffered(6);
  setup.layer.flash_backlog = 64;
  TiersDrive drive(setup);
  // The first four fill block 0 and more; of the claims for their voids the fifth finds no room, and has block 0 evicted.
  for (std::uint64_t i = 0; i < 5; ++i) drive.bench().submit(HostOp::write, 40 * i * blocks_per_sector, 4 * blocks_per_sector);
  drive.bench().run_until_all_done();
  CHECK(drive.metric("flash.evicted") == 1);
  CHECK(drive.metric("flash.moved_on") == 4);
  drive.check_content();
}

TEST_CASE("a cut at any instant of a write past older copies in flash loses nothing") {
  const auto begin = [](TiersDrive& drive) {
    drive.write(30, 4);
    drive.write(36, 2);
    drive.bench().submit(HostOp::write, 28 * 8, 12 * 8);
  };
  const auto go_on = [](TiersDrive& drive) { drive.write(31, 2); };
  CHECK(cut_everywhere<TiersDrive>(unbuffered(), begin, go_on) > 4);
}

TEST_CASE("a cut at any instant of an eviction loses nothing, nor brings anything back") {
  TiersSetup setup = unbuffered(8);
  setup.layer.flash_run = 4;
  setup.layer.log = sectors(400);
  setup.layer.map_entries = 200;
  setup.bench.media.tracks = 200;
  const auto begin = [](TiersDrive& drive) {
    for (std::uint64_t i = 0; i < 5; ++i) drive.write(40 * i, 4);
    for (std::uint64_t i = 0; i < 9; ++i) drive.write(20 * (i % 5) * 2, 5);  // past the flash, a void of two pages each time
    drive.bench().submit(HostOp::write, 80 * 8, 6 * 8);
  };
  const auto go_on = [](TiersDrive& drive) {
    drive.write(41, 2);
    drive.write(40, 6);
  };
  CHECK(cut_everywhere<TiersDrive>(setup, begin, go_on) > 4);
}

TEST_CASE("what lies in a block that cannot be erased does not come back") {
  TiersSetup setup = unbuffered(12);
  setup.layer.evict_after = 1_ms;
  setup.layer.flash_free = 90;
  // Where an erase fails nothing of the block can be read; what a program failed beside still can.
  if (GENERATE(false, true))
    setup.bench.nand->erase_failures = {{0, 1}, {1, 1}};
  else
    setup.bench.nand->program_failures = {{0, 3}, {1, 3}};
  setup.layer.dump_tags = GENERATE(false, true);
  TiersDrive drive(setup);
  for (std::uint64_t i = 0; i < 4; ++i) drive.write(40 * i, 4);
  drive.bench().run_for(1_s);  // what filled blocks 0 and 1 is in the log
  REQUIRE(drive.metric("flash.retired_blocks") == 2);
  for (std::uint64_t i = 0; i < 4; ++i) drive.write(40 * i, 10);  // past the flash: nothing there to make void
  drive.cut_now();
  drive.check_content();
}

TEST_CASE("what was in a block that can neither be erased nor called dead is read where it went") {
  TiersSetup setup = unbuffered(12);
  setup.layer.evict_after = 1_ms;
  setup.layer.flash_free = 90;
  setup.bench.nand->erase_failures = {{0, 1}};
  for (std::uint32_t block = 4; block < 12; ++block)
    setup.bench.nand->program_failures.push_back({double(block), 1});  // no page for a void
  TiersDrive drive(setup);
  for (std::uint64_t i = 0; i < 4; ++i) drive.write(40 * i, 4);
  drive.bench().run_for(1_s);
  REQUIRE(drive.metric("flash.moved_on") == 4);
  for (std::uint64_t i = 0; i < 4; ++i) drive.read(40 * i, 4);
  drive.check_content();
}

TEST_CASE("a flash page that was lost before a boot is an error until its sector is written again, not the older copy") {
  TiersSetup setup = unbuffered();
  lose_page(*setup.bench.nand, 1);
  const auto written_twice = [](TiersDrive& drive) {
    drive.write(40);
    drive.write(40);
    drive.cut_now();
  };
  TiersDrive drive(setup);
  written_twice(drive);
  CHECK(drive.bench().read(40 * 8, 8) == Status::media_error);
  drive.cut_now();
  CHECK(drive.bench().read(40 * 8, 8) == Status::media_error);
  drive.bench().verify_all();
  CHECK(drive.bench().scoreboard().errors() == 0);
  drive.write(40, 10);  // past the flash
  drive.cut_now();
  drive.check_content();

  setup.layer.dump_tags = false;
  TiersDrive without(setup);
  written_twice(without);
  CHECK(without.bench().read(40 * 8, 8) == Status::ok);
  CHECK(without.bench().scoreboard().errors() != 0);
}

TEST_CASE("a copy in flash does not come back where both pages of its void were lost") {
  TiersSetup setup = unbuffered();
  lose_page(*setup.bench.nand, 2);
  lose_page(*setup.bench.nand, 3);
  const auto voided = [](TiersDrive& drive) {
    drive.write(32, 2);   // pages 0 and 1
    drive.write(30, 10);  // past the flash, with a void in pages 2 and 3
    REQUIRE(drive.metric("flash.voids") == 1);
    drive.cut_now();
  };
  TiersDrive drive(setup);
  voided(drive);
  drive.check_content();

  setup.layer.dump_tags = false;
  TiersDrive without(setup);
  voided(without);
  without.bench().verify_all();
  CHECK(without.bench().scoreboard().errors() != 0);
}

TEST_CASE("what a boot leaves out for the dumped table alone does not come back at a boot without the table") {
  bool table = true;
  const auto saved = [&table](std::uint64_t pieces) { return table ? pieces : 0; };
  TiersSetup setup = unbuffered();
  SECTION("a page whose program was not reported before the cut") {
    TiersDrive drive(setup);
    drive.bench().fail_dumps(saved);
    if (GENERATE(false, true)) drive.write(40);  // then an older copy is in the table, and the page counts
    const NandArray& array = drive.bench().nand().array();
    const std::uint32_t before = array.programmed(NandBlock(0));
    drive.bench().submit(HostOp::write, 40 * blocks_per_sector, blocks_per_sector);
    while (array.programmed(NandBlock(0)) == before) drive.bench().timeline().step();
    drive.cut_now();
    drive.write(40, 10);  // past the flash
    table = false;
    drive.cut_now();
    drive.check_content();
  }
  SECTION("a page whose void no read brought") {
    lose_page(*setup.bench.nand, 2);
    lose_page(*setup.bench.nand, 3);
    TiersDrive drive(setup);
    drive.bench().fail_dumps(saved);
    drive.write(32, 2);   // pages 0 and 1
    drive.write(30, 10);  // past the flash, with a void in pages 2 and 3
    drive.cut_now();
    table = false;
    drive.cut_now();
    drive.check_content();
  }
}

TEST_CASE("a flash block whose erase a cut tears holds nothing that is lost") {
  TiersSetup setup = unbuffered(12);
  setup.layer.evict_after = 1_ms;
  setup.layer.flash_free = 90;
  TiersDrive drive(setup);
  for (std::uint64_t i = 0; i < 4; ++i) drive.write(40 * i, 4);
  const NandArray& array = drive.bench().nand().array();
  const auto erase_begins = [&] {
    return !drive.bench().flash_commands.empty() && drive.bench().flash_commands.back().op == FlashOp::erase;
  };
  while (!erase_begins()) drive.bench().timeline().step();
  drive.bench().run_for(Picoseconds(1'000'000));
  drive.cut_now();
  REQUIRE(array.erases(NandBlock(0)) == 1);
  drive.check_content();
}

TEST_CASE("of a band it is told how far it is written, and how much of it the flash holds") {
  TiersDrive drive(unbuffered());
  drive.write(3, 2);
  drive.write(26, 10);  // past the flash, and long enough to go to the band
  drive.write(27, 1);
  const BandLevels levels = drive.layer().band_levels();
  CHECK(levels[0] == BandLevel{24, 0, 2});
  CHECK(levels[1] == BandLevel{24, 12, 1});
}
