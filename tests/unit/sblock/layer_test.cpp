// The store of S-blocks behind the write buffer and the read cache.
#include "sblock_drive.hpp"

#include "firmware/layers/layer_factories.hpp"
#include "support/cut_everywhere.hpp"
#include "support/flash_faults.hpp"
#include "support/unreadable_sectors.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

TEST_CASE("writes that the buffer holds do not reach the platter") {
  SblockDrive drive{SblockSetup{}};
  drive.bench().steps.clear();
  for (int i = 0; i < 5; ++i) drive.write(0, 2);
  drive.read(0, 2);
  CHECK(drive.bench().steps.empty());
  CHECK(drive.metric("hit.write.buffer") == 8);
  CHECK(drive.metric("hit.read.buffer") == 2);
}

TEST_CASE("dirty blocks of one S-block leave the full buffer together, with one write to the head") {
  SblockDrive drive{SblockSetup{}};
  drive.write(0, 4);  // both blocks of S-block 0
  drive.write(8);     // S-block 2
  drive.bench().steps.clear();
  drive.write(12);
  CHECK(drive.metric("sblock.written") == 1);
  CHECK(drive.metric("rmw_free.count") == 1);
  const auto steps = drive.bench().steps_in("bands");
  REQUIRE(steps.size() == 1);
  CHECK(steps[0].op == MediaOp::write);
  CHECK(drive.slot(0, 0) == 0);
  CHECK(drive.metric("cleaning.count") == 1);
  drive.check_content();
}

TEST_CASE("the sectors of an S-block that are not dirty come from its old copy") {
  SblockDrive drive{SblockSetup{}};
  drive.write(0, 4);
  REQUIRE(drive.bench().flush() == Status::ok);
  CHECK(drive.slot(0, 0) == 0);
  drive.write(1);
  drive.write(3);
  REQUIRE(drive.bench().flush() == Status::ok);
  CHECK(drive.slot(0, 0) == 1);
  CHECK(drive.metric("rmw.count") == 1);
  drive.check_content();
}

TEST_CASE("a read that misses is served by the read cache the next time") {
  SblockDrive drive{SblockSetup{}};
  drive.write(0, 4);
  REQUIRE(drive.bench().flush() == Status::ok);
  drive.read(0);
  drive.bench().run_until_idle(1_s);
  drive.bench().steps.clear();
  drive.read(0);
  CHECK(drive.bench().steps.empty());
  CHECK(drive.metric("hit.read.flash") == 1);
  drive.check_content();
}

TEST_CASE("a write with FUA is in its slot when it completes") {
  SblockDrive drive{SblockSetup{}};
  drive.write(5, 1, true);
  CHECK(drive.slot(0, 1) == 0);
}

TEST_CASE("a buffer with time to itself empties into the logs") {
  SblockDrive drive{SblockSetup{}};
  drive.write(0);
  drive.bench().run_for(20_s);
  CHECK(drive.slot(0, 0) == 0);
}

TEST_CASE("a trimmed S-block is nowhere") {
  SblockDrive drive{SblockSetup{}};
  drive.write(0, 4);
  REQUIRE(drive.bench().flush() == Status::ok);
  drive.trim(0, 4);
  CHECK(drive.slot(0, 0) == sblock::RegionLogs::none);
  drive.trim(4, 2);  // half of one that holds nothing
  drive.check_content();
}

TEST_CASE("metadata is quoted by S-block, by sector as the paper has it, and as it really is") {
  SblockDrive drive{SblockSetup{}};
  CHECK(drive.metric("meta.ram_bytes") == 4 * 8);
  CHECK(drive.metric("meta.ram_bytes_sector_level") == Approx(0.024 * 8 * 4 * 4096));
  CHECK(drive.metric("meta.ram_bytes_actual") > 4 * (16 + 2 * 2 + 6 * 2));
}

