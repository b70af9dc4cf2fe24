// Random histories of reads, writes, flushes and trims, several at a time, with power cuts, on drives of all shapes: what was
// acknowledged is what is read (the bench's scoreboard is the plain map).
#include <map>

#include "support/flash_faults.hpp"
#include "support/random_histories.hpp"
#include "tiers_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

TiersSetup random_setup(RandomStream& random) {
  TiersSetup setup;
  tiers::TiersConfig& layer = setup.layer;
  setup.bench.media.sectors_per_track = pick(random, 4, 12);
  setup.bench.media.tracks = pick(random, 200, 280);
  setup.bench.media.surfaces = pick(random, 1, 3);
  setup.bench.seed = random();
  layer.buffer = sectors(random.below(4) == 0 ? 0 : pick(random, 2, 60));
  layer.edges = static_cast<EdgeReads>(random.below(2));
  layer.destage_after = Picoseconds(random.below(300'000'000'000));
  layer.low_mark = pick(random, 0, 70);
  layer.high_mark = pick(random, layer.low_mark + 1, 100);
  layer.trickle_mark = pick(random, 0, 100);
  layer.destage_depth = pick(random, 1, 12);
  layer.destage_run = sectors(pick(random, 1, 16));
  layer.log = sectors(pick(random, 32, 200));
  layer.map_entries = pick(random, 64, 120);
  layer.packet_writes = pick(random, 1, 8);
  layer.checkpoint_every = pick(random, 1, 20);
  layer.band_tracks = pick(random, 1, 6);
  layer.head_width = pick(random, 2, 3);
  layer.merge_buffer = sectors(pick(random, 1, 80));
  layer.bands_a_cleaning = pick(random, 1, 3);
  layer.stay_mark = random.below(2) == 0 ? 0 : pick(random, 1, 75);
  layer.clean_mark = pick(random, 1, 100);
  layer.stream = sectors(pick(random, 0, 12));
  layer.idle_cleaning = static_cast<media_cache::IdleCleaning>(random.below(2));
  layer.idle_after = Picoseconds(random.below(60'000'000'000));
  layer.idle_mark = random.below(2) == 0 ? 0 : pick(random, 0, 100);
  if (random.below(4) != 0) {
    setup.use_flash(pick(random, 8, 24));
    setup.bench.nand->pages_per_block = 2 * pick(random, 1, 4);
    draw_subpages(*setup.bench.nand, setup.bench.seed);
    layer.flash_run = pick(random, 1, 16);
    layer.flash_backlog = pick(random, 1, 12);
    layer.flash_free = pick(random, 0, 60);
    layer.copy_forward = static_cast<tiers::CopyForward>(random.below(2));
    layer.evict_after = Picoseconds(random.below(20'000'000'000));
  }
  setup.prefilled = random.below(2) == 0 ? 0 : random.below(161);
  layer.merge_to = static_cast<media_cache::MergeTo>(random.below(3));
  return setup;
}

}  // namespace

TEST_CASE("random requests to tessera, up to six at a time, return what was written") {
  std::map<std::string, double> happened;
  for (std::uint64_t run = 0; run < 240; ++run) {
    RandomStream random(run, "tessera histories");
    INFO("run " << run);
    const TiersSetup setup = random_setup(random);
    TiersDrive drive(setup);
    random_history(drive, random);
    if (setup.layer.uses_flash())
      for (const char* const name : {"flash.written", "flash.past", "flash.voids", "flash.evicted", "flash.moved_on", "nand.page_copies"})
        happened[name] += drive.metric(name);
    for (const char* const name : {"packet.shared", "map.checkpoints", "stream.sectors", "rmw.count", "cleaning.idle"})
      happened[name] += drive.metric(name);
    if (setup.layer.stay_mark != 0) happened["packet.moves"] += drive.metric("packet.moves");
  }
  for (const auto& [name, count] : happened) {
    INFO(name);
    CHECK(count > 100);
  }
}

TEST_CASE("tessera: packets, streams and merges of one band do not wait for each other in a circle") {
  const media_cache::MergeTo merge_to = GENERATE(media_cache::MergeTo::place, media_cache::MergeTo::either);
  for (std::uint64_t run = 0; run < 100; ++run) {
    RandomStream random(run, "tessera few bands");
    INFO("run " << run);
    TiersSetup setup;
    setup.layer.merge_to = merge_to;
    setup.bench.media.tracks = merge_to == media_cache::MergeTo::place ? 40 : 50;  // two or three bands beside the log, and a spare one
    setup.layer.buffer = sectors(pick(random, 8, 32));
    setup.layer.destage_depth = 12;
    setup.layer.destage_run = sectors(pick(random, 1, 4));
    setup.layer.trickle_mark = pick(random, 0, 50);
    setup.layer.log = sectors(pick(random, 40, 96));
    setup.layer.stream = sectors(pick(random, 1, 4));
    setup.layer.bands_a_cleaning = 2;
    setup.layer.band_tracks = pick(random, 3, 6);
    TiersDrive drive(setup);
    random_history(drive, random, {.longest = 48, .rounds = 120});
  }
}

TEST_CASE("power cuts at random instants of tessera lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 200; ++run) {
    RandomStream random(run, "tessera cuts");
    INFO("run " << run);
    TiersDrive drive(random_setup(random));
    random_cuts(drive, random);
  }
}

TEST_CASE("tessera: with power cuts, flash pages that no read retry saves never give wrong data") {
  for (std::uint64_t run = 0; run < 200; ++run) {
    RandomStream random(run, "tessera lost pages");
    INFO("run " << run);
    TiersSetup setup = random_setup(random);
    setup.use_flash(40);
    draw_faults(*setup.bench.nand, random, run, 2);
    TiersDrive drive(setup);
    cuts_with_faults(drive, random, {.cuts = 4});
  }
}

TEST_CASE("pages and blocks of the flash tier that fail cost nothing") {
  for (std::uint64_t run = 0; run < 150; ++run) {
    RandomStream random(run, "tessera failing flash");
    INFO("run " << run);
    TiersSetup setup = random_setup(random);
    setup.use_flash(40);
    fail_at_random(*setup.bench.nand, 20'000);
    TiersDrive drive(setup);
    random_cuts(drive, random);
  }
}
