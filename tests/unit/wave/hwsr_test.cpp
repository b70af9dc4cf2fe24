// HWSR: what a rewrite reads and writes, where reads come from, what FLUSH, FUA and TRIM do.
#include "hwsr_drive.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("a rewrite reads what lies behind the first dirty block and writes from there in shingle order") {
  HwsrSetup setup;
  setup.prefilled = 192;
  HwsrDrive drive(setup);
  drive.write(drive.at(5, 1), 2);
  drive.write(drive.at(5, 3), 1);  // half a block: its other half is read
  drive.bench().steps.clear();
  drive.flush();
  std::vector<std::pair<MediaOp, std::uint32_t>> steps;
  for (const auto& step : drive.bench().steps) steps.emplace_back(step.op, step.run.track.radius);
  // Segment 5 is in region 1, which is shingled outwards: block b lies on radius 9 - b.
  CHECK(steps == std::vector<std::pair<MediaOp, std::uint32_t>>{
                     {MediaOp::read, 6}, {MediaOp::read, 7}, {MediaOp::write, 8}, {MediaOp::write, 7}, {MediaOp::write, 6}});
  CHECK(drive.metric("segment.blocks_read") == 2);
  CHECK(drive.metric("segment.blocks_written") == 3);
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("victim.buffer_blocks_mean") == 2);
  CHECK(drive.metric("victim.sectors_mean") == 3);
  drive.check_content();
}

TEST_CASE("a rewrite of a segment that is dirty to its end reads nothing") {
  HwsrSetup setup;
  setup.prefilled = 192;
  HwsrDrive drive(setup);
  drive.write(drive.at(2, 2), 4);
  drive.flush();
  CHECK(drive.metric("segment.blocks_read") == 0);
  CHECK(drive.metric("rmw_free.count") == 1);
  CHECK(drive.metric("rmw.count") == 0);
}

TEST_CASE("blocks that hold no data are not read") {
  HwsrDrive drive(HwsrSetup{});
  drive.write(drive.at(2, 0), 2);
  drive.flush();
  CHECK(drive.metric("segment.blocks_read") == 0);
  drive.write(drive.at(2, 2), 2);
  drive.flush();
  CHECK(drive.metric("segment.blocks_read") == 0);
  drive.write(drive.at(2, 0), 2);
  drive.flush();
  CHECK(drive.metric("segment.blocks_read") == 1);
  drive.trim(drive.at(2, 2), 2);
  drive.write(drive.at(2, 1), 2);
  drive.flush();
  CHECK(drive.metric("segment.blocks_read") == 1);
  drive.check_content();
}

TEST_CASE("four sequential blocks rewrite eight in a band, two where segments are three blocks long") {
  // Figure 4 with kappa = 2: a band of three tracks holds four blocks a track. Traditional order puts the four blocks on the first
  // track; the eight on the two tracks behind are rewritten. In segments they are blocks 0 to 2 of one and block 0 of the next.
  HwsrSetup setup;
  setup.layer.region_tracks = 3;
  setup.prefilled = 144;
  HwsrDrive drive(setup);
  drive.write(drive.at(0, 0), 4 * 2);
  drive.flush();
  CHECK(drive.metric("segment.blocks_written") - 4 == 2);
  CHECK(drive.metric("segment.blocks_read") == 2);
}

TEST_CASE("a single random block rewrites 10.5 blocks and reads 9.5") {
  HwsrSetup setup;
  setup.layer.region_tracks = 20;
  setup.layer.overlap = 8;
  setup.bench.media.tracks = 48;
  setup.prefilled = 320;
  setup.layer.caches.rewrite_journal = Bytes(20 * 8 * sector_bytes * 4);
  setup.bench.nand->blocks = 400;
  HwsrDrive drive(setup);
  for (std::uint32_t index = 0; index < 20; ++index) {
    drive.write(drive.at(index % 8, index), 2);
    drive.flush();
  }
  CHECK(drive.metric("segment.blocks_written") / 20 == Approx(10.5));
  CHECK(drive.metric("segment.blocks_read") / 20 == Approx(9.5));
  drive.check_content();
}

