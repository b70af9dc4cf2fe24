#pragma once
// What layers with a flash cache over shingled bands count, with the names and meanings of docs/guide/metrics.md.
#include <cstdint>

#include "base/metrics.hpp"
#include "base/units.hpp"
#include "firmware/flash/band_merge.hpp"

namespace tessera {

struct CacheStatistics {
  DurationHistogram cleaning;
  DurationHistogram rmw;   ///< bands merged
  MergeTimes merge_times;  ///< sums over the bands merged
  Tally victim_pages;
  Tally dirty_bands;  ///< bands with cached pages when a cleaning began
  std::uint64_t failed_programs = 0;

  /// A band was merged with `pages` cached ones.
  void merged(Picoseconds time, std::uint64_t pages, const MergeTimes& parts);
  void report(MetricSet& metrics) const;
};

}  // namespace tessera
