// Which band is cleaned where the arms make a difference.
#include "firmware/layers/media_cache/media_cache_layer.hpp"

#include <algorithm>

namespace tessera::media_cache {

namespace {
// Ours: so few that the log's tail, which the oldest extent holds, goes on at every fourth cleaning at least.
constexpr std::uint32_t candidates = 64;  // extents, from the oldest on
constexpr std::uint32_t most_passed = 3;
}  // namespace

/// The band of what lies longest in the log; or, where another arm than its own serves the host less, the first of the next ones on that
/// arm.
Band MediaCache::choose_victim() {
  if (map_.logged() == 0) return bands_.band_of(map_.some_hole().first);
  const Band oldest = bands_.band_of(map_.oldest().first);
  const auto idle = ports_.cleaning == nullptr ? std::nullopt : ports_.cleaning->idle();
  const auto arm_of = [this](LogicalSector sector) { return ports_.cleaning->of(bands_.place({sector, 1}).track); };
  if (!idle || arm_of(oldest.first) == *idle || passed_over_ == most_passed) {
    passed_over_ = 0;
    return oldest;
  }
  const auto found = found_.take();
  found->clear();
  map_.find_oldest(candidates, *found);
  const auto there = std::ranges::find_if(*found, [&](const Extent& extent) { return arm_of(extent.first) == *idle; });
  passed_over_ = there == found->end() ? 0 : passed_over_ + 1;
  return there == found->end() ? oldest : bands_.band_of(there->first);
}

}  // namespace tessera::media_cache
