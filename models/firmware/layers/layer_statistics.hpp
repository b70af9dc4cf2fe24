#pragma once
// What most layers count, reported under the same names and with the same meaning (docs/guide/metrics.md).
#include <span>

#include "base/metrics.hpp"

namespace tessera {

/// PREFIX.mean and PREFIX.max; `what`: "cleaning", say.
void report_times(MetricSet& metrics, const std::string& prefix, const DurationHistogram& times, const std::string& what);

/// Clocks: what cleans, learns or fills says as progress.NAME.done and progress.NAME.of how far it is, and how far it has to be before its
/// figures say what they will be. Of rounds (cleanings, intervals, reviews) twenty, in the measured part.
void report_rounds(MetricSet& metrics, const std::string& name, std::uint64_t done, const std::string& what);

/// The clock of a cache that begins empty: full, and once turned over; or, where all that is read fits, each sector hit twenty times. Since
/// power-on, in sectors.
struct Fill {
  std::uint64_t taken_in;
  std::uint64_t hits;
  std::uint64_t misses;
  std::uint64_t capacity;
};
void report_fill(MetricSet& metrics, const std::string& name, const Fill& fill);

/// cleaning.count and its times; `what`: what counts as a cleaning of the layer.
void report_cleaning_times(MetricSet& metrics, const DurationHistogram& cleanings, const char* what);

/// The same, and their clock.
void report_cleanings(MetricSet& metrics, const DurationHistogram& cleanings, const char* what);

/// `what`: what counts as a read-modify-write of the layer; `time`: what its time is.
void report_read_modify_writes(MetricSet& metrics, const DurationHistogram& rmws, const char* what, const char* time);

/// A part of the time in which bands were merged, reported as merge.time.NAME; `what` it was spent on.
struct MergePart {
  const char* name;
  Picoseconds time;
  const char* what;
};

/// The parts, and merge.time.rest: what of `total`, the layer's rmw.time_total, none of them is.
void report_merge_times(MetricSet& metrics, Picoseconds total, std::span<const MergePart> parts, const char* rest);

/// `bands`: with cached sectors, at each cleaning.
void report_dirty_bands(MetricSet& metrics, const Tally& bands);

/// Memory of the layer's mapping; `paper`: by the paper's formula.
void report_mapping_memory(MetricSet& metrics, Bytes paper, Bytes actual);

}  // namespace tessera
