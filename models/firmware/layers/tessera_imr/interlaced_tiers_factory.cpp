#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/tessera/front_factory.hpp"
#include "firmware/layers/tessera_imr/interlaced_tiers_layer.hpp"

namespace tessera {

namespace {

class TesseraImrFactory final : public tiers::FrontFactory<tiers::InterlacedTiers, tiers::InterlacedTiersConfig> {
 public:
  TesseraImrFactory() : FrontFactory("tessera-imr", "write buffer in dumped DRAM, flash, interlaced tracks written in place: our own") {}
};

}  // namespace

std::unique_ptr<LayerFactory> make_tessera_imr_factory() { return std::make_unique<TesseraImrFactory>(); }

}  // namespace tessera
