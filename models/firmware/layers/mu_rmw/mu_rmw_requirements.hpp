#pragma once
// What MU-RMW needs of platters and flash.
#include <string>

#include "firmware/layers/mu_rmw/mu_rmw_config.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera::mu_rmw {

/// Shingled bands, spares included, around the log; empty, with a sentence in `problem`, where that does not fit.
[[nodiscard]] inline FormatPlan plan_drive(const MuRmwConfig& config, const DriveGeometry& geometry, std::string& problem) {
  return plan_cached_bands(config, geometry, 0, problem);
}

/// A sentence why a sub-table does not fit the out-of-band area, or its slots cannot name every page; or nothing.
[[nodiscard]] std::string check_flash(const MuRmwConfig& config, const FlashShape& shape);

}  // namespace tessera::mu_rmw
