// Random histories of reads, writes, flushes and trims, several at a time, with power cuts, on drives of all shapes: what was
// acknowledged is what is read (the bench's scoreboard is the plain map).
#include "hwsr_drive.hpp"
#include "support/flash_faults.hpp"
#include "support/random_histories.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

HwsrSetup random_setup(RandomStream& random) {
  HwsrSetup setup;
  setup.block_sectors(pick(random, 1, 4));
  setup.buffer_blocks(pick(random, 2, 20));
  setup.cache_blocks(pick(random, 0, 3) == 0 ? 0 : pick(random, 4, 20));
  setup.layer.region_tracks = pick(random, 1, 9);
  setup.layer.overlap = pick(random, 1, 4);
  setup.layer.layout = static_cast<WaveVariant>(pick(random, 0, 3) == 0);
  setup.layer.caches.replacement = static_cast<Replacement>(pick(random, 0, 2));
  setup.layer.caches.lwa_window = pick(random, 1, 100);
  setup.layer.caches.keep_free = pick(random, 0, 1) * pick(random, 1, 50);
  setup.layer.read_order = static_cast<ReadOrder>(pick(random, 0, 1));
  setup.layer.caches.durability = static_cast<BufferDurability>(pick(random, 0, 2));
  if (setup.layer.caches.durability == BufferDurability::plp)
    setup.layer.caches.rewrite_guard = static_cast<RewriteGuard>(pick(random, 0, 1));
  setup.layer.caches.journal_stripe = pick(random, 1, 3);
  setup.layer.caches.fill_buffers = pick(random, 1, 3);
  const std::uint32_t image = setup.layer.region_tracks * static_cast<std::uint32_t>(setup.layer.caches.block.value());
  setup.layer.caches.rewrite_journal = Bytes(2 * image + 5 * 12 * sector_bytes + pick(random, 0, 40) * sector_bytes);
  setup.layer.caches.journal = Bytes((5 * 12 + 16 + pick(random, 0, 40)) * sector_bytes);
  setup.bench.nand->blocks = 500;
  setup.bench.nand->pages_per_block = pick(random, 1, 4);
  setup.bench.media.sectors_per_track = pick(random, 4, 11);
  setup.bench.media.tracks = pick(random, 20, 70);
  setup.bench.media.surfaces = pick(random, 1, 2);
  if (pick(random, 0, 3) == 0) {
    setup.bench.nand->program_failures_per_million = 1000;
    setup.bench.nand->erase_failures_per_million = 1000;
    setup.bench.nand->blocks = 3000;  // journals with rows to lose
    setup.layer.caches.rewrite_journal = Bytes(std::uint64_t{400} * setup.bench.nand->pages_per_block * sector_bytes);
    setup.layer.caches.journal = Bytes(std::uint64_t{400} * setup.bench.nand->pages_per_block * sector_bytes);
    setup.bench.nand->bad_blocks = {{1}, {static_cast<double>(pick(random, 20, 999))}};
  }
  setup.bench.seed = random();
  draw_subpages(*setup.bench.nand, setup.bench.seed);
  setup.layer.caches.rewrite_journal = setup.layer.caches.rewrite_journal * setup.bench.nand->subpages;
  setup.layer.caches.journal = setup.layer.caches.journal * setup.bench.nand->subpages;
  if (setup.layer.caches.durability == BufferDurability::volatile_memory) setup.bench.promise = DurabilityPromise::flushed;
  setup.prefilled = random.below(2) == 0 ? 0 : ~std::uint64_t{0};
  return setup;
}

// Many reads, for the read cache, and pauses in which an idle buffer empties itself.
constexpr RandomTraffic traffic{.longest = 200, .reads = 8, .longest_pause = 16_s};

}  // namespace

