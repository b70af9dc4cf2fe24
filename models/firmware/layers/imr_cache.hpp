#pragma once
// Selective track caching (Hajkazemi et al., section 2.3): see firmware/layers/imr_cache/.
#include <memory>

#include "firmware/translation_layer.hpp"

namespace tessera {

[[nodiscard]] std::unique_ptr<LayerFactory> make_imr_cache_factory();

}  // namespace tessera
