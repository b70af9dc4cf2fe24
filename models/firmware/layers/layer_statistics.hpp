#pragma once
// What most layers count, reported under the same names and with the same meaning (docs/guide/metrics.md).
#include <span>

#include "base/metrics.hpp"

namespace tessera {

/// PREFIX.mean and PREFIX.max; `what`: "cleaning", say.
void report_times(MetricSet& metrics, const std::string& prefix, const DurationHistogram& times, const std::string& what);

/// `what`: what counts as a cleaning of the layer.
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
