// Four layers that differ in their mapping alone.
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/static_mapping/static_mapping_layer.hpp"

namespace tessera {

namespace {

using namespace static_mapping;

/// Of the four allocation schemes.
class StaticMappingFactory final : public ConfiguredFactory<StaticMapping, StaticMappingConfig> {
 public:
  StaticMappingFactory(Scheme scheme, const std::string& name, const std::string& order)
      : ConfiguredFactory(name, "shingled bands updated in place, " + order + " (He and Du 2014)") {
    config_.scheme = scheme;
  }

  [[nodiscard]] bool keeps_early_sectors() const override { return true; }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return plan_static(config_, geometry, problem);
  }
};

}  // namespace

std::unique_ptr<LayerFactory> make_static_1234_factory() {
  return std::make_unique<StaticMappingFactory>(Scheme::s1234, "shingled-in-place-1234", "tracks in order");
}
std::unique_ptr<LayerFactory> make_static_r4123_factory() {
  return std::make_unique<StaticMappingFactory>(Scheme::r4123, "shingled-in-place-r4123",
                                                "all fourth tracks first, then all first, second, third");
}
std::unique_ptr<LayerFactory> make_static_124r3_factory() {
  return std::make_unique<StaticMappingFactory>(Scheme::s124r3, "shingled-in-place-124r3",
                                                "band by band without the third tracks, which come last");
}
std::unique_ptr<LayerFactory> make_static_14r23_factory() {
  return std::make_unique<StaticMappingFactory>(Scheme::s14r23, "shingled-in-place-14r23",
                                                "first and fourth tracks band by band, then all second, then all third");
}

}  // namespace tessera
