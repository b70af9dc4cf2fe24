// Random histories of reads, writes, flushes and trims, several at a time, with power cuts, on drives of all shapes: what was
// acknowledged is what is read (the bench's scoreboard is the plain map).
#include <map>

#include "zone_drive.hpp"

#include "support/random_histories.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

template <class Setup>
void randomise(Setup& setup, RandomStream& random) {
  ZoneConfig& zones = setup.zones();
  zones.zone = sectors(pick(random, 1, 24));
  zones.zones = pick(random, 1, 7);
  zones.spare_zones = pick(random, 1, 2);
  zones.head_width = pick(random, 2, 4);
  zones.buffer = sectors(pick(random, 2, 40));
  zones.merge_buffer = sectors(pick(random, 0, 24));
  zones.log_radii = pick(random, 4, 8);
  zones.hole_maps = pick(random, 0, 7);
  zones.map.kind = static_cast<MapKind>(random.below(3));
  zones.map.cache = sectors(pick(random, 1, 2));
  setup.bench.media.sectors_per_track = pick(random, 3, 9);
  setup.bench.media.tracks = 300;
  setup.bench.media.surfaces = pick(random, 1, 2);
  setup.bench.seed = random();
  const std::uint64_t capacity = zones.zones * zones.zone.value() / sector_bytes;
  const std::uint64_t filling = random.below(3);
  setup.prefilled = filling == 0 ? 0 : filling == 1 ? capacity : random.below(capacity + 1);
}

SkylightSetup random_skylight(RandomStream& random) {
  SkylightSetup setup;
  randomise(setup, random);
  setup.layer.hash = static_cast<ZoneHash>(random.below(2));
  setup.layer.buffer_zone = sectors(1 + random.below(setup.zones().buffer.value() / sector_bytes));
  return setup;
}

FluidSetup random_fluid(RandomStream& random) {
  FluidSetup setup;
  randomise(setup, random);
  setup.layer.log_holes = static_cast<fluid::LogHoles>(random.below(2));
  setup.layer.update = static_cast<fluid::Update>(random.below(2));
  setup.layer.loop = random.below(2) == 0;
  setup.layer.hot_rule = static_cast<fluid::HotRule>(random.below(2));
  if (random.below(2) == 0) setup.layer.evict_segment = sectors(pick(random, 1, 40));
  setup.layer.hot_frac = static_cast<double>(random.below(11)) / 10;
  setup.layer.hot_decay = 1 + random.below(200);
  return setup;
}

AmphisbaenaSetup random_amphisbaena(RandomStream& random) {
  AmphisbaenaSetup setup;
  randomise(setup, random);
  amphisbaena::AmphisbaenaConfig& layer = setup.layer;
  const std::uint64_t zone = setup.zones().zone.value() / sector_bytes;
  const std::uint64_t chunk = 1 + random.below(std::min<std::uint64_t>(zone, 8));
  layer.chunk = sectors(chunk);
  setup.zones().buffer = sectors(chunk * (2 + random.below(12)) + random.below(chunk));
  layer.filter_share = static_cast<double>(random.below(11)) / 10;
  layer.hfb_share = static_cast<double>(1 + random.below(5)) / 10;
  layer.hfb_share_max = 0.5 + static_cast<double>(random.below(5)) / 10;
  layer.window = pick(random, 1, 40);
  layer.sampling = 1 + random.below(40);
  layer.history = pick(random, 0, 3);
  layer.victim = static_cast<amphisbaena::VictimRule>(random.below(4));
  layer.chunk_rounding = static_cast<amphisbaena::ChunkRounding>(random.below(3));
  layer.demotion = static_cast<amphisbaena::Demotion>(random.below(2));
  layer.abort_scope = static_cast<amphisbaena::AbortScope>(random.below(3));
  layer.filter_hit = static_cast<amphisbaena::FilterHit>(random.below(2));
  layer.give_back = static_cast<amphisbaena::GiveBack>(random.below(4));
  return setup;
}

}  // namespace

