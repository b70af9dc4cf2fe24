#pragma once
// What a write destroys: tracks of the same surface and region that lie under the head, over the angles
// that were written. Apart from timing: it knows formats and angles only.
#include <cstdint>

#include "base/address.hpp"
#include "media/track_geometry.hpp"

namespace tessera {

/// How many radii a write damages on either side of its track, clipped to the region.
struct DamageReach {
  std::uint32_t below = 0;  ///< towards smaller radii numbers
  std::uint32_t above = 0;
  [[nodiscard]] bool none() const { return (below | above) == 0; }
  constexpr bool operator==(const DamageReach&) const = default;
};

/// Sectors [first, first + count) of a track; wraps at the track's end.
struct SectorArc {
  std::uint32_t first = 0;
  std::uint32_t count = 0;
  constexpr bool operator==(const SectorArc&) const = default;
};

/// Reach of a write at `radius`, which lies in `group`. Guard tracks are victims like any other. A write to a guard track
/// itself damages nothing where the guard belongs to one band, and W-1 tracks on both sides where two bands
/// that face each other share it: which way the head then overlaps is not defined, so the worst is taken.
[[nodiscard]] DamageReach damage_reach(const TrackGeometry& geometry, const TrackGroup& group, std::uint32_t radius);

/// Sectors of `victim` that share any angle with `count` sectors of `writer` from `first` on; count >= 1. None (0) where it has its spares.
[[nodiscard]] SectorArc overlapped_arc(const TrackGeometry& geometry, const TrackShape& writer, std::uint32_t first, std::uint32_t count,
                                       const TrackShape& victim);

}  // namespace tessera
