#pragma once
// Percentiles of the latency that the user names, beside those that every run has.
#include <span>

#include "base/metrics.hpp"
#include "base/percentile.hpp"
#include "stimuli/player/player_statistics.hpp"

namespace tessera {

/// Adds host.latency.P, host.read.latency.P and host.write.latency.P for each percentile that `metrics` lacks.
void report_percentiles(const PlayerStatistics& statistics, std::span<const Percentile> percentiles, MetricSet& metrics);

}  // namespace tessera
