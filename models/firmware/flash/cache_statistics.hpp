#pragma once
// What layers with a flash cache over shingled bands count, with the names and meanings of docs/guide/metrics.md.
#include <cstdint>

#include "base/metrics.hpp"
#include "base/units.hpp"

namespace tessera {

struct CacheStatistics {
  DurationHistogram cleaning;
  DurationHistogram rmw;  ///< bands merged
  Tally victim_pages;
  std::uint64_t failed_programs = 0;

  /// A band was merged with `pages` cached ones.
  void merged(Picoseconds time, std::uint64_t pages);
  void report(MetricSet& metrics) const;
};

}  // namespace tessera
