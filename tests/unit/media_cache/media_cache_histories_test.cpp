// Random histories of reads, writes, flushes and trims, several at a time, with power cuts, on drives of all shapes: what was
// acknowledged is what is read (the bench's scoreboard is the plain map).
#include <map>

#include "media_cache_drive.hpp"
#include "support/random_histories.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

MediaCacheSetup random_setup(RandomStream& random) {
  MediaCacheSetup setup;
  media_cache::MediaCacheConfig& layer = setup.layer;
  setup.bench.media.sectors_per_track = pick(random, 4, 12);
  setup.bench.media.tracks = pick(random, 200, 280);
  setup.bench.media.surfaces = pick(random, 1, 3);
  setup.bench.seed = random();
  layer.cache = sectors(pick(random, 32, 200));
  layer.cache_place = static_cast<ReservedPlace>(random.below(3));
  layer.map_entries = pick(random, 64, 120);
  layer.packet = sectors(pick(random, 1, 20));
  layer.packet_writes = pick(random, 1, 8);
  layer.least_packet = sectors(pick(random, 0, 6));
  layer.verify_packets = random.below(4) == 0;
  layer.checkpoint_every = pick(random, 1, 20);
  layer.checkpoint_piece = sectors(pick(random, 0, 3));
  layer.band_tracks = pick(random, 1, 6);
  layer.head_width = pick(random, 2, 3);
  layer.merge_buffer = sectors(pick(random, 1, 80));
  layer.bands_a_cleaning = pick(random, 1, 3);
  layer.stream = sectors(pick(random, 0, 12));
  layer.idle_cleaning = static_cast<media_cache::IdleCleaning>(random.below(2));
  layer.idle_after = Picoseconds(random.below(60'000'000'000));
  layer.idle_mark = random.below(2) == 0 ? 0 : pick(random, 0, 100);
  RandomStream steps(layer.map_entries, "media-cache steps");  // its own: the other draws stay as they are
  if (steps.below(2) == 0) layer.merge_step = Picoseconds(1 + steps.below(30'000'000'000));
  layer.collect_order = static_cast<media_cache::CollectOrder>(steps.below(2));
  layer.synced_share = sectors(pick(steps, 0, 4));
  const std::uint64_t capacity = 160;
  setup.prefilled = random.below(2) == 0 ? 0 : random.below(capacity + 1);
  return setup;
}

}  // namespace

TEST_CASE("random requests to media-cache, up to six at a time, return what was written") {
  const media_cache::MergeTo merge_to = GENERATE(media_cache::MergeTo::place, media_cache::MergeTo::spare, media_cache::MergeTo::either);
  std::map<std::string, double> happened;
  for (std::uint64_t run = 0; run < 600; ++run) {
    RandomStream random(run, "media-cache histories");
    INFO("run " << run);
    MediaCacheSetup setup = random_setup(random);
    setup.layer.merge_to = merge_to;
    MediaCacheDrive drive(setup);
    random_history(drive, random);
    for (const char* const name : {"packet.count", "map.checkpoints", "stream.sectors", "rmw.count", "cleaning.idle"})
      happened[name] += drive.metric(name);
  }
  for (const auto& [name, count] : happened) {
    INFO(name);
    CHECK(count > 500);
  }
}

/// Small writes into full bands keep cleanings at the buffer, while others go on behind each other: the later part of a band lies behind
/// the track that the earlier one destroys. Both find the buffer free at the instant at which a cleaning gives it back.
TEST_CASE("streams of one band reach it in the order in which they were taken, whatever a cleaning holds") {
  double streamed = 0;
  for (std::uint64_t run = 0; run < 60; ++run) {
    RandomStream random(run, "media-cache streams");
    INFO("run " << run);
    MediaCacheSetup setup;
    setup.bench.media.sectors_per_track = 4;
    setup.bench.media.tracks = 260;
    setup.layer.cache = sectors(40);
    setup.layer.map_entries = 64;
    setup.layer.band_tracks = pick(random, 2, 6);
    setup.layer.merge_buffer = sectors(pick(random, 8, 32));
    setup.layer.stream = sectors(pick(random, 1, 4));
    setup.layer.idle_cleaning = media_cache::IdleCleaning::off;
    setup.prefilled = 100;
    MediaCacheDrive drive(setup);
    std::uint64_t end = 100 * blocks_per_sector;
    while (end + 6 * 8 * blocks_per_sector < drive.user_sectors() * blocks_per_sector) {
      for (std::uint64_t depth = 1 + random.below(6); depth > 0; --depth) {
        const std::uint32_t count = pick(random, 1, 8) * blocks_per_sector;
        if (random.below(3) != 0) {
          drive.bench().submit(HostOp::write, end, count);
          end += count;
        } else {
          drive.bench().submit(HostOp::write, random.below(100 - 8) * blocks_per_sector, count);
        }
      }
      drive.bench().run_until_all_done();
    }
    drive.check_content();
    streamed += drive.metric("stream.sectors");
  }
  CHECK(streamed > 1000);
}

TEST_CASE("power cuts at random instants of media-cache lose nothing that was acknowledged") {
  const media_cache::MergeTo merge_to = GENERATE(media_cache::MergeTo::place, media_cache::MergeTo::spare, media_cache::MergeTo::either);
  for (std::uint64_t run = 0; run < 600; ++run) {
    RandomStream random(run, "media-cache cuts");
    INFO("run " << run);
    MediaCacheSetup setup = random_setup(random);
    setup.layer.merge_to = merge_to;
    MediaCacheDrive drive(setup);
    random_cuts(drive, random);
  }
}
