#pragma once
// Dynamic track mapping (Hajkazemi et al., section 2.4): see firmware/layers/imr_dtm/.
#include <memory>

#include "firmware/translation_layer.hpp"

namespace tessera {

[[nodiscard]] std::unique_ptr<LayerFactory> make_imr_dtm_factory();

}  // namespace tessera
