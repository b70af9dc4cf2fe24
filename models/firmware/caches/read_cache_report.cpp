// Read cache: its figures.
#include "firmware/caches/read_cache.hpp"

namespace tessera {

void ReadCache::report(MetricSet& metrics) const {
  metrics.count("read_cache.hits", static_cast<double>(hits_), "1", "reads served from a segment of the read cache");
  metrics.count("read_cache.partial_hits", static_cast<double>(partial_hits_), "1",
                "reads whose first sectors a segment held and whose others came from the platters");
  metrics.count("read_cache.misses", static_cast<double>(misses_), "1",
                "reads of which no segment of the read cache held the first sector");
  if (config_.zero_latency && config_.keep_delivered)
    metrics.count("read_cache.early_sectors", static_cast<double>(early_sectors_), "sectors",
                  "sectors in front of reads that passed under the head before them and stayed in segments");
  if (config_.segmentation == Segmentation::adaptive)
    metrics.count("read_cache.widened", static_cast<double>(widened_), "1", "times that the segment of a stream got memory of another");
  if (lender_ != nullptr)
    metrics.count("read_cache.given_to_writes", static_cast<double>(given_to_writes_), "1", "segments that writes took from reads");
  inner_.report(metrics);
}

}  // namespace tessera
