#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/tessera/tiers_layer.hpp"

namespace tessera {

namespace {

class TesseraFactory final : public ConfiguredFactory<tiers::Tiers, tiers::TiersConfig> {
 public:
  TesseraFactory() : ConfiguredFactory("tessera", "write buffer in dumped DRAM, flash, log of packets, shingled bands: our own") {}

  [[nodiscard]] bool needs_flash() const override { return config_.uses_flash(); }
  /// A cleaning of the log collects what lies scattered over it, and 32 tags may wait for one each.
  [[nodiscard]] Picoseconds longest_wait() const override { return Picoseconds(3600 * ps_per_second); }

  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return config_.plan(geometry, problem);
  }
  [[nodiscard]] std::string check_flash(const FlashShape& shape) const override { return config_.problem_with(shape); }
  [[nodiscard]] std::vector<std::string> warnings(const FlashShape& shape) const override { return config_.warnings_of(shape); }
  [[nodiscard]] bool knows_lost_pages() const override { return config_.knows_lost_pages(); }
};

}  // namespace

std::unique_ptr<LayerFactory> make_tessera_factory() { return std::make_unique<TesseraFactory>(); }

}  // namespace tessera
