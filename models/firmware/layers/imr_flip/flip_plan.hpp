#pragma once
// Which tracks to flip (Hajkazemi et al., algorithm 1): hot bottoms with the colder of the tops beside them.
#include <span>
#include <vector>

#include "firmware/layers/imr_flip/flip_map.hpp"
#include "firmware/logs/heat_log.hpp"

namespace tessera::flip {

/// A bottom's new state; `home` undoes its flip.
struct FlipMove {
  PhysicalTrack bottom;
  PhysicalTrack top;
  Flip flip = Flip::home;
};

struct FlipLimits {
  std::uint32_t threshold = 50;  ///< a flip needs more writes than this between the two tracks
  std::uint32_t most = 50;       ///< flips of one interval
};

/// Hottest tracks first. A track takes part in one flip at most: a flip with another partner needs the old one undone before.
[[nodiscard]] std::vector<FlipMove> plan_flips(const HeatLog& heat, const FlipMap& map, const InterlacedTracks& tracks,
                                               const FlipLimits& limits);

}  // namespace tessera::flip
