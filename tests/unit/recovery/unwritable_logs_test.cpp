// Metadata on platters that cannot be written, of layers with bands.
#include "firmware/layers/layer_factories.hpp"
#include "unit/flash/flash_drive.hpp"
#include "unit/media_cache/media_cache_drive.hpp"
#include "unit/mu_rmw/mu_rmw_drive.hpp"
#include "unit/sblock/sblock_drive.hpp"
#include "unwritable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {
constexpr std::uint64_t runs = 2000;
}  // namespace

TEST_CASE("flash caches: a log of bands that cannot be written loses nothing") {
  CHECK(faulty_histories_of<SkylightDrive>(SkylightSetup(), "log", runs) > 100);
  CHECK(faulty_histories_of<PoreDrive>(PoreSetup(), "log", runs) > 100);
  CHECK(faulty_histories_of<MuRmwDrive>(MuRmwSetup(), "log", 4 * runs) > 100);
}

TEST_CASE("flash caches: checkpoints of tags that cannot be written lose nothing") {
  SkylightSetup skylight;
  skylight.cache().checkpoint = {sectors(16), 4};
  CHECK(faulty_histories_of<SkylightDrive>(skylight, "checkpoint", runs / 4) > 100);
  MuRmwSetup mu_rmw;
  mu_rmw.layer.checkpoint = {sectors(16), 4};
  CHECK(faulty_histories_of<MuRmwDrive>(mu_rmw, "checkpoint", runs / 4) > 100);
}

TEST_CASE("flash caches: a sector of a band that cannot be written is lost alone") {
  const auto without_spares = []<class Drive, class Setup>(std::in_place_type_t<Drive>, Setup setup) {
    setup.bench.media.spare_tracks = 0;
    return faulty_histories_of<Drive>(setup, "bands", runs / 4);
  };
  CHECK(without_spares(std::in_place_type<SkylightDrive>, SkylightSetup()) > 100);
  CHECK(without_spares(std::in_place_type<PoreDrive>, PoreSetup()) > 100);
  CHECK(without_spares(std::in_place_type<MuRmwDrive>, MuRmwSetup()) > 100);
}

TEST_CASE("media-cache: places, map and merge area that cannot be written lose nothing") {
  MediaCacheSetup setup;
  setup.layer.merge_to = media_cache::MergeTo::either;
  for (const char* const region : {"places", "map", "merge"}) CHECK(faulty_histories_of<MediaCacheDrive>(setup, region, runs) > 100);
}

TEST_CASE("sblock: a log of opened regions that cannot be written loses nothing") {
  CHECK(faulty_histories_of<SblockDrive>(SblockSetup(), "log", runs) > 100);
}
