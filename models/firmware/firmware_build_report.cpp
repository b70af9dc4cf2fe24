// Firmware: its figures.
#include "firmware/firmware_build.hpp"

namespace tessera {

void Firmware::report(MetricSet& metrics) const {
  top_->report(metrics);
  server_->report(metrics);
  if (defects_ != nullptr) defects_->report(metrics);
  if (refresh_ != nullptr) refresh_->report(metrics);
  if (scan_ != nullptr) scan_->report(metrics);
}

}  // namespace tessera
