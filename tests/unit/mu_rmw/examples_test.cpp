// The worked examples of MU-RMW, exactly: figure 5, the tiny drive, and the flash times of a write and a read.
#include "mu_rmw_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;
using Pages = std::vector<std::uint64_t>;

TEST_CASE("the tiny drive places eight writes, erases and merges as worked out") {
  MuRmwSetup setup;
  setup.layer.crash_safe = GENERATE(false, true);
  MuRmwDrive drive(setup);
  drive.bench().steps.clear();
  Pages placed;
  Pages erased;
  for (const std::uint64_t sector : {0, 1, 8, 0, 1, 0, 9, 10}) {
    drive.bench().flash_commands.clear();
    drive.write(sector);
    for (const std::uint64_t page : drive.flash(FlashOp::program)) placed.push_back(page);
    const Pages blocks = drive.flash(FlashOp::erase);
    if (placed.size() == 6) CHECK(blocks == Pages{0});
    if (placed.size() == 8) CHECK(blocks == Pages{2, 0});
    if (placed.size() == 8) CHECK(drive.flash(FlashOp::read) == Pages{0, 5});  // the valid pages of band 0
    erased.insert(erased.end(), blocks.begin(), blocks.end());
  }
  CHECK(placed == Pages{0, 1, 2, 4, 5, 0, 3, 0});
  CHECK(erased.size() == 3);
  CHECK(drive.metric("mapping.subtable_reads") == 6);
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.metric("reclaim.obsolete_blocks") == 1);
  CHECK(drive.metric("cleaning.count") == 2);
  const std::uint64_t merged = drive.bench().sectors_in("bands", MediaOp::write);
  CHECK(merged == 8);
  CHECK(drive.bench().sectors_in("bands", MediaOp::read) == 8);
  CHECK(static_cast<double>(placed.size() + merged) / 8 == 2.0);  // write amplification without the merge log
  drive.check_content();
}

