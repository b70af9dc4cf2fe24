// skylight-flash: its figures.
#include "firmware/layers/skylight_flash/skylight_flash_layer.hpp"

namespace tessera {

void SkylightFlash::report(MetricSet& metrics) const {
  const Bytes bitmap((bands_ + 63) / 64 * sizeof(std::uint64_t));
  report_common(metrics, Bytes(0), bitmap);
  metrics.count("cleaning.background_merges", static_cast<double>(background_merges_), "1", "bands merged while the host was idle");
  metrics.count("nand.page_copies", 0, "1", "pages copied from flash to flash");
}

}  // namespace tessera
