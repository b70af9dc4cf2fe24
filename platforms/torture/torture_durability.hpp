#pragma once
// The durabilities under torture, as settings of a drive and layer.
#include <string>
#include <vector>

#include "platforms/cli/options.hpp"
#include "platforms/drive/drive_config.hpp"

namespace tessera {

[[nodiscard]] const char* name_of(cli::TortureDurability durability);

/// Overrides of `plain`, path=value, that give the layer this durability. A layer may still refuse it.
[[nodiscard]] std::vector<std::string> durability_settings(DriveConfig& plain, const std::string& layer, cli::TortureDurability durability);

}  // namespace tessera
