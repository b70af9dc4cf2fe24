#include "firmware/layers/imr_cache/imr_cache_swap_plan.hpp"

#include <algorithm>

namespace tessera::cache {

namespace {

/// Cached tracks, the coldest of the interval first.
std::vector<std::uint64_t> coldest_first(const HeatLog& heat, const CacheMap& map) {
  std::vector<std::uint64_t> cached;
  for (Slot slot = 0; slot < map.slots(); ++slot)
    if (const std::optional<std::uint64_t> track = map.track_in(slot)) cached.push_back(*track);
  std::ranges::stable_sort(cached, {}, [&heat](std::uint64_t track) { return heat.writes_of(track); });
  return cached;
}

}  // namespace

std::vector<Swap> plan_swaps(const HeatLog& heat, const CacheMap& map, const InterlacedTracks& tracks, SwapRule rule) {
  const std::vector<std::uint64_t> victims = coldest_first(heat, map);
  std::size_t next_victim = 0;
  std::size_t free = map.slots() - victims.size();
  std::size_t bottoms = 0;
  std::vector<Swap> swaps;
  for (const TrackHeat& hot : heat.hottest()) {
    if (!tracks.is_bottom(tracks.track(hot.track))) continue;
    if (rule.always && bottoms++ == map.slots()) break;
    if (map.slot_of(hot.track) != CacheMap::none) continue;
    if (free != 0) {
      --free;
      swaps.push_back({hot.track, std::nullopt});
      continue;
    }
    if (next_victim == victims.size()) break;
    const std::uint32_t cold = heat.writes_of(victims[next_victim]);
    if (!rule.always && hot.writes <= cold + rule.hysteresis) break;
    swaps.push_back({hot.track, victims[next_victim++]});
  }
  return swaps;
}

}  // namespace tessera::cache
