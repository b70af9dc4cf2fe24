// Power cuts at every instant of chosen moments, and flash that fails.
#include "mu_rmw_drive.hpp"
#include "support/cut_everywhere.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Cuts a write behind `prepare` at every instant.
template <class Prepare>
std::uint64_t cut_everywhere(const MuRmwSetup& setup, Prepare prepare, std::uint64_t last_sector) {
  const auto begin = [&](MuRmwDrive& drive) {
    prepare(drive);
    drive.bench().submit(HostOp::write, last_sector * 8, 8);
  };
  const auto go_on = [last_sector](MuRmwDrive& drive) {
    drive.write(last_sector);
    drive.write(0);
  };
  return test::cut_everywhere<MuRmwDrive>(setup, begin, go_on);
}

}  // namespace

TEST_CASE("a cut between the erases of a merged band does not bring back an older sub-table") {
  // Band 0 gets blocks 0, 2, 4 (die 0) and 5 (die 1). Block 4 holds the first version of sector 0 with a sub-table that agrees, block 5
  // the second one. While die 0 erases block 2, block 5 is erased already: only the watermark tells that block 4 is void.
  MuRmwSetup setup;
  setup.bench.nand->dies = 2;
  setup.bench.nand->blocks = 6;
  setup.layer.free_list = GENERATE(FreeOrder::fifo, FreeOrder::lowest);
  const auto prepare = [](MuRmwDrive& drive) {
    for (const std::uint64_t sector : {4, 6, 8, 9, 7, 5, 10, 11, 0, 1, 0, 2}) drive.write(sector);
  };
  CHECK(cut_everywhere(setup, prepare, 8) > 20);
  MuRmwDrive whole(setup);
  prepare(whole);
  whole.bench().flash_commands.clear();
  whole.write(8);
  CHECK(whole.flash(FlashOp::erase) == std::vector<std::uint64_t>{0, 2, 4, 5});
}

TEST_CASE("a sub-table that names a page which is not what it says is not taken for the newest") {
  const MuRmwSetup setup;
  MuRmwDrive drive(setup);
  drive.write(0);
  // As a program leaves it that succeeds behind one of the same write that failed: slot 2 names a page that holds nothing.
  const OobCodec codec(setup.layer.slots, setup.layer.slot_bytes);
  std::vector<std::byte> image(codec.bytes());
  codec.encode({LogicalSector(1), 99, OobHeader::Kind::data}, std::vector<std::uint32_t>{0, 1, 5, OobCodec::no_page}, image);
  REQUIRE(drive.bench().nand().array().program(NandPage(1), {}, image) == Status::ok);
  drive.cut_now();
  CHECK(drive.layer().map().peek_directory(0) == 0);
  CHECK(drive.layer().map().valid_pages(0) == 1);
  drive.check_content();
}

TEST_CASE("cuts throughout the tiny drive's merge and obsolete reclaim lose nothing") {
  const MuRmwSetup setup;
  const std::vector<std::uint64_t> sequence{0, 1, 8, 0, 1, 0, 9, 10};
  for (const std::size_t writes : {5U, 7U}) {
    const auto prepare = [&](MuRmwDrive& drive) {
      for (std::size_t i = 0; i < writes; ++i) drive.write(sequence[i]);
    };
    cut_everywhere(setup, prepare, sequence[writes]);
  }
}

TEST_CASE("the merge log goes on over its two halves and cuts") {
  MuRmwSetup setup;  // a half holds a checkpoint and two changes
  MuRmwDrive drive(setup);
  for (std::uint64_t i = 0; i < 40; ++i) {
    drive.write(i * 5 % 16);
    if (i % 9 == 8) drive.cut_now();
    drive.check_content();
  }
}