namespace {

SblockSetup random_layer(RandomStream& random) {
  SblockSetup setup;
  setup.layer.caches.block = Bytes(pick(random, 1, 4) * 4096);
  setup.layer.sblock_blocks = pick(random, 1, 5);
  setup.layer.caches.memory = setup.layer.caches.block * pick(random, 2, 12);
  setup.layer.caches.flash = random.below(4) == 0 ? Bytes(0) : setup.layer.caches.block * pick(random, 4, 20);
  setup.layer.caches.replacement = static_cast<Replacement>(random.below(3));
  setup.layer.caches.lwa_window = pick(random, 1, 100);
  setup.layer.caches.keep_free = pick(random, 0, 1) * pick(random, 1, 50);
  setup.layer.caches.idle_after = random.below(2) == 0 ? 1_ms : 5_s;
  setup.layer.caches.durability = static_cast<BufferDurability>(random.below(3));
  setup.layer.caches.crash_safe = random.below(4) != 0;
  setup.bench.nand->blocks = 120;
  if (setup.layer.caches.durability == BufferDurability::volatile_memory) setup.bench.promise = DurabilityPromise::flushed;
  setup.layer.caches.journal = Bytes(160 * 4096);
  randomise(setup, random);
  return setup;
}

}  // namespace

TEST_CASE("random requests to the layer, up to six at a time, return what was written") {
  std::uint64_t migrated = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    RandomStream random(run, "sblock layer histories");
    INFO("run " << run);
    SblockDrive drive(random_layer(random));
    random_history(drive, random, region_traffic);
    migrated += static_cast<std::uint64_t>(drive.metric("sblock.migrated"));
  }
  CHECK(migrated > 500);
}

TEST_CASE("power cuts at random instants of the layer keep the promise of each durability") {
  for (std::uint64_t run = 0; run < 200; ++run) {
    RandomStream random(run, "sblock layer cuts");
    INFO("run " << run);
    SblockDrive drive(random_layer(random));
    random_cuts(drive, random, region_traffic);
  }
}

TEST_CASE("a cut at any instant of a write that pushes blocks out of the buffer loses nothing") {
  SblockSetup setup;
  setup.layer.caches.durability = GENERATE(BufferDurability::plp, BufferDurability::journal);
  const auto begin = [](SblockDrive& drive) {
    for (const std::uint64_t sector : {0, 4, 1, 5, 0, 4, 9, 12}) drive.write(sector);
    drive.bench().submit(HostOp::write, 16, 8);
  };
  const auto go_on = [](SblockDrive& drive) {
    for (std::uint64_t next = 0; next < 12; ++next) drive.write(next * 7 % 32);
  };
  cut_everywhere<SblockDrive>(setup, begin, go_on);
}

TEST_CASE("the layer of the list runs on a drive as the descriptions make it") {
  BenchConfig config = small_drive();
  config.media.tracks = 400;
  config.media.sectors_per_track = 512;
  config.dram.capacity = Bytes(std::uint64_t{256} << 20);
  config.nand.emplace();
  config.nand->blocks = 2000;
  config.nand->pages_per_block = 32;
  TestDrive drive(make_sblock_factory(), {{"regions", 4}}, config);
  RandomStream random(1, "sblock from the list");
  for (int i = 0; i < 300; ++i) REQUIRE(drive->write(random.below(36'000) * 8, 8) == Status::ok);
  REQUIRE(drive->flush() == Status::ok);
  CHECK(drive.metric("sblock.written") > 50);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("sblock: blocks that fail and bits that read wrong, with power cuts, never give wrong data") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "sblock faults");
    INFO("run " << run);
    SblockSetup setup = random_layer(random);
    draw_faults(*setup.bench.nand, random, run, 6);
    SblockDrive drive(setup);
    cuts_with_faults(drive, random, {.longest = 200, .reads = 8, .cuts = 4});
  }
}

TEST_CASE("sblock: pages that no read retry saves never give wrong data") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "sblock lost pages");
    INFO("run " << run);
    SblockSetup setup = random_layer(random);
    draw_faults(*setup.bench.nand, random, run, 2);
    SblockDrive drive(setup);
    spoil_sectors(drive, random, pick(random, 0, most_spoilt));
    history_with_faults(drive, random, {.longest = 200, .reads = 8, .cuts = 4});
  }
}

