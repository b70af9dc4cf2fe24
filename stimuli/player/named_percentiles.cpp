#include "stimuli/player/named_percentiles.hpp"

namespace tessera {

void report_percentiles(const PlayerStatistics& statistics, std::span<const Percentile> percentiles, MetricSet& metrics) {
  struct Latency {
    const char* prefix;
    const DurationHistogram& times;
    const char* words;
  };
  const Latency latencies[] = {{"host.latency.", statistics.latency(), "all served requests"},
                               {"host.read.latency.", statistics.read_latency(), "served reads"},
                               {"host.write.latency.", statistics.write_latency(), "served writes"}};
  for (const auto& latency : latencies) {
    for (const auto& percentile : percentiles) {
      const std::string name = latency.prefix + percentile.suffix();
      if (metrics.find(name) != nullptr) continue;
      const auto time = latency.times.percentile(percentile.fraction);
      metrics.add(name, time ? std::optional(static_cast<double>(time->value()) * 1e-9) : std::nullopt, "ms",
                  "percentile " + percentile.text + " of the time from arrival to completion, " + latency.words);
    }
  }
}

}  // namespace tessera
