#pragma once
// Track flipping (Hajkazemi et al., section 2.2): see firmware/layers/imr_flip/.
#include <memory>

#include "firmware/translation_layer.hpp"

namespace tessera {

[[nodiscard]] std::unique_ptr<LayerFactory> make_imr_flip_factory();

}  // namespace tessera
