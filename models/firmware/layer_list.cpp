#include "firmware/layers/layer_factories.hpp"
#include "firmware/translation_layer.hpp"

namespace tessera {

std::vector<std::unique_ptr<LayerFactory>> all_layers() {
  std::vector<std::unique_ptr<LayerFactory>> layers;
  layers.push_back(make_cmr_factory());
  layers.push_back(make_imr_rmw_factory());
  layers.push_back(make_imr_flip_factory());
  layers.push_back(make_imr_cache_factory());
  layers.push_back(make_imr_dtm_factory());
  layers.push_back(make_static_1234_factory());
  layers.push_back(make_static_r4123_factory());
  layers.push_back(make_static_124r3_factory());
  layers.push_back(make_static_14r23_factory());
  layers.push_back(make_vguard_factory());
  layers.push_back(make_sblock_factory());
  layers.push_back(make_hwsr_factory());
  layers.push_back(make_skylight_flash_factory());
  layers.push_back(make_pore_factory());
  layers.push_back(make_mu_rmw_factory());
  layers.push_back(make_skylight_disk_factory());
  layers.push_back(make_fluid_factory());
  layers.push_back(make_fluid_loop_factory());
  layers.push_back(make_amphisbaena_factory());
  layers.push_back(make_media_cache_factory());
  layers.push_back(make_tessera_factory());
  layers.push_back(make_tessera_imr_factory());
  layers.push_back(make_zoned_factory());
  layers.push_back(make_host_aware_factory());
  return layers;
}

}  // namespace tessera
