#include "firmware/layers/amphisbaena/victim_weight.hpp"

#include <algorithm>
#include <limits>

namespace tessera::amphisbaena {

namespace {

/// A weight in units of 2^-20: chunks and blocks of a zone are below 2^22 each.
std::uint64_t scaled(std::uint64_t factor, Ratio ratio) {
  if (ratio.below == 0) return std::numeric_limits<std::uint64_t>::max();
  return std::max<std::uint64_t>(1, (factor * ratio.above << 20) / ratio.below);
}

/// Sectors that a write-back reads and writes in the zone.
std::uint64_t sectors_moved(const VictimZone& zone) {
  if (zone.first >= zone.pointer) return zone.last + 1 - zone.pointer;
  return std::uint64_t{zone.pointer} + std::max(zone.pointer, zone.last + 1);
}

}  // namespace

Ratio fragmentation_level(const VictimZone& zone, bool as_printed) {
  const bool behind = zone.first >= zone.pointer;
  if (as_printed) {
    if (behind) return {zone.blocks, zone.last - zone.pointer};
    return {std::uint64_t{zone.native} + zone.blocks, zone.pointer};
  }
  if (behind) return {zone.blocks, std::uint64_t{zone.last} - zone.pointer + 1};
  return {std::uint64_t{zone.native} + zone.blocks - zone.overlap, std::max(zone.pointer, zone.last + 1)};
}

std::uint64_t victim_weight(const VictimZone& zone, VictimRule rule) {
  if (zone.chunks == 0) return 0;
  switch (rule) {
    case VictimRule::paper: return scaled(zone.chunks, fragmentation_level(zone, true));
    case VictimRule::corrected: return scaled(zone.chunks, fragmentation_level(zone, false));
    case VictimRule::count: return zone.chunks;
    case VictimRule::cost: return scaled(zone.chunks, {1, sectors_moved(zone)});
  }
  return 0;
}

}  // namespace tessera::amphisbaena