TEST_CASE("a full buffer evicts by its rule, and an idle one empties itself") {
  HwsrSetup setup;
  setup.layer.caches.replacement = Replacement::block_lru;
  HwsrDrive drive(setup);
  for (std::uint64_t segment = 0; segment < 4; ++segment) drive.write(drive.at(segment, 0));
  CHECK(drive.metric("cleaning.count") == 0);
  drive.write(drive.at(0, 0));
  CHECK(drive.metric("hit.write.buffer") == 1);
  drive.write(drive.at(4, 0));
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.layer().buffer().find(drive.layer().address().block(1, 0)) == MemBuffer::none);
  drive.bench().run_for(setup.layer.caches.idle_after + Picoseconds(1'000'000'000'000));
  CHECK(drive.metric("cleaning.count") == 5);
  CHECK(drive.layer().buffer().used() == 0);
  drive.check_content();
}

TEST_CASE("evictions in the background keep blocks free before a write needs one") {
  HwsrSetup setup;
  setup.layer.caches.replacement = Replacement::block_lru;
  setup.layer.caches.keep_free = GENERATE(0U, 25U, 50U);
  const std::uint32_t most = setup.layer.caches.most_blocks_kept();
  HwsrDrive drive(setup);
  for (std::uint64_t segment = 0; segment < 4; ++segment) drive.write(drive.at(segment, 0));
  drive.bench().run_for(setup.layer.caches.idle_after / 2);
  CHECK(drive.layer().buffer().used() == most);
  CHECK(drive.metric("cleaning.count") == 4 - most);
  CHECK(drive.layer().buffer().find(drive.layer().address().block(3, 0)) != MemBuffer::none);
  drive.bench().steps.clear();
  drive.write(drive.at(4, 0));
  CHECK((drive.steps(MediaOp::write) == 0) == (most < 4));
  drive.check_content();
}

TEST_CASE("a read that misses brings its whole block into flash, and a write makes that copy void") {
  HwsrSetup setup;
  HwsrDrive drive(setup);
  drive.write(drive.at(1, 0), 4);
  drive.flush();
  drive.read(drive.at(1, 0));
  drive.bench().run_for(Picoseconds(1'000'000'000'000));
  CHECK(drive.metric("flash_cache.fills") == 1);
  drive.read(drive.at(1, 0), 2);
  CHECK(drive.metric("hit.read.flash") == 2);
  CHECK(drive.metric("hit.read.media") == 1);
  drive.write(drive.at(1, 0) + 1);
  drive.read(drive.at(1, 0), 2);  // half from the buffer, half from the disk
  CHECK(drive.metric("hit.read.flash") == 2);
  CHECK(drive.metric("hit.read.media") == 3);
  drive.flush();
  drive.check_content();
}

TEST_CASE("a read of four blocks of the disk visits four tracks, one of a sector one") {
  HwsrSetup setup;
  setup.prefilled = 144;
  HwsrDrive drive(setup);
  drive.read(drive.at(0, 0), 4 * 2);
  CHECK(drive.metric("segment.read_turns_mean") == 4);
  drive.read(drive.at(2, 0), 1);
  CHECK(drive.metric("segment.read_turns_mean") == 2.5);
}

TEST_CASE("a read of several segments visits each track once, whatever the caches have of it") {
  HwsrSetup setup;
  setup.prefilled = 192;
  setup.layer.read_order = GENERATE(ReadOrder::segment, ReadOrder::track);
  setup.cache_blocks(GENERATE(0U, 6U));
  const bool by_track = setup.layer.read_order == ReadOrder::track;
  HwsrDrive drive(setup);
  drive.bench().steps.clear();
  drive.read(drive.at(1, 0), 3 * 8);
  std::vector<std::uint32_t> radii;
  for (const auto& step : drive.bench().steps)
    if (radii.empty() || radii.back() != step.run.track.radius) radii.push_back(step.run.track.radius);
  CHECK(radii.size() == (by_track ? 4 : 12));
  CHECK(drive.metric("segment.read_turns_mean") == 4);

  drive.write(drive.at(9, 2) + 1, 3);  // half of block 2 and all of block 3
  drive.bench().steps.clear();
  drive.read(drive.at(8, 1) + 1, 13);  // from the middle of a block to the middle of one
  CHECK(drive.steps(MediaOp::read) == 6);
  CHECK(drive.metric("hit.read.buffer") == 2);
  CHECK(drive.metric("hit.read.media") == 24 + 11);
  drive.flush();
  drive.check_content();
}

