#pragma once
// Parameters of one block of a drive that another block's make useless, or that the selected layer does not use.
#include <vector>

#include "platforms/description/unused_parameters.hpp"
#include "platforms/drive/drive_config.hpp"

namespace tessera {

/// `plan` is what plan_drive() gave. Of several reasons for one parameter the first counts.
[[nodiscard]] std::vector<UnusedParameters> unused_between_blocks(const DriveConfig& config, const FormatPlan& plan);

}  // namespace tessera
