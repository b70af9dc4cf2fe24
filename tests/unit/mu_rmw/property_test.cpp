// Random histories of reads, writes and trims, several at a time, with power cuts, on drives of all shapes: what was
// acknowledged is what is read (the bench's scoreboard is the plain map).
#include "mu_rmw_drive.hpp"
#include "support/flash_faults.hpp"
#include "support/random_histories.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

MuRmwSetup random_setup(RandomStream& random) {
  MuRmwSetup setup;
  setup.layer.band_sectors = pick(random, 4, 20);
  setup.layer.slots = pick(random, 1, 9);
  setup.layer.slot_bytes = pick(random, 1, 2) * 2;
  setup.layer.bands = pick(random, 1, 5);
  setup.layer.spare_bands = pick(random, 1, 2);
  setup.layer.head_width = pick(random, 2, 4);
  setup.layer.free_list = static_cast<FreeOrder>(random.below(3));
  setup.layer.merge_buffer = Bytes(std::uint64_t{pick(random, 1, 24)} * 4096);
  setup.bench.media.sectors_per_track = pick(random, 3, 7);
  setup.bench.media.tracks = 200;
  setup.bench.media.surfaces = pick(random, 1, 2);
  setup.bench.nand->blocks = pick(random, 2, 12);
  setup.bench.nand->pages_per_block = pick(random, 1, 6);
  setup.bench.nand->dies = pick(random, 1, 3);
  if (random.below(2) == 0) {
    setup.layer.checkpoint.region = Bytes(20 * 4096);
    setup.layer.checkpoint.every = pick(random, 1, 30);
  }
  setup.bench.seed = random();
  draw_subpages(*setup.bench.nand, setup.bench.seed);
  setup.layer.victim = static_cast<mu_rmw::MergeVictim>(random.below(3));
  return setup;
}

}  // namespace

TEST_CASE("random reads, writes and trims, up to six at a time, return what was written") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "mu-rmw histories");
    INFO("run " << run);
    MuRmwDrive drive(random_setup(random));
    random_history(drive, random);
  }
}

TEST_CASE("power cuts at random instants lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "mu-rmw cuts");
    INFO("run " << run);
    MuRmwDrive drive(random_setup(random));
    random_cuts(drive, random, {.requests = 60});
  }
}

TEST_CASE("mu-rmw: blocks and sectors that fail and bits that read wrong, with power cuts, never give wrong data") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "mu-rmw faults");
    INFO("run " << run);
    MuRmwSetup setup = random_setup(random);
    setup.layer.checkpoint = {Bytes(64 * 4096), pick(random, 1, 30)};
    draw_faults(*setup.bench.nand, random, run, 6);
    MuRmwDrive drive(setup);
    spoil_sectors(drive, random, pick(random, 0, most_spoilt));
    cuts_with_faults(drive, random, {.cuts = 4, .requests = 60});
  }
}

TEST_CASE("mu-rmw: pages that no read retry saves never give wrong data") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "mu-rmw lost pages");
    INFO("run " << run);
    MuRmwSetup setup = random_setup(random);
    setup.layer.checkpoint = {Bytes(64 * 4096), pick(random, 1, 30)};
    draw_faults(*setup.bench.nand, random, run, 2);
    MuRmwDrive drive(setup);
    spoil_sectors(drive, random, pick(random, 0, most_spoilt));
    history_with_faults(drive, random, {.cuts = 4, .requests = 60});
  }
}

TEST_CASE("mu-rmw: with power cuts, pages that no read retry saves and no checkpoint names never give wrong data") {
  constexpr std::uint32_t never = 1'000'000;  // pages between two checkpoints
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "mu-rmw unnamed pages");
    INFO("run " << run);
    MuRmwSetup setup = random_setup(random);
    setup.layer.checkpoint = {Bytes(64 * 4096), random.below(2) == 0 ? pick(random, 1, 30) : never};
    draw_faults(*setup.bench.nand, random, run, 2);
    MuRmwDrive drive(setup);
    cuts_with_faults(drive, random, {.cuts = 4, .requests = 60});
  }
}

TEST_CASE("mu-rmw: where pages are paired, lower pages alone keep what was acknowledged, and all pages lose it") {
  std::uint64_t lost_unsafe = 0;
  for (std::uint64_t run = 0; run < 200; ++run) {
    RandomStream random(run, "mu-rmw paired pages");
    INFO("run " << run);
    MuRmwSetup setup = random_setup(random);
    setup.bench.nand->pages_per_block = pick(random, 2, 9);
    setup.bench.nand->blocks *= 2;
    RandomStream again = random;
    REQUIRE(lost_with_paired_pages<MuRmwDrive>(setup, random) == 0);
    setup.layer.paired_pages = PairedPages::unsafe;
    lost_unsafe += lost_with_paired_pages<MuRmwDrive>(setup, again);
  }
  CHECK(lost_unsafe > 0);
}