TEST_CASE("figure 5: the write of C and the read of B") {
  MuRmwSetup setup;
  setup.layer.band_sectors = 10240;
  setup.layer.slots = 64;
  setup.layer.bands = 3;
  setup.layer.free_list = FreeOrder::fifo;
  setup.bench.media.sectors_per_track = 512;
  setup.bench.media.tracks = 100;
  setup.bench.dram.capacity = Bytes(128 << 20);
  setup.bench.nand->blocks = 16;
  setup.bench.nand->pages_per_block = 32;
  MuRmwDrive drive(setup);
  drive.write(0, 320);         // blocks 0 to 9 belong to band 0
  drive.write(2 * 10240, 29);  // pages 320 to 348 of block 10 to band 2
  const std::uint64_t group = 2 * 160 + 64;
  CHECK(drive.layer().map().peek_directory(group) == OobCodec::no_page);
  drive.write(24'636);  // B
  CHECK(drive.layer().map().peek_directory(group) == 349);
  drive.bench().flash_commands.clear();
  drive.write(24'614);  // C: sub-table from 349, then data and sub-table to 350
  CHECK(drive.flash(FlashOp::read_oob) == Pages{349});
  CHECK(drive.flash(FlashOp::program) == Pages{350});
  CHECK(drive.layer().map().peek_directory(group) == 350);
  drive.write(24'600);
  CHECK(drive.layer().map().peek_directory(group) == 351);
  drive.bench().flash_commands.clear();
  drive.bench().steps.clear();
  drive.read(24'636);
  CHECK(drive.flash(FlashOp::read) == Pages{351, 349});
  CHECK(drive.bench().flash_commands.size() == 2);
  CHECK(drive.bench().steps.empty());
  drive.check_content();
}

TEST_CASE("a first write takes 1.3 ms, a further one of its group 1.5 ms, a read 0.4 ms or 0.2 ms") {
  MuRmwSetup setup;
  setup.bench.ideal_electronics();
  setup.bench.host.link_rate = BytesPerSecond(1'000'000'000'000'000'000);  // a sector in less than half a picosecond
  MuRmwDrive drive(setup);
  const auto time_of = [&](auto operation) {
    const Picoseconds begin = drive.bench().now();
    operation();
    return (drive.bench().now() - begin).value();
  };
  CHECK(time_of([&] { drive.write(0); }) == (1300_us).value());
  CHECK(time_of([&] { drive.write(1); }) == (1500_us).value());
  CHECK(time_of([&] { drive.read(0); }) == (400_us).value());
  CHECK(time_of([&] { drive.read(1); }) == (200_us).value());  // it lies beside the newest sub-table
}

TEST_CASE("sectors of one group share one read of the sub-table") {
  MuRmwSetup setup;
  setup.bench.nand->pages_per_block = 8;
  MuRmwDrive drive(setup);
  drive.write(0, 4);
  CHECK(drive.metric("mapping.subtable_reads") == 0);
  drive.write(0, 4);
  CHECK(drive.metric("mapping.subtable_reads") == 1);
  drive.write(6, 2);
  CHECK(drive.metric("mapping.subtable_reads") == 1);
  drive.write(2, 4);  // two groups, both cached
  CHECK(drive.metric("mapping.subtable_reads") == 3);
  drive.check_content();
}

TEST_CASE("a read joins cached sectors and sectors of the band, contiguous ones in one step") {
  MuRmwSetup setup;
  setup.bench.nand->pages_per_block = 8;
  MuRmwDrive drive(setup);
  drive.write(1);
  drive.write(4);
  drive.bench().steps.clear();
  drive.read(0, 8);  // 0 | 1 cached | 2 3 | 4 cached | 5 6 7, on tracks of four sectors
  std::vector<std::uint32_t> counts;
  for (const auto& step : drive.bench().steps) counts.push_back(step.run.count);
  CHECK(counts == std::vector<std::uint32_t>{1, 2, 3});
  CHECK(drive.metric("hit.read.media") == 6);
  CHECK(drive.metric("hit.read.flash") == 2);
}

TEST_CASE("a merge of a band of more tracks than one chain of the disk takes") {
  MuRmwSetup setup;
  setup.layer.band_sectors = 80;  // twenty tracks
  setup.bench.media.tracks = 200;
  MuRmwDrive drive(setup);
  for (const std::uint64_t sector : {0, 1, 80, 81, 2, 3, 82}) drive.write(sector);
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.bench().sectors_in("bands", MediaOp::write) == 80);
  drive.check_content();
}

TEST_CASE("a merge takes band / buffer rounds of read and write") {
  MuRmwSetup setup;
  setup.layer.merge_buffer = Bytes(GENERATE(8, 4, 3) * 4096);
  const std::uint64_t buffer = setup.layer.merge_buffer.value() / 4096;
  MuRmwDrive drive(setup);
  for (const std::uint64_t sector : {0, 1, 8, 9, 2, 3}) drive.write(sector);
  drive.bench().steps.clear();
  drive.write(10);  // no block is free or obsolete: band 0 is merged
  std::uint64_t turns = 0;
  MediaOp last = MediaOp::write;
  for (const auto& step : drive.bench().steps) {
    if (step.op != last) ++turns;
    last = step.op;
  }
  CHECK(turns == 2 * ((8 + buffer - 1) / buffer));
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.metric("victim.blocks_mean") == 2);
  CHECK(drive.metric("victim.pages_mean") == 4);
  drive.check_content();
}

TEST_CASE("with fewer active bands than blocks updates cost no merge, with more of them the longest list is merged again and again") {
  for (const std::uint64_t bands : {3U, 6U}) {
    MuRmwSetup setup;
    setup.layer.bands = 6;
    setup.bench.nand->blocks = 4;
    MuRmwDrive drive(setup);
    for (std::uint64_t i = 0; i < 60; ++i) drive.write(i % bands * 8);
    // Of three bands each has a block, which its own updates make obsolete. Of six, every third write at least finds none of its band.
    if (bands == 3) CHECK(drive.metric("rmw.count") == 0);
    if (bands == 6) CHECK(drive.metric("rmw.count") >= 20);
    drive.check_content();
  }
}

TEST_CASE("mu-rmw: the mapping memory that it reports as taken is what its tables take of the DRAM") {
  MuRmwSetup setup;
  setup.layer.bands = 3;
  if (GENERATE(false, true)) {
    setup.layer.checkpoint.region = Bytes(16 * 4096);
    setup.layer.checkpoint.every = 6;
  }
  MuRmwDrive drive(setup);
  CHECK(drive.metric("meta.ram_bytes_actual") == drive.bench().metric("metadata.bytes"));
}

TEST_CASE("a block that a merge freed holds nothing of what it held before") {
  MuRmwDrive drive(MuRmwSetup{});
  for (const std::uint64_t sector : {0, 1, 8, 9, 2, 3}) drive.write(sector);
  drive.write(10);  // band 0 is merged, and its two blocks are free
  REQUIRE(drive.metric("rmw.count") == 1);
  for (const std::uint64_t sector : {10, 10, 11}) drive.write(sector);  // the first of them is full of old versions
  drive.write(0);
  CHECK(drive.metric("reclaim.obsolete_blocks") == 1);
  CHECK(drive.metric("rmw.count") == 1);
  drive.check_content();
}

TEST_CASE("of each band it is told how much of it the flash holds") {
  MuRmwDrive drive(MuRmwSetup{});
  drive.write(1, 2);
  drive.write(9);
  CHECK(drive.layer().band_levels() == BandLevels{{8, 8, 2}, {8, 8, 1}});
}
