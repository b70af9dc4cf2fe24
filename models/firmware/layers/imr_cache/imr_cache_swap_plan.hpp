#pragma once
// Which tracks to cache (Hajkazemi et al., algorithm 2): the hottest bottoms, in free slots first, then instead of the coldest cached
// tracks.
#include <optional>
#include <vector>

#include "firmware/interlaced/interlaced_tracks.hpp"
#include "firmware/layers/imr_cache/cache_map.hpp"
#include "firmware/logs/heat_log.hpp"

namespace tessera::cache {

struct Swap {
  std::uint64_t hot = 0;                ///< to be promoted
  std::optional<std::uint64_t> victim;  ///< to be evicted before
};

struct SwapRule {
  std::uint32_t hysteresis = 50;  ///< a swap needs more writes than this between the two tracks
  bool always = false;            ///< as printed in the paper: whatever is among the hottest, as many as there are slots, is swapped in
};

[[nodiscard]] std::vector<Swap> plan_swaps(const HeatLog& heat, const CacheMap& map, const InterlacedTracks& tracks, SwapRule rule);

}  // namespace tessera::cache
