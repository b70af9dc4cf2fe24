// Random histories of reads, writes, flushes and trims, several at a time, with power cuts, on drives of all shapes: what was
// acknowledged is what is read (the bench's scoreboard is the plain map).
#include "flash_drive.hpp"
#include "support/flash_faults.hpp"
#include "support/random_histories.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

constexpr std::uint32_t never = 1'000'000;  // pages between two checkpoints

template <class Setup>
void randomise(Setup& setup, RandomStream& random) {
  FlashCacheConfig& cache = setup.cache();
  cache.band_sectors = pick(random, 3, 24);
  cache.bands = pick(random, 1, 6);
  cache.spare_bands = pick(random, 1, 2);
  cache.head_width = pick(random, 2, 4);
  cache.merge_buffer = sectors(pick(random, 0, 24));
  cache.free_list = static_cast<FreeOrder>(random.below(3));
  cache.parallel = pick(random, 1, 3);
  cache.map.kind = static_cast<MapKind>(random.below(3));
  cache.map.cache = sectors(pick(random, 1, 2));
  setup.bench.media.sectors_per_track = pick(random, 3, 9);
  setup.bench.media.tracks = 300;
  setup.bench.media.surfaces = pick(random, 1, 2);
  setup.bench.nand->blocks = pick(random, 3, 14);
  setup.bench.nand->pages_per_block = pick(random, 1, 6);
  setup.bench.nand->dies = pick(random, 1, 3);
  if (random.below(2) == 0) {
    cache.checkpoint.region = sectors(32);
    cache.checkpoint.every = pick(random, 1, 40);
  }
  setup.bench.seed = random();
  draw_subpages(*setup.bench.nand, setup.bench.seed);
}

SkylightSetup random_skylight(RandomStream& random) {
  SkylightSetup setup;
  randomise(setup, random);
  setup.layer.cache_zones = pick(random, 1, 3);
  setup.layer.cleaning = static_cast<FlashCleaning>(random.below(2));
  setup.layer.idle_after = Picoseconds(random.below(50) * 1'000'000'000);
  return setup;
}

PoreSetup random_pore(RandomStream& random) {
  PoreSetup setup;
  randomise(setup, random);
  setup.layer.mode = static_cast<pore::Mode>(random.below(2));
  setup.layer.open_frac = static_cast<double>(random.below(11)) / 10;
  setup.layer.reserve_blocks = pick(random, 1, 2);
  setup.layer.zone_sectors = pick(random, 1, 40);
  setup.layer.period = pick(random, 0, 20);
  setup.bench.nand->copyback = true;
  setup.bench.nand->planes = pick(random, 1, 2);
  setup.layer.copybacks = pick(random, 0, 3);
  return setup;
}

}  // namespace

TEST_CASE("random requests to skylight-flash, up to six at a time, return what was written") {
  for (std::uint64_t run = 0; run < 400; ++run) {
    RandomStream random(run, "skylight-flash histories");
    INFO("run " << run);
    SkylightSetup setup = random_skylight(random);
    setup.cache().crash_safe = random.below(4) != 0;
    if (setup.cache().in_place()) setup.cache().merge_buffer = Bytes(0);
    SkylightDrive drive(setup);
    random_history(drive, random);
  }
}

TEST_CASE("power cuts at random instants of skylight-flash lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 400; ++run) {
    RandomStream random(run, "skylight-flash cuts");
    INFO("run " << run);
    SkylightDrive drive(random_skylight(random));
    random_cuts(drive, random);
  }
}

TEST_CASE("random requests to pore, up to six at a time, return what was written") {
  for (std::uint64_t run = 0; run < 400; ++run) {
    RandomStream random(run, "pore histories");
    INFO("run " << run);
    PoreSetup setup = random_pore(random);
    setup.cache().crash_safe = random.below(4) != 0;
    if (setup.cache().in_place()) setup.cache().merge_buffer = Bytes(0);
    PoreDrive drive(setup);
    random_history(drive, random);
  }
}

TEST_CASE("power cuts at random instants of pore lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 400; ++run) {
    RandomStream random(run, "pore cuts");
    INFO("run " << run);
    PoreDrive drive(random_pore(random));
    random_cuts(drive, random);
  }
}

