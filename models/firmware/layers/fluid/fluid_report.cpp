// FluidSMR: its figures.
#include "firmware/layers/fluid/fluid_layer.hpp"

namespace tessera::fluid {

void Fluid::report(MetricSet& metrics) const {
  report_common(metrics, Bytes(std::uint64_t{16} * buffer_.slots()), log_.bytes() + (heat_ ? heat_->bytes() : Bytes(0)));
  if (heat_) {
    metrics.count("loop.requeued", static_cast<double>(requeued_), "sectors",
                  "sectors of hot zones that were appended to the log again instead of being written back");
  }
}

}  // namespace tessera::fluid