TEST_CASE("random requests to skylight-disk, up to six at a time, return what was written") {
  for (std::uint64_t run = 0; run < 800; ++run) {
    RandomStream random(run, "skylight-disk histories");
    INFO("run " << run);
    SkylightDrive drive(random_skylight(random));
    random_history(drive, random);
  }
}

TEST_CASE("random requests to fluid and fluid-loop, up to six at a time, return what was written") {
  for (std::uint64_t run = 0; run < 1200; ++run) {
    RandomStream random(run, "fluid histories");
    INFO("run " << run);
    FluidDrive drive(random_fluid(random));
    random_history(drive, random);
  }
}

TEST_CASE("power cuts at random instants of skylight-disk lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 800; ++run) {
    RandomStream random(run, "skylight-disk cuts");
    INFO("run " << run);
    SkylightDrive drive(random_skylight(random));
    random_cuts(drive, random);
  }
}

TEST_CASE("power cuts at random instants of fluid and fluid-loop lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 1200; ++run) {
    RandomStream random(run, "fluid cuts");
    INFO("run " << run);
    FluidDrive drive(random_fluid(random));
    random_cuts(drive, random);
  }
}

TEST_CASE("random requests to amphisbaena, up to six at a time, return what was written") {
  std::map<std::string, double> happened;
  for (std::uint64_t run = 0; run < 1200; ++run) {
    RandomStream random(run, "amphisbaena histories");
    INFO("run " << run);
    AmphisbaenaSetup setup = random_amphisbaena(random);
    if (run % 8 == 0) {
      setup.zones().paper = true;
      setup.zones().merge_buffer = sectors(0);
    }
    AmphisbaenaDrive drive(setup);
    random_history(drive, random);
    for (const char* const name : {"rmw.count", "rmw_free.count", "cleaning.aborted", "hfb.evicted", "hfb.chunks_taken",
                                   "hfb.chunks_returned", "ghost.hits", "shadow.hits", "role.promotions", "role.demotions"})
      happened[name] += drive.metric(name);
  }
  for (const auto& [name, count] : happened) {
    INFO(name);
    CHECK(count > 25);
  }
}

TEST_CASE("power cuts at random instants of amphisbaena lose nothing that was acknowledged") {
  for (std::uint64_t run = 0; run < 1200; ++run) {
    RandomStream random(run, "amphisbaena cuts");
    INFO("run " << run);
    AmphisbaenaDrive drive(random_amphisbaena(random));
    random_cuts(drive, random);
  }
}

namespace {

/// Zones of more sectors than a map page has entries, and at most two map pages in DRAM.
template <class Setup>
Setup with_many_map_pages(Setup setup, RandomStream& random) {
  ZoneConfig& zones = setup.zones();
  zones.zone = sectors(pick(random, 600, 1500));
  zones.zones = pick(random, 3, 5);
  zones.merge_buffer = sectors(0);
  zones.map.kind = MapKind::paged;
  zones.map.cache = sectors(pick(random, 1, 2));
  setup.bench.media.sectors_per_track = 256;
  setup.prefilled = random.below(2) * zones.zones * zones.zone.value() / sector_bytes;
  return setup;
}

/// Random requests, then power cuts, as above; gives how many map pages were read from disk.
template <class Drive, class Setup>
double page_the_map(const Setup& setup, RandomStream& random) {
  Drive drive(setup);
  random_history(drive, random);
  const double read = drive.metric("map.page_reads");
  random_cuts(drive, random);
  return read;
}

}  // namespace

TEST_CASE("with most of the sector map on disk, the layers with a conventional buffer return what was written") {
  double skylight = 0, fluid = 0, amphisbaena = 0;
  for (std::uint64_t run = 0; run < 40; ++run) {
    RandomStream random(run, "paged zone histories");
    INFO("run " << run);
    skylight += page_the_map<SkylightDrive>(with_many_map_pages(random_skylight(random), random), random);
    fluid += page_the_map<FluidDrive>(with_many_map_pages(random_fluid(random), random), random);
    amphisbaena += page_the_map<AmphisbaenaDrive>(with_many_map_pages(random_amphisbaena(random), random), random);
  }
  CHECK(skylight > 400);
  CHECK(fluid > 400);
  CHECK(amphisbaena > 400);
}
