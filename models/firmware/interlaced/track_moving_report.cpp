// Layers that move tracks: its figures.
#include "firmware/interlaced/track_moving_layer.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

void TrackMovingLayer::report_moving(MetricSet& metrics) const {
  rmw_.report(metrics);
  mover_.report(metrics);
  metrics.count("intervals.count", static_cast<double>(heat_.intervals()), "1", "intervals at whose end hot tracks were looked for");
  report_rounds(metrics, "heat_intervals", heat_.intervals(), "intervals at whose end hot tracks were looked for");
  metrics.count("heat.arrived", static_cast<double>(arrived_), "1", "writes of tracks as the host sent them, a write once for each track");
  metrics.count("heat.reached", static_cast<double>(reached_), "1", "writes of tracks that reached them, behind any write cache");
  metrics.add("heat.lost_in_cache",
              arrived_ == 0 ? std::nullopt : std::optional(1 - static_cast<double>(reached_) / static_cast<double>(arrived_)), "1",
              "share of heat.arrived that a write cache made one of: what layers.*.heat = \"media\" does not see");
  metrics.count("move.failed_commits", static_cast<double>(failed_commits_), "1", "changes of the track map that could not be logged");
}

}  // namespace tessera
