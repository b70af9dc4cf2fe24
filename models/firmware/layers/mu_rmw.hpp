#pragma once
// MU-RMW (Ma et al., "MU-RMW: Minimizing Unnecessary RMW Operations in the Embedded Flash with SMR Disk"): a flash cache
// whose blocks each hold data of one shingled band, and which is reclaimed only when no block is left.
#include <memory>

#include "firmware/translation_layer.hpp"

namespace tessera {

[[nodiscard]] std::unique_ptr<LayerFactory> make_mu_rmw_factory();

}  // namespace tessera
