#pragma once
// Fluid and Fluid_loop in the list of layers; the code is in fluid/.
#include <memory>

#include "firmware/translation_layer.hpp"

namespace tessera {

[[nodiscard]] std::unique_ptr<LayerFactory> make_fluid_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_fluid_loop_factory();

}  // namespace tessera
