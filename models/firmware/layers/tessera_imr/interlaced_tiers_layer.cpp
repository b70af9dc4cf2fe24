#include "firmware/layers/tessera_imr/interlaced_tiers_layer.hpp"

namespace tessera::tiers {

InterlacedTiers::InterlacedTiers(const Ports& ports, const InterlacedTiersConfig& config, const DriveGeometry& geometry,
                                 const FormatPlan& plan)
    : Front(ports, config, geometry, plan, config.make_home(ports, geometry, plan)) {
  if (config.spare_tops) tracks().spare_tops(*this);
  if (config.bottoms_first && buffer_ != nullptr) buffer_->guide(*this);
}

bool InterlacedTiers::in_front(LogicalSector sector) {
  return (buffer_ != nullptr && buffer_->holds_newest(sector)) || (flash_ != nullptr && flash_->holds_newest(sector));
}

/// A sector that was at home when the read looked for it may have got a newer copy in front since, and have been spared.
Task<Status> InterlacedTiers::read(LogicalRun run, DataSpan data) {
  for (;;) {
    const std::uint64_t spared_before = tracks().spared();
    const Status status = co_await top_->read(run, data);
    if (ok(status) || tracks().spared() == spared_before) co_return status;
  }
}

}  // namespace tessera::tiers
