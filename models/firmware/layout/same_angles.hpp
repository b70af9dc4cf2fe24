#pragma once
// Angular isolation: on tracks without skew a write destroys only what lies at its own angles on the tracks that overlap.
#include <algorithm>
#include <cstdint>

#include "firmware/locks/range_locks.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera {

/// The sectors of `track` that cover the angles of `run`, rounded outwards where the two tracks hold different numbers; they wrap where
/// the run does. `spares`: DriveGeometry::track_spares. Of angles where `track` has its spares its last sector counts.
[[nodiscard]] inline PhysicalRun covering(const PhysicalRun& run, const PhysicalTrack& track, const MediaPort& media,
                                          std::uint32_t spares) {
  const std::uint64_t sectors = media.sectors_on(track);
  if (sectors == 0) return {track, 0, 0};
  const std::uint32_t own = media.sectors_on(run.track);
  const std::uint64_t from = std::uint64_t{own} + spares;
  const std::uint64_t to = sectors + spares;
  const std::uint64_t first = std::min(run.first * to / from, sectors - 1);
  const std::uint64_t reached = (end_place(run, own, spares) * to + from - 1) / from;
  const std::uint64_t end = reached > to ? reached - spares : std::clamp(reached, first + 1, sectors);
  return {track, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(std::min(end - first, sectors))};
}

}  // namespace tessera
