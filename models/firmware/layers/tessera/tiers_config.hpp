#pragma once
// The parameters of the layer `tessera`: each of its ideas can be switched off, so that its page can say what each is worth.
#include <cstdint>
#include <string>

#include "firmware/layers/media_cache/media_cache_config.hpp"
#include "firmware/layers/tessera/front_config.hpp"

namespace tessera::tiers {

/// All values are ours.
struct TiersConfig : FrontConfig {
  // Last tier: the log of packets in front of the bands
  Bytes log{0};
  std::uint32_t map_entries = 0;
  std::uint32_t packet_writes = 8;
  std::uint32_t checkpoint_every = 8192;
  std::uint32_t band_tracks = 20;
  std::uint32_t head_width = 3;  // as the flash caches have it (MU-RMW, section IV-A)
  Bytes merge_buffer{14'680'064};
  media_cache::MergeTo merge_to = media_cache::MergeTo::either;
  std::uint32_t merge_tracks = 1;
  std::uint32_t bands_a_cleaning = 1;  // the next one is asked anew whether it stays
  std::uint32_t stay_mark = 50;
  std::uint32_t clean_mark = 90;
  Bytes stream{std::uint64_t{2} << 20};
  media_cache::IdleCleaning idle_cleaning = media_cache::IdleCleaning::on;
  Picoseconds idle_after{5'000'000'000'000};
  std::uint32_t idle_mark = 75;  // a quarter of the log is free for a burst; below that, what is written again costs no merge

  void describe(ParameterVisitor& v);
  [[nodiscard]] media_cache::MediaCacheConfig bands(const DriveGeometry& geometry) const;
  /// Regions of the platters; empty, with a sentence in `problem`, where they do not fit.
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const;
};

}  // namespace tessera::tiers
