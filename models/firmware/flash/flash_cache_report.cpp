// Flash caches: its figures.
#include "firmware/flash/flash_cache_layer.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

BandLevels FlashCacheLayer::band_levels() const {
  const auto sectors = static_cast<std::uint32_t>(layout_.band_sectors());
  BandLevels levels(bands_, {sectors, sectors, 0});
  owners_.each_sector([&](LogicalSector sector) { ++levels[band_of(sector)].cached; });
  return levels;
}

void FlashCacheLayer::report_common(MetricSet& metrics, Bytes paper_bytes, Bytes own_bytes) const {
  statistics_.report(metrics);
  reader_.report(metrics);
  map_->report(metrics);
  if (shape_.subpages > 1) pages_.report(metrics);
  std::uint64_t retired = 0;
  Bytes taken = map_->bytes() + owners_.bytes() + places_.bytes() + own_bytes;
  if (checkpoint_) taken += checkpoint_->bytes();
  for (const PageSpace& space : spaces_) {
    retired += space.retired_blocks();
    taken += space.bytes();
  }
  metrics.count("hit.write.flash", static_cast<double>(updates_), "sectors", "sectors written of which the flash cache held a copy");
  metrics.add("flash.retired_blocks", static_cast<double>(retired), "1", "blocks that are not used, from the factory or since");
  metrics.count("log.sectors", static_cast<double>(places_.sectors_written()), "sectors", "sectors of the merge log and its checkpoints");
  if (checkpoint_)
    metrics.count("checkpoint.sectors", static_cast<double>(checkpoint_->sectors_written()), "sectors",
                  "sectors of checkpoints of flash pages' tags");
  report_mapping_memory(metrics, map_->paper_bytes() + paper_bytes, taken);
}

}  // namespace tessera
