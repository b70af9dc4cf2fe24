#pragma once
// Locks on things that have numbers: bands, mapping groups, zones of a cache.
#include <cstdint>

#include "firmware/locks/range_locks.hpp"

namespace tessera {

/// Numbers [first, end).
struct NumberRange {
  std::uint64_t first = 0;
  std::uint64_t end = 0;
  [[nodiscard]] static NumberRange of(std::uint64_t number) { return {number, number + 1}; }
  [[nodiscard]] bool overlaps(const NumberRange& other) const { return first < other.end && other.first < end; }
};
using NumberLocks = RangeLocks<NumberRange>;

}  // namespace tessera
