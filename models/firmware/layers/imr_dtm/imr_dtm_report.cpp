// Dynamic track mapping: its figures.
#include "firmware/layers/imr_dtm/imr_dtm_layer.hpp"

namespace tessera::dtm {

void ImrDtm::report_work(MetricSet& metrics) const {
  report_moving(metrics);
  metrics.count("swap.count", static_cast<double>(swaps_done_), "1", "swaps of a pseudo-track on bottoms and one on tops");
}

}  // namespace tessera::dtm
