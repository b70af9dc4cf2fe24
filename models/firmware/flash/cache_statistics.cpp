#include "firmware/flash/cache_statistics.hpp"

#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

void CacheStatistics::merged(Picoseconds time, std::uint64_t pages) {
  rmw.record(time);
  victim_pages.record(pages);
}

void CacheStatistics::report(MetricSet& metrics) const {
  report_read_modify_writes(metrics, rmw, "bands merged: read-modify-writes of a whole band", "time in which bands were merged");
  report_cleanings(metrics, cleaning, "cleanings");
  metrics.add("victim.pages_mean", victim_pages.mean(), "1", "valid cached pages of a merged band");
  metrics.count("flash.program_failures", static_cast<double>(failed_programs), "1", "programs that failed and were repeated elsewhere");
}

}  // namespace tessera
