#pragma once
// How good a zone is as the victim of a cleaning: equations (3) and (4) of section 5.3.
//
// The "fragmentation level" is a density, larger for less fragmented zones, so that the zone with the highest weight is taken; the paper
// does not say so. As printed, its span is one too short (a single block at the write pointer divides by zero, a dense run
// exceeds 1), native blocks that the victim overwrites are counted twice, and victims on both sides of the write pointer are
// not covered.
#include <cstdint>

#include "firmware/layers/amphisbaena/amphisbaena_config.hpp"

namespace tessera::amphisbaena {

/// What a zone has in the low-frequency buffer, and how it would lie in the zone.
struct VictimZone {
  std::uint32_t chunks = 0;
  std::uint32_t blocks = 0;   ///< of the victim
  std::uint32_t first = 0;    ///< its first offset in the zone
  std::uint32_t last = 0;     ///< its last
  std::uint32_t pointer = 0;  ///< wp: write pointer of the zone
  std::uint32_t native = 0;   ///< valid sectors below it
  std::uint32_t overlap = 0;  ///< of them, those that the victim overwrites
};

/// A fraction; a zero below the line is what the printed equation comes to, and counts as infinitely large.
struct Ratio {
  std::uint64_t above = 0;
  std::uint64_t below = 1;
};

/// Equation (3).
[[nodiscard]] Ratio fragmentation_level(const VictimZone& zone, bool as_printed);
/// Equation (4), or what `rule` puts in its place; to be compared only. Zero for a zone without chunks, and for no other.
[[nodiscard]] std::uint64_t victim_weight(const VictimZone& zone, VictimRule rule);

}  // namespace tessera::amphisbaena
