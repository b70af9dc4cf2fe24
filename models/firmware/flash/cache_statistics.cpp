#include "firmware/flash/cache_statistics.hpp"

#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

void CacheStatistics::merged(Picoseconds time, std::uint64_t pages, const MergeTimes& parts) {
  rmw.record(time);
  merge_times.band_read += parts.band_read;
  merge_times.flash_read += parts.flash_read;
  merge_times.band_write += parts.band_write;
  merge_times.erase += parts.erase;
  victim_pages.record(pages);
}

void CacheStatistics::report(MetricSet& metrics) const {
  report_read_modify_writes(metrics, rmw, "bands merged: read-modify-writes of a whole band", "time in which bands were merged");
  const MergePart parts[] = {{"band_read", merge_times.band_read, "reading what the bands held"},
                             {"flash_read", merge_times.flash_read, "reading the cached pages"},
                             {"band_write", merge_times.band_write, "writing the bands"},
                             {"erase", merge_times.erase, "waiting for erases of the blocks that merges emptied"}};
  report_merge_times(metrics, rmw.total(), parts, "tables, locks and commits");
  report_cleanings(metrics, cleaning, "cleanings");
  report_dirty_bands(metrics, dirty_bands);
  metrics.add("victim.pages_mean", victim_pages.mean(), "1", "valid cached pages of a merged band");
  metrics.count("flash.program_failures", static_cast<double>(failed_programs), "1", "programs that failed and were repeated elsewhere");
}

}  // namespace tessera
