// Checkpoints of flash pages' tags: what boot need not read, and that it finds the same as if it had read everything.
#include "mu_rmw_drive.hpp"
#include "support/lost_page.hpp"
#include "support/random_histories.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

MuRmwSetup with_checkpoints(std::uint64_t every) {
  MuRmwSetup setup;
  setup.bench.nand->blocks = 10;
  setup.layer.checkpoint = {Bytes(64 * 4096), every};
  return setup;
}

void rest(MuRmwDrive& drive) { drive.bench().run_until_idle(Picoseconds(1'000'000'000'000)); }

/// Out-of-band reads of a boot after a cut.
std::size_t reads_at_boot(MuRmwDrive& drive) {
  drive.bench().flash_commands.clear();
  drive.cut_now();
  return drive.flash(FlashOp::read_oob).size();
}

/// Directory and valid counts.
std::vector<std::uint32_t> mapping(MuRmwDrive& drive, std::uint64_t groups, std::uint32_t blocks) {
  std::vector<std::uint32_t> all;
  for (std::uint64_t group = 0; group < groups; ++group) all.push_back(drive.layer().map().peek_directory(group));
  for (std::uint32_t block = 0; block < blocks; ++block) all.push_back(drive.layer().map().valid_pages(block));
  return all;
}

}  // namespace

TEST_CASE("a checkpoint writes the tags that changed, and all of them where its log is full") {
  MuRmwDrive drive(with_checkpoints(2));
  const double first = drive.metric("checkpoint.sectors");
  CHECK(first == 2 + 2);  // the tags and a superblock, each of which is two sectors
  drive.write(0, 2);
  rest(drive);
  CHECK(drive.metric("checkpoint.sectors") == first + 2);  // a sector of changes, twice
  MuRmwSetup setup = with_checkpoints(2);
  setup.layer.checkpoint.region = Bytes(12 * 4096);  // halves of the tags and one change
  MuRmwDrive full(setup);
  for (std::uint64_t sector = 0; sector < 4; sector += 2) {
    full.write(sector, 2);
    rest(full);
  }
  CHECK(full.metric("checkpoint.sectors") == first + 2 + (2 + 2));
  CHECK(reads_at_boot(full) == 10);
  full.check_content();
}

TEST_CASE("of a block that was begun at a checkpoint boot reads the first page and those behind the recorded ones") {
  for (const bool dump_tags : {false, true}) {
    MuRmwSetup setup = with_checkpoints(3);
    setup.layer.checkpoint.dump_tags = dump_tags;
    setup.bench.nand->pages_per_block = 8;
    MuRmwDrive drive(setup);
    drive.write(0, 3);
    rest(drive);
    CHECK(reads_at_boot(drive) == 10 + 1);  // the first blank page of the open block
    drive.write(3);
    CHECK(reads_at_boot(drive) == (dump_tags ? 10 + 1 : 10 + 2 + 1));  // undumped: one page more, and the sub-table of its group
    drive.check_content();
  }
}

TEST_CASE("pages found at a boot count as programmed since the checkpoint, so that cuts in a row make no boot longer") {
  for (const bool dump_tags : {false, true}) {
    MuRmwSetup setup = with_checkpoints(4);
    setup.layer.checkpoint.dump_tags = dump_tags;
    setup.bench.nand->pages_per_block = 16;
    MuRmwDrive drive(setup);
    std::size_t most = 0;
    for (std::uint64_t i = 0; i < 12; ++i) {
      drive.write(i % 4);
      rest(drive);
      most = std::max(most, reads_at_boot(drive));
    }
    CHECK(most <= 10 + 1 + 4 + 1);
    drive.check_content();
  }
}

TEST_CASE("the mapping after a boot is the one before the cut, whatever the checkpoint knows of it") {
  std::uint64_t known = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    RandomStream random(run, "mu-rmw mapping after a boot");
    INFO("run " << run);
    MuRmwSetup setup = with_checkpoints(pick(random, 1, 12));
    setup.bench.nand->pages_per_block = pick(random, 1, 6);
    setup.bench.nand->dies = pick(random, 1, 3);
    setup.layer.slots = pick(random, 1, 8);
    const std::uint64_t groups = 2 * ((8 + setup.layer.slots - 1) / setup.layer.slots);
    MuRmwDrive drive(setup);
    for (std::uint32_t cut = 0; cut < 4; ++cut) {
      for (std::uint32_t i = pick(random, 1, 20); i > 0; --i) {
        const std::uint64_t sector = random.below(16);
        const std::uint32_t count = pick(random, 1, static_cast<std::uint32_t>(16 - sector));
        drive.write(sector, count);
      }
      if (random.below(2) == 0) rest(drive);
      const std::vector<std::uint32_t> before = mapping(drive, groups, 10);
      const std::size_t reads = reads_at_boot(drive);
      REQUIRE(mapping(drive, groups, 10) == before);
      known += reads < 12;
      drive.check_content();
    }
  }
  CHECK(known > 50);  // boots that read little but the first pages
}