TEST_CASE("segments of two regions are read one region after the other") {
  HwsrSetup setup;
  setup.prefilled = 192;
  setup.cache_blocks(0);
  HwsrDrive drive(setup);
  drive.bench().steps.clear();
  drive.read(drive.at(2, 0), 4 * 8);  // two segments each of regions 0 and 1
  std::vector<std::uint32_t> radii;
  for (const auto& step : drive.bench().steps) radii.push_back(step.run.track.radius);
  CHECK(radii == std::vector<std::uint32_t>{0, 0, 1, 1, 2, 2, 3, 3, 9, 9, 8, 8, 7, 7, 6, 6});
  CHECK(drive.metric("segment.read_turns_mean") == 8);
}

TEST_CASE("a sector of several segments that cannot be read costs the host no other, nor one that the write buffer has newer") {
  HwsrDrive drive{HwsrSetup()};
  drive.write(drive.at(5, 0), 8);
  drive.flush();
  drive.write(drive.at(4, 0), 8);
  drive.bench().steps.clear();
  drive.flush();
  const auto written = std::ranges::find(drive.bench().steps, MediaOp::write, &FirmwareBench::StepRecord::op);
  REQUIRE(written != drive.bench().steps.end());
  drive.bench().media().add_unreadable({written->run.track, written->run.first});
  CHECK(drive.bench().read(drive.at(4, 0) * 8, 16 * 8) == Status::media_error);
  CHECK(drive.bench().read((drive.at(4, 0) + 1) * 8, 15 * 8) == Status::ok);  // the bad one is read beside it, for the cache
  drive.write(drive.at(4, 0));
  CHECK(drive.bench().read(drive.at(4, 0) * 8, 16 * 8) == Status::ok);
  drive.check_content();
}

