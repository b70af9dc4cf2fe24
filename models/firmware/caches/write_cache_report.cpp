// Write cache: its figures.
#include "firmware/caches/write_cache.hpp"

namespace tessera {

namespace {

/// Put together where somebody takes figures: an image that reports none has no code for it.
struct FigureName {
  const char* prefix;
  const char* name;

  operator std::string() const { return std::string(prefix) + name; }  // NOLINT(google-explicit-constructor,hicpp-explicit-conversions)
};

}  // namespace

void WriteCache::report(MetricSet& metrics) const {
  const auto count = [&](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(FigureName{prefix_, name}, static_cast<double>(value), unit, description);
  };
  count(".absorbed", absorbed_, "sectors", "written sectors that replaced a dirty one in the write cache");
  count(".hit.read", read_hits_, "sectors", "sectors read from the write cache");
  count(".miss.read", read_misses_, "sectors", "sectors read that the write cache did not hold");
  count(".destages", destages_, "1", "writes from the write cache to the layer below");
  count(".destaged", destaged_sectors_, "sectors", "sectors written from the write cache to the layer below");
  count(".lost_at_boot", lost_at_boot_, "sectors",
        "unwritten sectors of the write cache that a boot found lost: the dump had failed before them, or bit errors had taken them");
  count(".full_waits", full_waits_, "1", "times that a write waited for a slot of the write cache");
  if (config_.edges == EdgeReads::behind) {
    count(".parts", parts_written_, "sectors", "sectors of which a write brought a part, acknowledged before the rest of them was read");
    count(".completed", completed_, "sectors", "sectors of the write cache whose other blocks came from the layer below");
  }
  metrics.add(FigureName{prefix_, ".dirty.peak"}, static_cast<double>(peak_dirty_ * ports_.memory.shape().sector_bytes), "B",
              "most dirty data in the write cache: what a power loss must save");
  metrics.add(FigureName{prefix_, ".unwritten"}, static_cast<double>((ended() ? dirty_ : 0) + stuck_), "sectors",
              "acknowledged sectors that stay in the write cache because the layer below could not write them, or others before them");
  if (journal_ != nullptr)
    metrics.count("journal.sectors", static_cast<double>(journal_->sectors_written()), "sectors",
                  "sectors written to the journal, superblocks included");
  inner_.report(metrics);
}

}  // namespace tessera
