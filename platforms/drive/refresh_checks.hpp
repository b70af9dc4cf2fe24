#pragma once
// Whether a drive's refresh goes with its layer and with what its platters stand.
#include <string>

#include "platforms/drive/drive_config.hpp"

namespace tessera {

/// InputError for a plug-in: it may keep bytes of its own next to the host's data, which a refresh does not know of.
void check_refresh(const DriveConfig& config);
/// Where more writes may pass next to a track before its refresh than the platters stand; otherwise "".
[[nodiscard]] std::string refresh_warning(const DriveConfig& config);

/// Where writes are wider than conventional tracks of `plan` stand; otherwise "".
[[nodiscard]] std::string write_width_warning(const DriveConfig& config, const FormatPlan& plan);

}  // namespace tessera
