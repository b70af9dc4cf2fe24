#pragma once
#include <string>

#include "firmware/layers/media_cache/media_cache_config.hpp"

namespace tessera::media_cache {

/// Conventional regions "cache", "merge" (of merges in place), "places" (of those to spare bands) and "map" side by side, and shingled
/// bands on all other tracks but the outermost `left_out` radii. Empty, with a sentence in `problem`, where they do not fit.
[[nodiscard]] FormatPlan plan_media_cache(const MediaCacheConfig& config, const DriveGeometry& geometry, std::string& problem,
                                          std::uint64_t left_out = 0);

}  // namespace tessera::media_cache
