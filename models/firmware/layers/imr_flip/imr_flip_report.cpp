// Track flipping: its figures.
#include "firmware/layers/imr_flip/imr_flip_layer.hpp"

namespace tessera::flip {

/// Three bits a bottom.
Bytes ImrFlip::paper_map_bytes() const { return Bytes((3 * rmw_.tracks().bottoms() + 7) / 8) + heat_.paper_bytes(); }

void ImrFlip::report_work(MetricSet& metrics) const {
  report_moving(metrics);
  metrics.count("flip.count", static_cast<double>(flips_), "1", "flips of a bottom and a top track");
  metrics.count("unflip.count", static_cast<double>(unflips_), "1", "flips that were undone");
}

}  // namespace tessera::flip
