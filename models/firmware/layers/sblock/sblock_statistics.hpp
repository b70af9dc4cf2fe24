#pragma once
// What the store counts, with the names and meanings of docs/guide/metrics.md.
#include <algorithm>
#include <cstdint>

#include "base/metrics.hpp"

namespace tessera::sblock {

struct StoreStatistics {
  std::uint64_t written = 0;     ///< S-blocks, for the host
  std::uint64_t migrated = 0;    ///< S-blocks, by collections
  std::uint64_t most_moved = 0;  ///< S-blocks, by one collection
  DurationHistogram collections;
  DurationHistogram rmw;  ///< writes that read an old copy
  Picoseconds reading;    ///< in those
  Picoseconds writing;    ///< in those

  void count_collection(std::uint64_t moved, Picoseconds taken) {
    migrated += moved;
    most_moved = std::max(most_moved, moved);
    collections.record(taken);
  }
  void report(MetricSet& metrics) const;
};

}  // namespace tessera::sblock
