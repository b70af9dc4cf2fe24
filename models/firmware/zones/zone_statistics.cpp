#include "firmware/zones/zone_statistics.hpp"

#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

namespace {

std::optional<double> ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::nullopt : std::optional(static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

void ZoneStatistics::report(MetricSet& metrics) const {
  report_read_modify_writes(metrics, rmw, "write-backs that read, merged and rewrote a zone", "time in which zones were rewritten");
  const MergePart parts[] = {{"band_read", rmw_times.band_read, "reading what the zones held"},
                             {"buffer_read", rmw_times.buffer_read, "reading the buffered sectors"},
                             {"band_write", rmw_times.band_write, "writing the zones"}};
  report_merge_times(metrics, rmw.total(), parts, "tables, locks and commits");
  metrics.count("rmw_free.count", static_cast<double>(rmw_free), "1", "write-backs behind the write pointer of a zone");
  metrics.count("pad.sectors", static_cast<double>(padding), "sectors", "padding written between the valid sectors of zones");
  metrics.count("victim.sectors", static_cast<double>(victims), "sectors", "sectors written back from the buffer to their zones");
  metrics.add("victim.sectors_mean", ratio(victims, rmw.count() + rmw_free), "sectors", "sectors written back over zones involved");
}

void BufferStatistics::report(MetricSet& metrics) const {
  metrics.add("hit.write", ratio(updates, sectors_written), "1", "sectors written that were in the buffer over sectors written");
  metrics.count("hit.write.buffer", static_cast<double>(updates), "sectors", "sectors written that were in the buffer");
  metrics.count("hit.read.buffer", static_cast<double>(reads_buffer), "sectors", "sectors read from the buffer");
  metrics.count("hit.read.media", static_cast<double>(reads_zone), "sectors", "sectors read from their bands");
  metrics.add("cleaning.dirty_zones_mean", dirty_zones.mean(), "1", "zones with sectors in the buffer when a cleaning of it began");
  report_cleanings(metrics, cleaning, "cleanings of the buffer");
}

}  // namespace tessera
