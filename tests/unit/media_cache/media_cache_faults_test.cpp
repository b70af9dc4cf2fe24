// Sectors that cannot be read in the log, the bands, the merge area and the checkpoints, with power cuts.
#include "media_cache_drive.hpp"
#include "support/unreadable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// A drive that cleans and writes its map down all the time.
MediaCacheSetup busy(media_cache::MergeTo merge_to) {
  MediaCacheSetup setup;
  setup.layer.merge_to = merge_to;
  setup.layer.merge_buffer = sectors(8);
  setup.layer.checkpoint_every = 4;
  setup.layer.packet_writes = 1;  // so that a checkpoint is one sector, and its copy the next: scattered faults leave one of them
  return setup;
}

}  // namespace

TEST_CASE("one sector of media-cache that cannot be read costs its data at most, wherever it lies") {
  const MediaCacheSetup setup = busy(GENERATE(media_cache::MergeTo::place, media_cache::MergeTo::spare, media_cache::MergeTo::either));
  one_unreadable_sector([&setup] { return std::make_unique<MediaCacheDrive>(setup); }, {.longest = 120, .cuts = 2, .requests = 20});
}

TEST_CASE("scattered sectors of media-cache that cannot be read cost their data at most") {
  const MediaCacheSetup setup = busy(GENERATE(media_cache::MergeTo::place, media_cache::MergeTo::spare, media_cache::MergeTo::either));
  for (std::uint64_t run = 0; run < 60; ++run) {
    INFO("run " << run);
    RandomStream random(run, "media-cache faults");
    MediaCacheDrive drive(setup);
    scatter_unreadable(drive, random, 12);
    history_with_losses(drive, random, {.longest = 120, .cuts = 4, .requests = 30});
  }
}
