// Layers on interlaced tracks: its figures.
#include "firmware/interlaced/interlaced_layer.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera {

void InterlacedLayer::report(MetricSet& metrics) const {
  report_work(metrics);
  if (map_bytes() != Bytes()) report_mapping_memory(metrics, paper_map_bytes(), map_bytes());
}

}  // namespace tessera
