#pragma once
// What the drives of a comparison share, and what they do not: a table of layers means nothing without it.
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "platforms/description/toml_document.hpp"

namespace tessera {

/// The parts that a layer may spend, each with how much there is of it.
struct LayerHardware {
  std::string layer;
  std::vector<std::pair<std::string, std::string>> parts;
};

/// Of the effective description of a run. `section`: the layer's own, as layer_section() has it; `own_buffer`: it may bring a write buffer,
/// to which the drive's write cache may yield.
[[nodiscard]] LayerHardware hardware_of(const DescriptionValue& drive, const std::string& layer, std::string_view section, bool own_buffer);

/// One paragraph: what all layers share, then what they do not; empty without layers. A layer that has no use for a part leaves it idle;
/// that is its own doing, and no difference. The reports of analysis/tessera/results/terms.py say the same.
[[nodiscard]] std::string shared_hardware(std::span<const LayerHardware> layers);

}  // namespace tessera
