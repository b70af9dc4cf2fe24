#pragma once
// The faults of a campaign's run, drawn together.
#include <string>
#include <vector>

#include "base/random.hpp"
#include "platforms/cli/options.hpp"
#include "platforms/drive/drive_config.hpp"

namespace tessera {

/// The kinds that there are, in a fixed order.
[[nodiscard]] std::vector<std::string> fault_kinds();

/// None to six kinds, and those of the `wanted` that are kinds of these; their settings go into `options`. Returns their names.
[[nodiscard]] std::vector<std::string> draw_faults(const DriveConfig& drive, const std::vector<std::string>& wanted, RandomStream& random,
                                                   cli::RunOptions& options);

}  // namespace tessera
