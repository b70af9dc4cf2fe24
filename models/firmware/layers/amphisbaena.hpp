#pragma once
// Amphisbaena in the list of layers; the code is in amphisbaena/.
#include <memory>

#include "firmware/translation_layer.hpp"

namespace tessera {

[[nodiscard]] std::unique_ptr<LayerFactory> make_amphisbaena_factory();

}  // namespace tessera
