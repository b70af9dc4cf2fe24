#pragma once
// How every layer that cleans reports it (docs/guide/metrics.md).
#include "base/metrics.hpp"

namespace tessera {

/// `what`: what counts as a cleaning of the layer.
inline void report_cleanings(MetricSet& metrics, const DurationHistogram& cleanings, const char* what) {
  const auto milliseconds = [&cleanings](double ps) { return cleanings.count() == 0 ? std::nullopt : std::optional(ps / 1e9); };
  metrics.count("cleaning.count", static_cast<double>(cleanings.count()), "1", what);
  metrics.add("cleaning.mean", milliseconds(cleanings.mean_ps().value_or(0)), "ms", "mean time of a cleaning");
  metrics.add("cleaning.max", milliseconds(static_cast<double>(cleanings.max().value())), "ms", "longest cleaning");
}

}  // namespace tessera
