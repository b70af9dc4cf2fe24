#pragma once
// Locks on zones. Whoever writes back a zone, or moves sectors of it in the buffer, holds it alone; reads and writes of its sectors
// share it.
#include <cstdint>

#include "firmware/locks/range_locks.hpp"

namespace tessera {

/// Zones [first, end).
struct ZoneRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  [[nodiscard]] static ZoneRange of(std::uint64_t zone) { return {zone, zone + 1}; }
  [[nodiscard]] bool overlaps(const ZoneRange& other) const { return first < other.end && other.first < end; }
};
using ZoneLocks = RangeLocks<ZoneRange>;

}  // namespace tessera
