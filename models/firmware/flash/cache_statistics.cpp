#include "firmware/flash/cache_statistics.hpp"

#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

void CacheStatistics::merged(Picoseconds time, std::uint64_t pages, const MergeTimes& parts) {
  rmw.record(time);
  merge_times.band_read += parts.band_read;
  merge_times.flash_read += parts.flash_read;
  merge_times.band_write += parts.band_write;
  victim_pages.record(pages);
}

void CacheStatistics::report(MetricSet& metrics) const {
  report_read_modify_writes(metrics, rmw, "bands merged: read-modify-writes of a whole band", "time in which bands were merged");
  const MergeTimes& parts = merge_times;
  metrics.count("merge.time.band_read", parts.band_read, "of rmw.time_total, reading what the bands held");
  metrics.count("merge.time.flash_read", parts.flash_read, "of rmw.time_total, reading the cached pages");
  metrics.count("merge.time.band_write", parts.band_write, "of rmw.time_total, writing the bands");
  metrics.count("merge.time.rest", rmw.total() - parts.band_read - parts.flash_read - parts.band_write,
                "of rmw.time_total, all else: tables, commits and erases");
  report_cleanings(metrics, cleaning, "cleanings");
  metrics.add("victim.pages_mean", victim_pages.mean(), "1", "valid cached pages of a merged band");
  metrics.count("flash.program_failures", static_cast<double>(failed_programs), "1", "programs that failed and were repeated elsewhere");
}

}  // namespace tessera
