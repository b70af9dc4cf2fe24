// Read-modify-writes of interlaced tracks: its figures.
#include "firmware/interlaced/read_modify_write.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

void ReadModifyWrite::report(MetricSet& metrics) const {
  report_read_modify_writes(metrics, rmws_, "read-modify-writes of bottom tracks",
                            "time in read-modify-writes, from their backup slot to the last rewrite");
  metrics.count("rmw_free.count", static_cast<double>(free_rmws_), "1",
                "writes of bottom tracks that found no data on the tops beside them");
  if (worthless_ != nullptr)
    metrics.count("rmw.spared", static_cast<double>(spared_), "sectors",
                  "sectors of tops that were neither saved nor written back, as their newest copy was in buffer or flash");
  metrics.count("rmw.failed_restores", static_cast<double>(failed_restores_), "1",
                "rewrites of tops that failed after the acknowledgement");
  backup_.report(metrics);
}

}  // namespace tessera