TEST_CASE("a recorded copy that is gone sends boot to the sub-tables of its group") {
  // Sector 0 is written again, and the first copy's block is erased and filled with another band; the second copy is lost. The sub-table
  // that was recorded last still names the first copy's page.
  MuRmwSetup setup = with_checkpoints(4);
  setup.bench.nand->blocks = 3;
  MuRmwDrive drive(setup);
  drive.write(0, 2);
  drive.write(1, 1);  // the newest sub-table names the page of sector 0
  drive.write(2, 1);
  rest(drive);
  const std::vector<std::uint64_t> programs = drive.flash(FlashOp::program);
  REQUIRE(programs == std::vector<std::uint64_t>{0, 1, 2, 3});
  NandArray& array = drive.bench().nand().array();
  REQUIRE(array.erase(NandBlock(0)) == Status::ok);
  const OobCodec codec(setup.layer.slots, setup.layer.slot_bytes);
  std::vector<std::byte> image(codec.bytes());
  codec.encode({LogicalSector(8), 99, OobHeader::Kind::data},
               std::vector<std::uint32_t>{0, OobCodec::no_page, OobCodec::no_page, OobCodec::no_page}, image);
  REQUIRE(array.program(NandPage(0), {}, image) == Status::ok);
  drive.cut_now();
  CHECK(drive.layer().map().peek_directory(0) == OobCodec::no_page);  // no sub-table is left whose pages are all there
  CHECK(drive.layer().map().peek_directory(2) == 0);
}

TEST_CASE("a lost page that a sub-table names counts after further boots too, so that its block is not reclaimed") {
  const MuRmwSetup setup = with_checkpoints(1);
  MuRmwDrive drive(setup);
  NandArray& array = drive.bench().nand().array();
  const std::vector<std::byte> garbage(64);
  REQUIRE(array.program(NandPage(0), {}, garbage) == Status::ok);
  const OobCodec codec(setup.layer.slots, setup.layer.slot_bytes);
  std::vector<std::byte> image(codec.bytes());
  codec.encode({LogicalSector(1), 50, OobHeader::Kind::data}, std::vector<std::uint32_t>{0, 1, OobCodec::no_page, OobCodec::no_page},
               image);
  REQUIRE(array.program(NandPage(1), {}, image) == Status::ok);
  drive.cut_now();
  CHECK(drive.layer().map().valid_pages(0) == 2);
  drive.write(8);
  rest(drive);                                // a checkpoint
  CHECK(reads_at_boot(drive) == 10 + 1 + 1);  // the second page of block 0, as the first says nothing, and the one behind that of sector 8
  CHECK(drive.layer().map().valid_pages(0) == 2);
}

TEST_CASE("a page that was lost before a checkpoint named it is an error, not the older copy in flash or in the band") {
  for (const bool dump_tags : {true, false}) {
    MuRmwSetup setup = with_checkpoints(1'000'000);
    setup.layer.checkpoint.dump_tags = dump_tags;
    lose_page(*setup.bench.nand, 1);
    lose_page(*setup.bench.nand, 2);
    MuRmwDrive drive(setup);
    drive.write(0);
    drive.write(0);
    drive.write(8);
    drive.cut_now();
    const Status found = dump_tags ? Status::media_error : Status::ok;
    CHECK(drive.bench().read(0, 8) == found);
    CHECK(drive.bench().read(64, 8) == found);
    drive.bench().verify_all();
    CHECK((drive.bench().scoreboard().errors() == 0) == dump_tags);
    drive.write(0);
    drive.write(8);
  }
}

TEST_CASE("a page that boot has rejected does not come back as the newest of its group at the next boot") {
  const MuRmwSetup setup = with_checkpoints(1);
  MuRmwDrive drive(setup);
  drive.write(0);
  const OobCodec codec(setup.layer.slots, setup.layer.slot_bytes);
  std::vector<std::byte> image(codec.bytes());
  codec.encode({LogicalSector(1), 99, OobHeader::Kind::data}, std::vector<std::uint32_t>{0, 1, 5, OobCodec::no_page}, image);
  REQUIRE(drive.bench().nand().array().program(NandPage(1), {}, image) == Status::ok);
  drive.cut_now();
  CHECK(drive.layer().map().peek_directory(0) == 0);
  drive.write(8);
  rest(drive);  // a checkpoint
  CHECK(reads_at_boot(drive) == 10 + 1);
  CHECK(drive.layer().map().peek_directory(0) == 0);
  CHECK(drive.layer().map().valid_pages(0) == 1);
  drive.check_content();
}

TEST_CASE("more changes than one write of the log takes are written one write after the other, and a boot knows them all") {
  MuRmwSetup setup;
  setup.layer.band_sectors = 4096;
  setup.layer.slots = 4;
  setup.layer.checkpoint = {Bytes(400 * 4096), 1500};
  setup.bench.media.tracks = 400;
  setup.bench.media.sectors_per_track = 64;
  setup.bench.nand->blocks = 128;
  setup.bench.nand->pages_per_block = 64;
  MuRmwDrive drive(setup);
  std::vector<double> written;
  for (int checkpoint = 0; checkpoint < 3; ++checkpoint) {
    const double before = drive.metric("checkpoint.sectors");
    for (std::uint64_t sector = 0; sector < 1500; sector += 4) drive.write(sector, 4);
    rest(drive);
    written.push_back(drive.metric("checkpoint.sectors") - before);
  }
  CHECK(written.front() > 2 * static_cast<double>(TableLog::most_together));
  CHECK((written[1] == written[0] && written[2] == written[0]));  // none holds changes of another
  drive.cut_now();
  drive.check_content();
}
