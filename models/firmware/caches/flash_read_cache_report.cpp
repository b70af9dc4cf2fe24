// Flash as a read cache: its figures.
#include "firmware/caches/flash_read_cache.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

void FlashReadCache::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(name, static_cast<double>(value), unit, description);
  };
  count("flash_cache.hits", hits_, "sectors", "sectors read from the flash cache");
  count("flash_cache.misses", misses_, "sectors", "sectors read that neither the caches in DRAM nor the flash cache had all of");
  metrics.add("flash_cache.hit_ratio",
              hits_ + misses_ == 0 ? std::nullopt : std::optional(static_cast<double>(hits_) / static_cast<double>(hits_ + misses_)), "1",
              "of the sectors read that the caches in DRAM did not have, the part that came from the flash cache");
  count("flash_cache.admitted", admitted_, "sectors", "sectors read from the platters that the flash cache took in");
  const std::uint64_t blocks = lender_ == nullptr ? blocks_count_ : blocks_.borrowed();
  report_fill(metrics, "flash_cache", {programmed_, hits_, misses_, blocks * shape_.block_subpages()});
  count("flash_cache.skipped", skipped_, "sectors",
        "sectors that the flash cache was to take in, and did not: its staging buffer was full");
  count("flash_cache.programmed", programmed_, "sectors", "sectors programmed to the flash cache");
  count("flash_cache.invalidated", invalidated_, "sectors",
        "sectors that left the flash cache because they were written, trimmed or unreadable");
  count("flash_cache.evicted", blocks_.evictions(), "sectors", "sectors that left the flash cache with their block");
  count("flash_cache.second_chances", blocks_.second_chances(), "1",
        "blocks of the flash cache that were read often enough to be passed over");
  count("flash_cache.unreadable", unreadable_, "sectors", "sectors in the flash cache that could not be read, and came from the platters");
  count("flash_cache.failed_programs", failed_programs_, "1",
        "pages of the flash cache that could not be programmed; their blocks were retired");
  metrics.add("flash_cache.retired_blocks", static_cast<double>(blocks_.retired()), "1",
              "blocks of the flash cache that are not used, from the factory or since");
  const std::uint64_t tables = stage_owners_.size() * sizeof(std::uint64_t) + (history_ ? history_->size() * sizeof(std::uint32_t) : 0);
  metrics.add("flash_cache.tables", static_cast<double>((index_.bytes() + blocks_.bytes() + Bytes(tables)).value()), "B",
              "DRAM that the flash cache's index, lists and history take");
  if (lender_ == nullptr) {
    metrics.add("flash.area.flash_cache.blocks", static_cast<double>(blocks_count_), "1", "flash blocks of this area, which wear in turn");
    count("flash.area.flash_cache.erases", blocks_.erases(), "1", "erases in this area of the flash");
  } else {
    metrics.add("flash_cache.borrowed_blocks", static_cast<double>(blocks_.borrowed()), "1",
                "blocks of the pool that hold copies of what the platters hold; the others are for writes");
  }
  inner_.report(metrics);
}

}  // namespace tessera
