// Media cache: its figures.
#include "firmware/layers/layer_statistics.hpp"
#include "firmware/layers/media_cache/media_cache_layer.hpp"

namespace tessera::media_cache {

BandLevels MediaCache::band_levels_with(const std::vector<LogicalSector>& cached_in_front) const {
  BandLevels levels = bands_.levels();
  std::vector<bool> counted(user_sectors());
  const auto count = [&](LogicalRun run) {
    BandLevel& level = levels[bands_.band_of(run.first).number];
    for (std::uint64_t sector = run.first.value(); sector < run.end().value(); ++sector) {
      level.cached += counted[sector] ? 0 : 1;
      counted[sector] = true;
    }
  };
  for (const LogicalSector sector : cached_in_front) count({sector, 1});
  map_.peek_each([&](const Extent& extent) {
    if (!extent.hole) count({extent.first, extent.count});
  });
  return levels;
}

void MediaCache::report(MetricSet& metrics) const {
  report_work(metrics);
  report_mapping_memory(metrics, paper_map_bytes(), map_bytes());
}

void MediaCache::report_work(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* what) {
    metrics.count(name, static_cast<double>(value), unit, what);
  };
  count("packet.count", packets_, "1", "packets written to the log of the media cache");
  count("packet.shared", shared_packets_, "1", "packets that took more than one write");
  count("packet.writes", writes_, "1", "writes that went to the log");
  if (config_.stay_mark != 0) {
    count("packet.moves", moves_, "1", "further packets, of what was the oldest in the log and stays there");
    count("packet.moved", moved_, "sectors", "sectors that were the oldest in the log and stay there");
  }
  count("packet.sectors", log_.sectors_written(), "sectors", "sectors of packets, with padding and ends");
  count("map.checkpoints", checkpoints_.count(), "1", "times that the map was written down");
  report_times(metrics, "map.checkpoint_time", checkpoints_, "checkpoint of the map");
  count("map.checkpoint_sectors", checkpoint_.sectors_written(), "sectors", "sectors of checkpoints of the map");
  count("map.extents", map_.size(), "1", "extents in the map of the media cache");
  count("stream.count", stream_writes_, "1", "writes to bands directly, past the log");
  count("stream.sectors", streamed_, "sectors", "sectors that went to their bands directly");
  count("hit.read.log", read_log_, "sectors", "sectors read from the log of the media cache");
  count("hit.read.media", read_bands_, "sectors", "sectors read from their bands");
  report_cleanings(metrics, cleanings_, "cleanings of the log's tail");
  count("cleaning.idle", idle_cleanings_, "1", "of the cleanings those for which the host left time");
  report_read_modify_writes(metrics, band_cleanings_, "bands that were merged and rewritten", "time in which bands were cleaned");
  const MergePart parts[] = {{"band_read", merge_times_.band_read, "reading what the bands held"},
                             {"log_read", merge_times_.log_read, "collecting extents from the log"},
                             {"copy", merge_times_.copy, "writing copies of bands, and reading them again where they have several phases"},
                             {"band_write", merge_times_.band_write, "writing the bands"}};
  report_merge_times(metrics, band_cleanings_.total(), parts, "locks and tables");
  report_dirty_bands(metrics, dirty_bands_);
  count("merge.phases", phases_, "1", "parts of bands that were merged, each as large as the buffer holds");
  if (config_.stepwise()) count("merge.steps", steps_, "1", "times that merges let the host's commands in");
  count("merge.collected", collected_extents_, "1", "extents that were collected from the log");
  if (merge_area_)
    count("merge.sectors", merge_area_->sectors_written(), "sectors", "sectors of the copies that are written before a band is");
  if (bands_.to_spare()) {
    count("merge.moves", band_moves_, "1", "bands that went to a spare one");
    count("places.sectors", bands_.sectors_written(), "sectors", "sectors of the log that says where bands lie");
  }
}

}  // namespace tessera::media_cache