TEST_CASE("random requests to hwsr, up to six at a time, return what was written") {
  for (std::uint64_t run = 0; run < 500; ++run) {
    RandomStream random(run, "hwsr histories");
    INFO("run " << run);
    HwsrDrive drive(random_setup(random));
    random_history(drive, random, traffic);
  }
}

TEST_CASE("power cuts at random instants of hwsr lose nothing that was promised") {
  for (std::uint64_t run = 0; run < 500; ++run) {
    RandomStream random(run, "hwsr cuts");
    INFO("run " << run);
    HwsrDrive drive(random_setup(random));
    random_cuts(drive, random, traffic);
  }
}

TEST_CASE("hwsr: blocks and sectors that fail and bits that read wrong, with power cuts, never give wrong data") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "hwsr faults");
    INFO("run " << run);
    HwsrSetup setup = random_setup(random);
    draw_faults(*setup.bench.nand, random, run, 6);
    HwsrDrive drive(setup);
    spoil_sectors(drive, random, pick(random, 0, most_spoilt));
    cuts_with_faults(drive, random, {.longest = 200, .reads = 8, .cuts = 4});
  }
}

TEST_CASE("hwsr: pages that no read retry saves never give wrong data") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "hwsr lost pages");
    INFO("run " << run);
    HwsrSetup setup = random_setup(random);
    draw_faults(*setup.bench.nand, random, run, 2);
    HwsrDrive drive(setup);
    spoil_sectors(drive, random, pick(random, 0, most_spoilt));
    history_with_faults(drive, random, {.longest = 200, .reads = 8, .cuts = 4});
  }
}

TEST_CASE("hwsr: with power cuts, pages that no read retry saves never give wrong data") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "hwsr unnamed pages");
    INFO("run " << run);
    HwsrSetup setup = random_setup(random);
    draw_faults(*setup.bench.nand, random, run, 2);
    HwsrDrive drive(setup);
    cuts_with_faults(drive, random, {.longest = 200, .reads = 8, .cuts = 4});
  }
}

TEST_CASE("hwsr: a storm of programs that fail ends read-only, at boot too, and what was acknowledged can still be read") {
  std::uint32_t ended = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    RandomStream random(run, "hwsr failing programs");
    INFO("run " << run);
    HwsrSetup setup = random_setup(random);
    fail_at_random(*setup.bench.nand, 20'000 * pick(random, 1, 10));
    HwsrDrive drive(setup);
    cuts_with_faults(drive, random, {.longest = 200, .reads = 8, .cuts = 4});
    drive.bench().run_until_idle(3600_s);
    REQUIRE(drive.layer().idle());
    ended += drive.bench().write(0, 8) == Status::read_only;
  }
  CHECK(ended > 20);
}

TEST_CASE("hwsr: where pages are paired, lower pages alone keep what was acknowledged, and all pages lose it") {
  std::uint64_t lost_unsafe = 0;
  for (std::uint64_t run = 0; run < 100; ++run) {
    RandomStream random(run, "hwsr paired pages");
    INFO("run " << run);
    HwsrSetup setup = random_setup(random);
    setup.bench.nand->pages_per_block = pick(random, 4, 9);
    setup.bench.nand->blocks *= 2;
    setup.layer.caches.durability = BufferDurability::journal;
    setup.layer.caches.rewrite_guard = RewriteGuard::flash;
    setup.layer.caches.rewrite_journal = setup.layer.caches.journal =
        Bytes(std::uint64_t{100} * setup.bench.nand->pages_per_block * sector_bytes);
    setup.bench.promise = DurabilityPromise::acknowledged;
    setup.bench.nand->blocks = 2000;
    RandomStream again = random;
    REQUIRE(lost_with_paired_pages<HwsrDrive>(setup, random, {.longest = 200}) == 0);
    setup.layer.caches.paired_pages = PairedPages::unsafe;
    lost_unsafe += lost_with_paired_pages<HwsrDrive>(setup, again, {.longest = 200});
  }
  CHECK(lost_unsafe > 0);
}