TEST_CASE("skylight-flash: blocks and sectors that fail and bits that read wrong, with power cuts, never give wrong data") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "skylight-flash faults");
    INFO("run " << run);
    SkylightSetup setup = random_skylight(random);
    setup.cache().checkpoint = {sectors(64), pick(random, 1, 40)};
    draw_faults(*setup.bench.nand, random, run, 6);
    SkylightDrive drive(setup);
    spoil_sectors(drive, random, pick(random, 0, most_spoilt));
    cuts_with_faults(drive, random, {.cuts = 4});
  }
}

TEST_CASE("skylight-flash: pages that no read retry saves never give wrong data") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "skylight-flash lost pages");
    INFO("run " << run);
    SkylightSetup setup = random_skylight(random);
    setup.cache().checkpoint = {sectors(64), pick(random, 1, 40)};
    draw_faults(*setup.bench.nand, random, run, 2);
    SkylightDrive drive(setup);
    spoil_sectors(drive, random, pick(random, 0, most_spoilt));
    history_with_faults(drive, random, {.cuts = 4});
  }
}

TEST_CASE("pore: blocks and sectors that fail and bits that read wrong, with power cuts, never give wrong data") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "pore faults");
    INFO("run " << run);
    PoreSetup setup = random_pore(random);
    setup.cache().checkpoint = {sectors(64), pick(random, 1, 40)};
    draw_faults(*setup.bench.nand, random, run, 6);
    if (setup.bench.nand->ecc_bits != 0) setup.layer.copybacks = 0;  // no read retry saves what they add: the next case
    PoreDrive drive(setup);
    spoil_sectors(drive, random, pick(random, 0, most_spoilt));
    cuts_with_faults(drive, random, {.cuts = 4});
  }
}

TEST_CASE("pore: pages that no read retry saves never give wrong data") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "pore lost pages");
    INFO("run " << run);
    PoreSetup setup = random_pore(random);
    setup.cache().checkpoint = {sectors(64), pick(random, 1, 40)};
    draw_faults(*setup.bench.nand, random, run, 2);
    PoreDrive drive(setup);
    spoil_sectors(drive, random, pick(random, 0, most_spoilt));
    history_with_faults(drive, random, {.cuts = 4});
  }
}

TEST_CASE("skylight-flash: with power cuts, pages that no read retry saves and no checkpoint names never give wrong data") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "skylight-flash unnamed pages");
    INFO("run " << run);
    SkylightSetup setup = random_skylight(random);
    setup.cache().checkpoint = {sectors(64), random.below(2) == 0 ? pick(random, 1, 40) : never};
    draw_faults(*setup.bench.nand, random, run, 2);
    SkylightDrive drive(setup);
    cuts_with_faults(drive, random, {.cuts = 4});
  }
}

TEST_CASE("skylight-flash: where pages are paired, lower pages alone keep what was acknowledged, and all pages lose it") {
  std::uint64_t lost_unsafe = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    RandomStream random(run, "skylight-flash paired pages");
    INFO("run " << run);
    SkylightSetup setup = random_skylight(random);
    setup.bench.nand->pages_per_block = pick(random, 2, 9);
    setup.bench.nand->blocks *= 2;
    RandomStream again = random;
    REQUIRE(lost_with_paired_pages<SkylightDrive>(setup, random) == 0);
    setup.cache().paired_pages = PairedPages::unsafe;
    lost_unsafe += lost_with_paired_pages<SkylightDrive>(setup, again);
  }
  CHECK(lost_unsafe > 0);
}

TEST_CASE("pore: with power cuts, pages that no read retry saves and no checkpoint names never give wrong data") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "pore unnamed pages");
    INFO("run " << run);
    PoreSetup setup = random_pore(random);
    setup.cache().checkpoint = {sectors(64), random.below(2) == 0 ? pick(random, 1, 40) : never};
    draw_faults(*setup.bench.nand, random, run, 2);
    PoreDrive drive(setup);
    cuts_with_faults(drive, random, {.cuts = 4});
  }
}

TEST_CASE("pore: where pages are paired, lower pages alone keep what was acknowledged, and all pages lose it") {
  std::uint64_t lost_unsafe = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    RandomStream random(run, "pore paired pages");
    INFO("run " << run);
    PoreSetup setup = random_pore(random);
    setup.bench.nand->pages_per_block = pick(random, 2, 9);
    setup.bench.nand->blocks *= 2;
    RandomStream again = random;
    REQUIRE(lost_with_paired_pages<PoreDrive>(setup, random) == 0);
    setup.cache().paired_pages = PairedPages::unsafe;
    lost_unsafe += lost_with_paired_pages<PoreDrive>(setup, again);
  }
  CHECK(lost_unsafe > 0);
}
