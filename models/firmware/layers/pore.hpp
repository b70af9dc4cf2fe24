#pragma once
// PORE: a flash cache over shingled bands that evicts from an open part of them (as Ma et al. compare MU-RMW with it).
#include <memory>

#include "firmware/translation_layer.hpp"

namespace tessera {

[[nodiscard]] std::unique_ptr<LayerFactory> make_pore_factory();

}  // namespace tessera
