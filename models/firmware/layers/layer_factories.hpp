#pragma once
// The factories of the layers in the order of the list (layer_list.cpp); each layer is a folder here.
#include <memory>

#include "firmware/translation_layer.hpp"

namespace tessera {

[[nodiscard]] std::unique_ptr<LayerFactory> make_cmr_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_imr_rmw_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_imr_flip_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_imr_cache_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_imr_dtm_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_static_1234_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_static_r4123_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_static_124r3_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_static_14r23_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_vguard_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_sblock_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_hwsr_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_skylight_flash_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_pore_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_mu_rmw_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_skylight_disk_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_fluid_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_fluid_loop_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_amphisbaena_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_media_cache_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_tessera_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_tessera_imr_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_zoned_factory();
[[nodiscard]] std::unique_ptr<LayerFactory> make_host_aware_factory();

}  // namespace tessera