TEST_CASE("a trimmed sector is read from flash, as its band holds something older, also after a cut") {
  MuRmwSetup setup;
  setup.bench.nand->pages_per_block = 8;
  MuRmwDrive drive(setup);
  drive.write(0, 2);
  drive.trim(0, 2);
  for (int boot = 0; boot < 2; ++boot) {
    drive.bench().steps.clear();
    drive.read(0, 2);
    CHECK(drive.bench().steps.empty());
    drive.check_content();
    drive.cut_now();
  }
}

TEST_CASE("mu-rmw: a band of which all was trimmed gives its blocks back without a merge, and its next merge reads nothing") {
  const MuRmwSetup setup;
  MuRmwDrive drive(setup);
  for (const std::uint64_t sector : {0, 1, 0}) drive.write(sector);
  drive.bench().steps.clear();
  drive.bench().flash_commands.clear();
  const bool in_pieces = GENERATE(false, true);
  if (in_pieces) drive.trim(0, 5);
  drive.trim(in_pieces ? 5 : 0, in_pieces ? 3 : 8);
  CHECK(drive.bench().sectors_in("log", MediaOp::write) == 2);
  CHECK(drive.flash(FlashOp::erase) == std::vector<std::uint64_t>{0, 1});
  CHECK(drive.metric("rmw.count") == 0);
  for (int boot = 0; boot < 2; ++boot) {
    drive.bench().steps.clear();
    drive.bench().flash_commands.clear();
    drive.read(0, 8);
    CHECK((drive.bench().steps.empty() && drive.bench().flash_commands.empty()));
    drive.check_content();
    if (boot == 0) drive.cut_now();
  }
  for (const std::uint64_t sector : {1, 2, 3, 8, 9}) drive.write(sector);
  drive.bench().steps.clear();
  drive.write(10);
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.bench().sectors_in("bands", MediaOp::read) == 0);
  CHECK(drive.bench().sectors_in("bands", MediaOp::write) == 4);
  drive.check_content();
}

TEST_CASE("mu-rmw: a cut at any instant of a TRIM of a band, or of a merge after it, leaves nothing older") {
  const MuRmwSetup setup;
  const auto go_on = [](MuRmwDrive& drive) {
    for (const std::uint64_t sector : {3, 8, 0, 12, 6}) drive.write(sector);
  };
  const auto merged_and_cached = [](MuRmwDrive& drive) {
    for (const std::uint64_t sector : {0, 1, 2, 8, 9, 10, 0, 1}) drive.write(sector);
  };
  const auto empty = [&](MuRmwDrive& drive) {
    merged_and_cached(drive);
    drive.bench().submit(HostOp::trim, 0, 8 * 8);
  };
  CHECK(test::cut_everywhere<MuRmwDrive>(setup, empty, go_on) > 2);
  const auto prepare = [&](MuRmwDrive& drive) {
    merged_and_cached(drive);
    drive.trim(0, 8);
    drive.trim(10, 6);
    for (const std::uint64_t sector : {1, 2, 4}) drive.write(sector);
  };
  cut_everywhere(setup, prepare, 8);
}

TEST_CASE("a program that fails is repeated in another block, and a cut in between keeps the old version") {
  MuRmwSetup setup;
  setup.bench.nand->blocks = 8;
  setup.bench.nand->pages_per_block = 4;
  setup.bench.nand->program_failures = {{0, 3}};
  MuRmwDrive drive(setup);
  drive.write(0, 2);
  drive.write(0, 3);  // its first sector fails in block 0: all three go to the next block
  CHECK(drive.metric("flash.program_failures") == 1);
  CHECK(drive.metric("flash.retired_blocks") == 1);
  CHECK(drive.layer().map().valid_pages(0) == 0);  // what was in front of the failed page, and that page
  CHECK(drive.layer().map().valid_pages(1) + drive.layer().map().valid_pages(2) == 3);
  drive.check_content();
  const auto prepare = [](MuRmwDrive& small) { small.write(0, 2); };
  cut_everywhere(setup, prepare, 1);
  for (std::uint64_t i = 0; i < 60; ++i) drive.write(i % 16);
  for (const std::uint64_t block : drive.flash(FlashOp::erase)) CHECK(block != 0);  // it never comes back
  drive.check_content();
}

