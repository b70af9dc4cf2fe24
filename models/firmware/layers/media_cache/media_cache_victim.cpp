// What the media cache shows to a policy of cleaning, and its own policy: when the host is idle, and which band, where the arms make a
// difference.
#include "firmware/layers/media_cache/media_cache_layer.hpp"
#include "firmware/locks/idle_look.hpp"

#include <algorithm>

namespace tessera::media_cache {

namespace {
// Ours: so few that the log's tail, which the oldest extent holds, goes on at every fourth cleaning at least.
constexpr std::uint32_t candidates = 64;  // extents, from the oldest on
constexpr std::uint32_t most_passed = 3;
}  // namespace

/// Without a charge: as show_levels() has noted it.
CleaningLevels MediaCache::Cleaning::levels() const {
  return {.used = of_.log_used_,
          .room = of_.log_.sectors(),
          .entries = of_.map_.logged(),
          .most_entries = of_.map_limit_,
          .cached = of_.map_.sectors(),
          .units = of_.map_.cached_bands(),
          .waiting = static_cast<std::uint32_t>(of_.queue_.size()) + of_.leaders_};
}

void MediaCache::Cleaning::find(std::vector<CleaningUnit>& found) const {
  const std::uint64_t head = of_.log_.head();
  const std::size_t first = found.size();
  std::vector<std::size_t> places(of_.bands_.bands());
  for (std::uint64_t number = 0; number < places.size(); ++number) {
    if (!cleanable(number)) continue;
    const Band band = of_.bands_.band(number);
    places[number] = found.size();
    found.push_back({.number = number, .first = band.first, .sectors = band.sectors});
    CleaningUnit& unit = found.back();
    unit.held = static_cast<std::uint32_t>(of_.bands_.peek_used_end(band) - band.first);
    unit.newest = head;
  }
  if (found.size() == first) return;
  of_.map_.peek_each([&](const Extent& extent) {
    if (extent.hole) return;
    CleaningUnit& unit = found[places[of_.bands_.band_of(extent.first).number]];
    unit.cached += extent.count;
    ++unit.entries;
    unit.oldest = std::max(unit.oldest, head - extent.position);
    unit.newest = std::min(unit.newest, head - extent.position);
  });
}

/// As long as more is in use than the mark allows, and the host is idle.
Picoseconds MediaCache::Cleaning::when(const CleaningView& /*view*/) {
  const HostPort& host = of_.ports_.host;
  const Picoseconds now = of_.ports_.cpu.now();
  if (!of_.used_above(of_.config_.idle_mark)) return never;
  const bool idle =
      host.outstanding() == 0 && of_.queue_.empty() && of_.leaders_ == 0 && now >= host.last_activity() + of_.config_.idle_after;
  return idle ? now : next_idle_look(host.last_activity(), now, of_.config_.idle_after);
}

/// The band of what lies longest in the log; or, where another arm than its own serves the host less, the first of the next ones on that
/// arm.
std::uint64_t MediaCache::Cleaning::choose(const CleaningView& /*view*/) {
  if (of_.map_.logged() == 0) return of_.bands_.band_of(of_.map_.some_hole().first).number;
  const Band oldest = of_.bands_.band_of(of_.map_.oldest().first);
  const CleaningArms* const arms = of_.ports_.cleaning;
  const auto idle = arms == nullptr ? std::nullopt : arms->idle();
  const auto arm_of = [&](LogicalSector sector) { return arms->of(of_.bands_.place({sector, 1}).track); };
  if (!idle || arm_of(oldest.first) == *idle || passed_over_ == most_passed) {
    passed_over_ = 0;
    return oldest.number;
  }
  const auto found = of_.found_.take();
  found->clear();
  of_.map_.find_oldest(candidates, *found);
  const auto there = std::ranges::find_if(*found, [&](const Extent& extent) { return arm_of(extent.first) == *idle; });
  passed_over_ = there == found->end() ? 0 : passed_over_ + 1;
  return there == found->end() ? oldest.number : of_.bands_.band_of(there->first).number;
}

}  // namespace tessera::media_cache
