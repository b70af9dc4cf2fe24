#include "firmware/layers/imr_dtm/imr_dtm_swap_plan.hpp"

#include <algorithm>
#include <map>

namespace tessera::dtm {

namespace {

struct Cold {
  std::uint32_t writes = 0;
  std::uint32_t pseudo = 0;
};

/// What lies on a zone's tops, the hottest first: the coldest are taken from the end.
std::vector<Cold> tops_of(const HeatLog& heat, const Permutation& map, const PseudoTracks& tracks, std::uint32_t zone) {
  const PseudoZone& of = tracks.zone(zone);
  std::vector<Cold> tops;
  for (std::uint32_t pseudo = 0; pseudo < of.count(); ++pseudo)
    if (!map.on_bottoms(zone, pseudo)) tops.push_back({heat.writes_of(of.base + pseudo), pseudo});
  std::ranges::sort(tops, [](const Cold& a, const Cold& b) { return a.writes != b.writes ? a.writes > b.writes : a.pseudo > b.pseudo; });
  return tops;
}

}  // namespace

std::vector<Permutation::Swap> plan_swaps(const HeatLog& heat, const Permutation& map, const PseudoTracks& tracks, const SwapLimits& limits,
                                          CpuPort& cpu) {
  std::vector<Permutation::Swap> swaps;
  std::map<std::uint32_t, std::vector<Cold>> tops;  // by zone
  for (const TrackHeat& hot : heat.hottest()) {
    if (swaps.size() == limits.most || hot.writes <= limits.threshold) break;
    if (hot.track >= tracks.count()) continue;
    const std::uint32_t zone = tracks.zone_of(hot.track);
    const auto pseudo = static_cast<std::uint32_t>(hot.track - tracks.zone(zone).base);
    if (!map.on_bottoms(zone, pseudo)) continue;
    auto found = tops.find(zone);
    if (found == tops.end()) {
      cpu.scan(tracks.zone(zone).count());
      found = tops.emplace(zone, tops_of(heat, map, tracks, zone)).first;
    }
    std::vector<Cold>& candidates = found->second;
    if (candidates.empty() || hot.writes <= candidates.back().writes + limits.threshold) continue;
    swaps.push_back({zone, pseudo, candidates.back().pseudo, 0});
    candidates.pop_back();
  }
  return swaps;
}

}  // namespace tessera::dtm
