#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/tessera_imr/interlaced_tiers_layer.hpp"

namespace tessera {

namespace {

class TesseraImrFactory final : public ConfiguredFactory<tiers::InterlacedTiers, tiers::InterlacedTiersConfig> {
 public:
  TesseraImrFactory()
      : ConfiguredFactory("tessera-imr", "write buffer in dumped DRAM, flash, interlaced tracks written in place: our own") {}

  [[nodiscard]] bool needs_flash() const override { return config_.uses_flash(); }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return config_.plan(geometry, problem);
  }
  [[nodiscard]] std::string check_flash(const FlashShape& shape) const override { return config_.problem_with(shape); }
  [[nodiscard]] std::vector<std::string> warnings(const FlashShape& shape) const override { return config_.warnings_of(shape); }
  [[nodiscard]] bool knows_lost_pages() const override { return config_.knows_lost_pages(); }
};

}  // namespace

std::unique_ptr<LayerFactory> make_tessera_imr_factory() { return std::make_unique<TesseraImrFactory>(); }

}  // namespace tessera
