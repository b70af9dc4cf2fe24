#pragma once
// Which pseudo-tracks to swap (Hajkazemi et al., algorithm 3): in each zone the hottest ones on bottoms with the coldest on tops.
#include <vector>

#include "firmware/layers/imr_dtm/permutation.hpp"
#include "firmware/logs/heat_log.hpp"

namespace tessera::dtm {

struct SwapLimits {
  std::uint32_t threshold = 50;  ///< a swap needs more writes than this between the two
  std::uint32_t most = 50;       ///< swaps of one interval, all zones together
};

/// The hottest of the drive first. The counts are of pseudo-tracks of the drive; numbers from tracks.count() on are left out.
[[nodiscard]] std::vector<Permutation::Swap> plan_swaps(const HeatLog& heat, const Permutation& map, const PseudoTracks& tracks,
                                                        const SwapLimits& limits, CpuPort& cpu);

}  // namespace tessera::dtm
