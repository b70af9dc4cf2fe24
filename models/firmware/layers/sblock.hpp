#pragma once
// The layer sblock in the list of layers; the code is in sblock/.
#include <memory>

#include "firmware/translation_layer.hpp"

namespace tessera {

[[nodiscard]] std::unique_ptr<LayerFactory> make_sblock_factory();

}  // namespace tessera
