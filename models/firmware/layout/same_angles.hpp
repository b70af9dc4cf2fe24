#pragma once
// Angular isolation: on tracks without skew a write destroys only what lies at its own angles on the tracks that overlap.
#include <algorithm>
#include <cstdint>

#include "firmware/ports/media_port.hpp"

namespace tessera {

/// The sectors of `track` that cover the angles of `run`, rounded outwards where the two tracks hold different numbers; they wrap where
/// the run does.
[[nodiscard]] inline PhysicalRun covering(const PhysicalRun& run, const PhysicalTrack& track, const MediaPort& media) {
  const std::uint64_t from = media.sectors_on(run.track);
  const std::uint64_t to = media.sectors_on(track);
  const std::uint64_t first = run.first * to / from;
  const std::uint64_t end = ((std::uint64_t{run.first} + run.count) * to + from - 1) / from;
  return {track, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(std::min(end - first, to))};
}

}  // namespace tessera