TEST_CASE("the read cache keeps the blocks that were read last") {
  HwsrSetup setup;
  setup.bench.nand->pages_per_block = 2;  // a unit is one block
  setup.prefilled = 192;
  HwsrDrive drive(setup);
  const auto touch = [&](std::uint64_t segment) {
    drive.read(drive.at(segment, 0));
    drive.bench().run_for(Picoseconds(100'000'000'000));
  };
  for (std::uint64_t segment = 0; segment < 6; ++segment) touch(segment);
  CHECK(drive.metric("flash_cache.evictions") == 0);
  touch(0);
  CHECK(drive.metric("hit.read.flash") == 1);
  touch(6);  // block of segment 1 leaves
  CHECK(drive.metric("flash_cache.evictions") == 1);
  touch(0);
  CHECK(drive.metric("hit.read.flash") == 2);
  touch(1);
  CHECK(drive.metric("hit.read.flash") == 2);
}

TEST_CASE("FUA is on the disk when it is acknowledged") {
  HwsrDrive drive(HwsrSetup{});
  drive.write(drive.at(3, 1), 2, true);
  CHECK(drive.steps(MediaOp::write) == 3);
  CHECK(drive.layer().buffer().used() == 0);
}

TEST_CASE("memory of nodes and tables is what is reported") {
  HwsrDrive drive(HwsrSetup{});
  for (std::uint64_t segment = 0; segment < 3; ++segment) drive.write(drive.at(segment, 0));
  CHECK(drive.metric("meta.ram_bytes") == 3 * (8 * 4 + 24));
  // Tables are reserved in lines of the data cache; nothing else of this drive is metadata.
  const double reserved = drive.bench().metric("metadata.bytes");
  CHECK(drive.metric("meta.ram_bytes_actual") <= reserved);
  CHECK(drive.metric("meta.ram_bytes_actual") > reserved * 0.98);
}

TEST_CASE("a drive that cannot carry the layer is refused in a sentence") {
  BufferConfig config;
  CHECK(config.problem(4096, 20).empty());
  CHECK(config.flash_problem({16384, 32, 512, 4096}, 4096, 20).empty());
  CHECK(config.flash_problem({640, 32, 512, 4096}, 4096, 20) ==
        "journals and read cache take 1654 flash blocks and the drive has 640: make flash, journal or rewrite_journal smaller");
  CHECK(config.flash_problem({16384, 32, 32, 4096}, 4096, 20) == "the out-of-band area of a page has 32 B and a journal record takes 64 B");
  config.rewrite_journal = Bytes(1 << 20);
  CHECK(config.flash_problem({16384, 32, 512, 4096}, 4096, 20) ==
        "a rewrite_journal of 8 flash blocks does not hold the images of two segments of 160 sectors each beside the rows in use");
  config.block = Bytes(65 * 512);
  CHECK(config.problem(512, 20) == "a block of 33280 B is not 1 to 64 sectors of 512 B: choose a multiple of the sector up to 32768 B");
  config.block = Bytes(32768);
  CHECK(config.problem(4096, 65) == "a segment of 65 blocks is larger than the 64 that a segment node has room for");
  config.rewrite_guard = RewriteGuard::dump;
  config.durability = BufferDurability::journal;
  CHECK(config.problem(4096, 20) ==
        "rewrite_guard = \"dump\" needs a drive that dumps its buffer: durability = \"plp\", or rewrite_guard = \"flash\"");
  config.durability = BufferDurability::plp;
  config.memory = Bytes(40000);
  CHECK(config.problem(4096, 20) == "a write buffer of 40000 B (memory) does not hold two blocks of 32768 B");
}

TEST_CASE("a sector that the disk has lost is read from the write buffer, together with those beside it that only the disk has") {
  HwsrDrive drive{HwsrSetup()};
  drive.write(drive.at(4, 0), 8);
  drive.bench().steps.clear();
  drive.flush();
  const auto written = std::ranges::find(drive.bench().steps, MediaOp::write, &FirmwareBench::StepRecord::op);
  REQUIRE(written != drive.bench().steps.end());
  drive.bench().media().add_unreadable({written->run.track, written->run.first});
  CHECK(drive.bench().read(drive.at(4, 0) * 8, 16) == Status::media_error);
  drive.write(drive.at(4, 0));
  CHECK(drive.bench().read(drive.at(4, 0) * 8, 16) == Status::ok);
  CHECK(drive.bench().read((drive.at(4, 0) + 1) * 8, 8) == Status::ok);
  drive.check_content();
}

TEST_CASE("hwsr: the mapping memory that it reports as taken is what its tables take of the DRAM") {
  HwsrSetup setup;
  setup.layer.caches.replacement = GENERATE(Replacement::block_lru, Replacement::segment_lru, Replacement::least_write_amplification);
  HwsrDrive drive(setup);
  CHECK(drive.metric("meta.ram_bytes_actual") == drive.bench().metric("metadata.bytes"));
}

TEST_CASE("blocks of the read cache that were read make room as others do") {
  HwsrSetup setup;
  setup.prefilled = 192;
  HwsrDrive drive(setup);
  const auto read_twice = [&](std::uint64_t segment, std::uint32_t index) {
    for (int time = 0; time < 2; ++time) {
      drive.read(drive.at(segment, index));
      drive.bench().run_for(Picoseconds(100'000'000'000));
    }
  };
  constexpr std::uint32_t blocks = 60;  // ten times what the cache holds
  for (std::uint32_t i = 0; i < blocks; ++i) read_twice(i % 24, i / 24);
  CHECK(drive.metric("flash_cache.fills") == blocks);
  CHECK(drive.metric("hit.read.flash") == blocks);
}

TEST_CASE("pages of the journal of writes are counted") {
  HwsrSetup setup;
  setup.layer.caches.durability = BufferDurability::journal;
  HwsrDrive drive(setup);
  drive.write(drive.at(1, 0), 2);
  drive.write(drive.at(2, 0));
  CHECK(drive.metric("write_journal.sectors") == 3);
  CHECK(drive.metric("rewrite_journal.sectors") == 0);
}

TEST_CASE("a block that is on its way into the read cache is not taken out of it by a write of another") {
  HwsrSetup setup;
  setup.prefilled = 192;
  HwsrDrive drive(setup);
  HostRequest& read = drive.bench().submit(HostOp::read, 0, 8);
  HostRequest& write = drive.bench().submit(HostOp::write, 128 * 8, 8);  // block 64: as many further on as a fill has marks
  REQUIRE(drive.bench().run_until_done(write) == Status::ok);
  REQUIRE(!FirmwareBench::done(read));
  REQUIRE(drive.bench().run_until_done(read) == Status::ok);
  drive.bench().run_for(Picoseconds(1'000'000'000'000));
  CHECK(drive.metric("flash_cache.fills") == 1);
}

TEST_CASE("the journal of writes takes what all of its rows but two hold, before anything has to leave the buffer for it") {
  HwsrSetup setup;
  setup.layer.caches.durability = BufferDurability::journal;
  setup.buffer_blocks(64);
  const std::uint32_t count = GENERATE(1U, 2U);  // sectors of a write, all in one block; the first write is of one
  HwsrDrive drive(setup);
  // Eight rows of two blocks of four pages.
  constexpr std::uint64_t pages = (8 - 2) * 2 * 4;
  drive.write(drive.at(0, 0));
  std::uint64_t journalled = 1;
  for (std::uint64_t block = 1; journalled + count <= pages; ++block, journalled += count) drive.write(2 * block, count);
  CHECK(drive.metric("cleaning.count") == 0);
  drive.write(drive.at(20, 0), 2);
  CHECK(drive.metric("cleaning.count") > 0);
  drive.check_content();
}

TEST_CASE("a write of more pages than the row has room for needs but one row more") {
  HwsrSetup setup;
  setup.block_sectors(8);
  setup.buffer_blocks(16);
  setup.layer.caches.durability = BufferDurability::journal;
  setup.bench.media.sectors_per_track = 32;
  setup.layer.caches.rewrite_journal = Bytes(2 * 4 * 32 * sector_bytes);
  setup.layer.caches.journal = Bytes(8 * 8 * sector_bytes);  // eight rows of eight pages
  setup.bench.nand->blocks = 200;
  HwsrDrive drive(setup);
  drive.write(0, GENERATE(1U, 8U));
  for (std::uint64_t block = 1; block <= 5; ++block) drive.write(8 * block, 8);  // 41 of 48 pages, or all
  CHECK(drive.metric("cleaning.count") == 0);
  drive.check_content();
}

TEST_CASE("blocks of the journals that are bad from the factory are counted, and the log goes round without them") {
  HwsrSetup setup;
  setup.layer.caches.durability = BufferDurability::journal;
  setup.bench.nand->bad_blocks = {{20}};  // the journal of rewrites has 16 blocks, that of writes the 16 behind it
  HwsrDrive drive(setup);
  CHECK(drive.metric("flash.retired_blocks") == 1);
  for (std::uint64_t i = 0; i < 200; ++i) drive.write(i * 7 % 192);
  CHECK(drive.metric("write_journal.sectors") == 200);
  drive.check_content();
}

TEST_CASE("blocks of the most sectors are cached on flash and read from there whole") {
  HwsrSetup setup;
  setup.bench.media.sectors_per_track = most_block_sectors;
  setup.bench.nand->pages_per_block = most_block_sectors;
  setup.block_sectors(most_block_sectors);
  setup.buffer_blocks(4);
  setup.cache_blocks(6);
  setup.layer.caches.rewrite_journal = setup.layer.caches.journal = Bytes(2 * 8 * most_block_sectors * sector_bytes);
  setup.prefilled = most_block_sectors;
  HwsrDrive drive(setup);
  for (int i = 0; i < 2; ++i) {
    drive.read(0, most_block_sectors);
    drive.bench().run_for(Picoseconds(ps_per_second));
  }
  CHECK(drive.metric("hit.read.flash") == most_block_sectors);
}

TEST_CASE("without a read cache in flash no memory is kept to fill it, and reads come from the disk") {
  HwsrSetup setup;
  setup.cache_blocks(0);
  setup.prefilled = 16;
  HwsrDrive drive(setup);
  for (int i = 0; i < 2; ++i) drive.read(0, 2);
  CHECK(drive.metric("hit.read.media") == 2 * 2);
  CHECK(drive.bench().controller().memory().reserved(MemoryCategory::read_cache) == Bytes(0));
}
