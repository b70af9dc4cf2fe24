// Random histories of tessera-imr, on hot places where bottoms and tops meet, with power cuts and faults, on drives of all shapes: what was
// acknowledged is what is read (the bench's scoreboard is the plain map).
#include <map>
#include <set>

#include "interlaced_tiers_drive.hpp"
#include "support/flash_faults.hpp"
#include "support/random_histories.hpp"
#include "support/unreadable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

InterlacedTiersSetup random_setup(RandomStream& random) {
  InterlacedTiersSetup setup;
  tiers::InterlacedTiersConfig& layer = setup.layer;
  setup.bench.media.surfaces = pick(random, 1, 2);
  setup.bench.media.tracks = pick(random, 60, 80);
  setup.bench.media.sectors_per_track = pick(random, 5, 12);
  setup.bench.controller.scheduling = random.below(2) == 0 ? SchedulingPolicy::first_come : SchedulingPolicy::shortest_positioning;
  setup.bench.seed = random();
  std::set<std::pair<std::uint32_t, std::uint32_t>> defects;
  for (std::uint32_t i = pick(random, 0, 12); i > 0; --i)
    defects.emplace(pick(random, 0, setup.bench.media.surfaces - 1), pick(random, 0, setup.bench.media.tracks - 1));
  for (const auto& [surface, radius] : defects) setup.bench.media.slipped_defects.push_back({double(surface), double(radius), 1.0});
  layer.buffer = sectors(random.below(5) == 0 ? 0 : pick(random, 2, 60));
  layer.edges = static_cast<EdgeReads>(random.below(2));
  layer.destage_after = Picoseconds(1'000'000 + random.below(300'000'000'000));
  layer.low_mark = pick(random, 0, 70);
  layer.high_mark = pick(random, layer.low_mark + 1, 100);
  layer.trickle_mark = pick(random, 0, 100);
  layer.destage_depth = pick(random, 1, 12);
  layer.destage_run = sectors(pick(random, 1, 16));
  layer.bottoms_first = random.below(4) != 0;
  layer.moves = static_cast<tiers::Moves>(random.below(4));
  layer.move_threshold = pick(random, 0, 3);
  layer.most_moves = pick(random, 1, 6);
  layer.moving.update_frequency = pick(random, 3, 40);
  layer.moving.log_records = pick(random, 1, 5);
  layer.moving.heat = static_cast<HeatOf>(random.below(2));
  InterlacedConfig& interlaced = layer.moving.interlaced;
  interlaced.top_ratio = random.below(2) == 0 ? 1.0 : 0.8;
  interlaced.layout_n = random.below(2) == 0 ? 1 : pick(random, 2, 9);
  interlaced.order = static_cast<InterlacedOrder>(random.below(2));
  interlaced.backup_slots = pick(random, 1, 4);
  interlaced.skip_unwritten = random.below(2) == 0;
  interlaced.ack_early = random.below(2) == 0;
  if (random.below(4) != 0) {
    setup.use_flash(pick(random, 8, 24), pick(random, 1, 16));
    setup.bench.nand->pages_per_block = 2 * pick(random, 1, 4);
    draw_subpages(*setup.bench.nand, setup.bench.seed);
    layer.flash_backlog = pick(random, 1, 12);
    layer.flash_free = pick(random, 0, 60);
    layer.copy_forward = static_cast<tiers::CopyForward>(random.below(2));
    layer.evict_after = Picoseconds(random.below(20'000'000'000));
  }
  setup.prefilled = random.below(3) == 0 ? 0 : random.below(81);
  return setup;
}

/// A request to one of a few places on neighbouring tracks, or to anywhere.
void submit_hot(InterlacedTiersDrive& drive, RandomStream& random) {
  const std::uint64_t user = drive.user_sectors() * blocks_per_sector;
  const bool hot = random.below(4) != 0;
  const std::uint64_t first = (hot ? random.below(40 * blocks_per_sector) : random.below(user)) % user;
  const std::uint64_t longest = std::min<std::uint64_t>(user - first, random.below(6) == 0 ? 120 : 24);
  submit_random_at(drive.bench(), random, first, pick(random, 1, longest), 4);
}

/// Rounds of up to six requests at a time, with pauses, and cuts where `cuts` says so.
void history(InterlacedTiersDrive& drive, RandomStream& random, bool cuts) {
  for (int round = 0; round < 60; ++round) {
    for (std::uint32_t depth = pick(random, 1, 6); depth > 0; --depth) submit_hot(drive, random);
    if (cuts && random.below(8) == 0) {
      drive.bench().cut_after_actions(random.below(400));
      if (random.below(3) == 0) drive.bench().cut_twice(random.below(200));
      REQUIRE(drive.bench().boot_status() == Status::ok);
      drive.check_content();
      continue;
    }
    if (random.below(3) == 0) drive.bench().run_for(Picoseconds(random.below(100'000'000'000)));
    drive.bench().run_until_all_done();
    if (random.below(4) == 0) drive.bench().run_for(Picoseconds(random.below(400'000'000'000)));
  }
  drive.check_content();
}

}  // namespace

TEST_CASE("random requests to tessera-imr, up to six at a time, return what was written") {
  std::map<std::string, double> happened;
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "tessera-imr histories");
    INFO("run " << run);
    const InterlacedTiersSetup setup = random_setup(random);
    InterlacedTiersDrive drive(setup);
    history(drive, random, false);
    for (const char* const name : {"rmw.spared", "rmw.count"}) happened[name] += drive.metric(name);
    if (setup.layer.uses_flash())
      for (const char* const name : {"flash.written", "flash.past", "flash.voids", "flash.evicted", "flash.moved_on", "nand.page_copies"})
        happened[name] += drive.metric(name);
    if (setup.layer.moves != tiers::Moves::off)
      happened["moves " + std::to_string(static_cast<int>(setup.layer.moves))] += drive.metric("cleaning.count");
  }
  CHECK(happened.size() == 11);
  for (const auto& [name, count] : happened) {
    INFO(name);
    CHECK(count > 100);
  }
}

TEST_CASE("power cuts at random instants of tessera-imr lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 300; ++run) {
    RandomStream random(run, "tessera-imr cuts");
    INFO("run " << run);
    InterlacedTiersDrive drive(random_setup(random));
    history(drive, random, true);
  }
}

TEST_CASE("tessera-imr: pages and blocks of the flash that fail cost nothing") {
  for (std::uint64_t run = 0; run < 150; ++run) {
    RandomStream random(run, "tessera-imr failing flash");
    INFO("run " << run);
    InterlacedTiersSetup setup = random_setup(random);
    setup.use_flash(40, 8);
    fail_at_random(*setup.bench.nand, 20'000);
    InterlacedTiersDrive drive(setup);
    history(drive, random, true);
  }
}

TEST_CASE("tessera-imr: with power cuts, flash pages that no read retry saves never give wrong data") {
  for (std::uint64_t run = 0; run < 150; ++run) {
    RandomStream random(run, "tessera-imr lost pages");
    INFO("run " << run);
    InterlacedTiersSetup setup = random_setup(random);
    setup.use_flash(40, 8);
    draw_faults(*setup.bench.nand, random, run, 2);
    InterlacedTiersDrive drive(setup);
    cuts_with_faults(drive, random, {.cuts = 4});
  }
}

TEST_CASE("one sector of tessera-imr that cannot be read costs its data at most, wherever it lies") {
  InterlacedTiersSetup setup;
  setup.use_flash(12, 2);
  setup.layer.evict_after = Picoseconds(0);
  setup.layer.moves = tiers::Moves::flip;
  setup.prefilled = 0;
  one_unreadable_sector([&setup] { return std::make_unique<InterlacedTiersDrive>(setup); }, {.longest = 120, .cuts = 2, .requests = 20});
}
