#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/tessera/front_factory.hpp"
#include "firmware/layers/tessera/tiers_layer.hpp"

namespace tessera {

namespace {

class TesseraFactory final : public tiers::FrontFactory<tiers::Tiers, tiers::TiersConfig> {
 public:
  TesseraFactory() : FrontFactory("tessera", "write buffer in dumped DRAM, flash, log of packets, shingled bands: our own") {}

  /// A cleaning of the log collects what lies scattered over it, and 32 tags may wait for one each.
  [[nodiscard]] Picoseconds longest_wait() const override { return Picoseconds(3600 * ps_per_second); }
  [[nodiscard]] std::string check_cleaning(CleaningArm where, const DriveGeometry&) const override {
    return media_cache::MediaCacheConfig::check_cleaning(name(), where);
  }
  [[nodiscard]] bool takes_policy() const override { return true; }
  [[nodiscard]] SpaceBounds bounds() const override { return {.exported = true}; }
};

}  // namespace

std::unique_ptr<LayerFactory> make_tessera_factory() { return std::make_unique<TesseraFactory>(); }

}  // namespace tessera
