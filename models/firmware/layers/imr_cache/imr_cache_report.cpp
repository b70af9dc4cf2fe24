// Track cache: its figures.
#include "firmware/layers/imr_cache/imr_cache_layer.hpp"

namespace tessera::cache {

void ImrCache::report_work(MetricSet& metrics) const {
  report_moving(metrics);
  metrics.count("cache.promote", static_cast<double>(promotions_), "1", "tracks brought into the track cache");
  metrics.count("cache.evict", static_cast<double>(evictions_), "1", "tracks brought back from the track cache");
  metrics.count("cache.hit", static_cast<double>(hits_), "1", "writes of tracks in the track cache");
}

}  // namespace tessera::cache
