#pragma once
// A whole drive with the layer media-cache on a virtual clock, small enough to be cut at every instant.
#include <vector>

#include "firmware/layers/media_cache/media_cache_layer.hpp"
#include "firmware/layers/media_cache/media_cache_plan.hpp"
#include "support/layer_drive.hpp"
#include "support/placed_cleaning.hpp"

namespace tessera::test {

/// Configuration of layer and hardware. Defaults: bands of 3 tracks of 8 sectors, a log of 96 sectors, packets of at most 8, a merge buffer
/// of 16 sectors, so that bands take one or two phases.
struct MediaCacheSetup {
  media_cache::MediaCacheConfig layer;
  BenchConfig bench;
  std::uint64_t prefilled = 0;
  CleaningArm cleaning = CleaningArm::any;

  MediaCacheSetup() {
    layer.cache = sectors(96);
    layer.map_entries = 64;
    layer.packet = sectors(8);
    layer.checkpoint_every = 6;
    layer.band_tracks = 3;
    layer.merge_buffer = sectors(16);
    layer.stream = sectors(8);
    layer.idle_cleaning = media_cache::IdleCleaning::off;
    bench.media.tracks = 120;
    bench.media.sectors_per_track = 8;
    bench.dram.capacity = Bytes(64 << 20);
  }
};

class MediaCacheDrive : public LayerDrive<media_cache::MediaCache> {
 public:
  explicit MediaCacheDrive(const MediaCacheSetup& setup)
      : LayerDrive(
            setup.bench,
            [&](const auto& geometry, std::string& problem) { return media_cache::plan_media_cache(setup.layer, geometry, problem); },
            [config = setup.layer, placed = PlacedCleaning(setup.cleaning)](const Ports& ports, const auto& geometry,
                                                                            const auto& plan) mutable {
              return std::make_unique<media_cache::MediaCache>(placed(ports, geometry), config, geometry, plan);
            },
            setup.prefilled) {}

  /// Sector `offset` of a band.
  [[nodiscard]] std::uint64_t at(std::uint64_t band, std::uint64_t offset = 0) { return band * band_sectors() + offset; }
  [[nodiscard]] std::uint64_t band_sectors() { return layer().bands().band_of(LogicalSector(0)).sectors; }
};

/// A full drive whose cleanings take one band.
inline MediaCacheSetup one_band_cleanings() {
  MediaCacheSetup setup;
  setup.layer.cache = sectors(192);
  setup.bench.media.tracks = 200;
  setup.layer.bands_a_cleaning = 1;
  setup.layer.checkpoint_every = 1000;
  setup.layer.stream = Bytes(0);
  setup.prefilled = 480;
  return setup;
}

/// Fills the map of such a drive, with `written` entries so far, to its limit: 64 entries, of which two packets on their way may take 32.
/// The next write cleans.
inline void fill_map(MediaCacheDrive& drive, std::uint64_t written) {
  for (std::uint64_t i = written; i < 33; ++i) drive.write(drive.at(6 + i % 8, 2 * (i / 8)));
}

}  // namespace tessera::test
