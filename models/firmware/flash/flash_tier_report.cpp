// Flash tier: its figures.
#include "firmware/flash/flash_tier.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera::tiers {

void FlashTier::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* what) {
    metrics.count(name, static_cast<double>(value), unit, what);
  };
  inner_.report_work(metrics);
  // Tracks that are written in place need no cleaning: where they are behind the flash, it is what shows that the caches were full.
  if (metrics.find("cleaning.count") == nullptr) report_cleaning_times(metrics, evictions_, "flash blocks emptied");
  if (metrics.find("progress.cleanings.done") == nullptr)
    report_rounds(metrics, "cleanings", evictions_.count(), "flash blocks emptied: the layer behind them has no cleanings of its own");
  count("hit.read.flash", read_flash_, "sectors", "sectors read from the flash cache");
  count("hit.write.flash", updates_, "sectors", "sectors written of which the flash cache held a copy");
  count("flash.written", written_, "sectors", "sectors that went to flash");
  count("flash.past", past_, "sectors", "sectors that went past the flash to the platters");
  count("flash.voids", voids_, "1", "writes past older copies in flash, each two pages");
  count("flash.evicted", evicted_, "1", "flash blocks whose valid pages were moved");
  count("flash.moved_on", moved_on_, "sectors", "sectors that evictions moved from flash to the platters");
  count("nand.page_copies", copied_, "1", "pages copied from flash to flash");
  count("flash.failed_programs", failed_programs_, "1", "pages that could not be programmed");
  metrics.add("flash.retired_blocks", static_cast<double>(space_.retired_blocks()), "1",
              "blocks that are not used, from the factory or since");
  if (shape_.subpages > 1) pages_.report(metrics);
  const Bytes own = map_.bytes() + owners_.bytes() + held_.bytes() + space_.bytes() + Bytes((read_.size() + 63) / 64 * 8);
  // A layer that knows nothing of the tier has said what its own map takes.
  if (metrics.find("meta.ram_bytes_actual") == nullptr)
    report_mapping_memory(metrics, inner_.paper_map_bytes() + map_.bytes(), inner_.map_bytes() + own);
  else
    metrics.add("flash.tables", static_cast<double>(own.value()), "B", "DRAM of the flash tier's tables, without the layer's own map");
}

BandLevels FlashTier::band_levels() const {
  std::vector<LogicalSector> cached;
  owners_.each_sector([&cached](LogicalSector sector) { cached.push_back(sector); });
  return inner_.band_levels_with(cached);
}

}  // namespace tessera::tiers
