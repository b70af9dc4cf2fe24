// skylight-disk: its figures.
#include "firmware/layers/skylight_disk/skylight_disk_layer.hpp"

namespace tessera {

void SkylightDisk::report(MetricSet& metrics) const {
  report_common(metrics, Bytes(std::uint64_t{8} * buffer_.slots()), Bytes(states_.size() * sizeof(BufferZone)));
}

}  // namespace tessera
