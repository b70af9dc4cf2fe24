#pragma once
// What most layers count, reported under the same names and with the same meaning (docs/guide/metrics.md).
#include "base/metrics.hpp"

namespace tessera {

/// PREFIX.mean and PREFIX.max; `what`: "cleaning", say.
void report_times(MetricSet& metrics, const std::string& prefix, const DurationHistogram& times, const std::string& what);

/// `what`: what counts as a cleaning of the layer.
void report_cleanings(MetricSet& metrics, const DurationHistogram& cleanings, const char* what);

/// `what`: what counts as a read-modify-write of the layer; `time`: what its time is.
void report_read_modify_writes(MetricSet& metrics, const DurationHistogram& rmws, const char* what, const char* time);

/// Memory of the layer's mapping; `paper`: by the paper's formula.
void report_mapping_memory(MetricSet& metrics, Bytes paper, Bytes actual);

}  // namespace tessera
