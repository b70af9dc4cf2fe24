#pragma once
// Where the cached tracks lie among the others.
#include <string>

#include "firmware/layers/imr_cache/imr_cache_layer.hpp"

namespace tessera::cache {

/// Data, reserved tracks and the cache, at the outer diameter or in groups spread over the data. Empty, with a sentence in `problem`,
/// where they do not fit.
[[nodiscard]] FormatPlan plan_with_cache(const ImrCacheConfig& config, const DriveGeometry& geometry, std::string& problem);

}  // namespace tessera::cache