namespace {

/// An S-block written twice, the second time last of all or not: the slot of its newer copy.
PhysicalRun newest_slot(SblockDrive& drive, bool followed) {
  drive.write_sblock(0);
  drive.flush();
  drive.bench().steps.clear();
  drive.write_sblock(0);
  drive.flush();
  const PhysicalRun slot = drive.bench().steps_in("bands").back().run;
  if (!followed) return slot;
  drive.write_sblock(1);
  drive.flush();
  return slot;
}

}  // namespace

TEST_CASE("sblock: a slot whose last sector cannot be read at boot costs that sector, and no older copy comes back") {
  for (const bool followed : {true, false})
    for (const bool crash_safe : {true, false}) {
      INFO((followed ? "followed by another" : "the last of its log") << (crash_safe ? "" : ", all headers read"));
      SblockSetup setup;
      setup.layer.caches.crash_safe = crash_safe;
      SblockDrive drive(setup);
      const PhysicalRun slot = newest_slot(drive, followed);
      drive.bench().media().add_unreadable({slot.track, slot.first + slot.count - 1});
      drive.cut_now();
      check_with_losses(drive);
      std::uint32_t failing = 0;
      for (std::uint64_t sector = 0; sector < drive.user_sectors(); ++sector) failing += ok(drive.bench().read(sector * 8, 8)) ? 0U : 1U;
      CHECK(failing == 1);
    }
}

TEST_CASE("sblock: a sector that was written again is read from the write buffer, though its old copy on the platter cannot be read") {
  SblockDrive drive{SblockSetup{}};
  drive.write(0, 4);
  drive.flush();
  drive.bench().steps.clear();
  drive.read(0);
  const PhysicalRun place = drive.bench().steps_in("bands").front().run;
  drive.bench().media().add_unreadable({place.track, place.first});
  CHECK(drive.bench().flush() == Status::ok);
  drive.cut_now();  // the read cache is empty then
  drive.write(0);
  drive.read(0, 2);  // the block's other sector is on the platter
  drive.check_content();
}

TEST_CASE("sblock: scattered unreadable sectors, with power cuts, never give wrong data") {
  for (std::uint64_t run = 0; run < 400; ++run) {
    RandomStream random(run, "sblock unreadable sectors");
    INFO("run " << run);
    SblockSetup setup = random_layer(random);
    SblockDrive drive(setup);
    for (int round = 0; round < 3; ++round) {
      scatter_unreadable(drive, random, 1);
      cuts_with_faults(drive, random, {.longest = 200, .reads = 8, .cuts = 2});
    }
  }
}

TEST_CASE("sblock: where pages are paired, lower pages alone keep what was acknowledged, and all pages lose it") {
  std::uint64_t lost_unsafe = 0;
  for (std::uint64_t run = 0; run < 100; ++run) {
    RandomStream random(run, "sblock paired pages");
    INFO("run " << run);
    SblockSetup setup = random_layer(random);
    setup.bench.nand->pages_per_block = pick(random, 4, 9);
    setup.bench.nand->blocks *= 2;
    setup.layer.caches.durability = BufferDurability::journal;
    setup.layer.caches.journal = Bytes(std::uint64_t{100} * setup.bench.nand->pages_per_block * 4096);
    setup.bench.promise = DurabilityPromise::acknowledged;
    setup.bench.nand->blocks = 2000;
    RandomStream again = random;
    REQUIRE(lost_with_paired_pages<SblockDrive>(setup, random, {.longest = 200}) == 0);
    setup.layer.caches.paired_pages = PairedPages::unsafe;
    lost_unsafe += lost_with_paired_pages<SblockDrive>(setup, again, {.longest = 200});
  }
  CHECK(lost_unsafe > 0);
}

TEST_CASE("sblock: the mapping memory that it reports as taken is what its tables take of the DRAM") {
  SblockDrive drive{SblockSetup{}};
  CHECK(drive.metric("meta.ram_bytes_actual") == drive.bench().metric("metadata.bytes"));
}