TEST_CASE("blocks that are bad from the factory or fail to erase are not used") {
  MuRmwSetup setup;
  setup.bench.nand->blocks = 6;
  setup.bench.nand->bad_blocks = {{1}};
  setup.bench.nand->erase_failures = {{2, 1}};
  MuRmwDrive drive(setup);
  for (std::uint64_t i = 0; i < 80; ++i) drive.write(i * 3 % 16);
  for (const std::uint64_t page : drive.flash(FlashOp::program)) CHECK(page / 2 != 1);
  CHECK(drive.metric("flash.retired_blocks") == 2);
  drive.check_content();
  drive.cut_now();
  CHECK(drive.metric("flash.retired_blocks") == 2);
  drive.check_content();
}

TEST_CASE("with every block gone a write fails, and what was written can still be read") {
  MuRmwSetup setup;
  setup.bench.nand->blocks = 2;
  setup.bench.nand->erase_failures = {{0, 1}, {1, 1}};
  MuRmwDrive drive(setup);
  Status status = Status::ok;
  for (std::uint64_t i = 0; i < 10 && status == Status::ok; ++i) status = drive.bench().write(i % 2 * 64, 8);
  CHECK(status == Status::read_only);
  drive.check_content();
}

TEST_CASE("recovery reads the first page of every block, the others of blocks that are not blank, and the newest sub-tables again") {
  MuRmwSetup setup;
  setup.bench.ideal_electronics();
  setup.bench.nand->blocks = 40;
  MuRmwDrive drive(setup);
  drive.write(0);
  drive.write(4);
  drive.bench().flash_commands.clear();
  drive.cut_now();
  CHECK(drive.flash(FlashOp::read_oob).size() == 40 + 1 + 2);  // two pages of block 0 are programmed
  CHECK(drive.layer().map().peek_directory(0) == 0);
  CHECK(drive.layer().map().peek_directory(1) == 1);
  CHECK(drive.layer().map().valid_pages(0) == 2);
}

TEST_CASE("blocks that were full at a checkpoint and were not erased since are not read again, but for their first page") {
  MuRmwSetup setup;
  setup.bench.nand->blocks = 10;
  setup.layer.checkpoint.region = Bytes(12 * 4096);
  setup.layer.checkpoint.every = 6;
  setup.layer.checkpoint.dump_tags = false;
  MuRmwDrive drive(setup);
  for (const std::uint64_t sector : {0, 1, 2, 3, 8, 9}) drive.write(sector);  // three full blocks, and the checkpoint
  drive.bench().run_until_idle(Picoseconds(1'000'000'000'000));
  CHECK(drive.metric("checkpoint.sectors") == 2 * 4);  // with the one of the first boot; two sectors and the two of a superblock each
  drive.write(4);
  drive.bench().flash_commands.clear();
  drive.cut_now();
  CHECK(drive.flash(FlashOp::read_oob).size() == 10 + 1 + 1);  // the second page of the block that was begun since, and its sub-table
  drive.check_content();
  drive.bench().flash_commands.clear();
  drive.cut_now();  // the checkpoint is as good for a second boot
  CHECK(drive.flash(FlashOp::read_oob).size() == 10 + 1 + 1);
  drive.check_content();
}

TEST_CASE("behind a cut a band goes on in the block that it began last") {
  MuRmwSetup setup;
  setup.bench.nand->blocks = 6;
  setup.bench.nand->pages_per_block = 4;
  MuRmwDrive drive(setup);
  for (std::uint64_t i = 0; i < 5; ++i) drive.write(i);  // a block of four pages, and a page of the next one
  drive.cut_now();
  drive.bench().flash_commands.clear();
  drive.write(5);
  CHECK(drive.flash(FlashOp::program) == std::vector<std::uint64_t>{5});
}
