// Four layers that differ in their mapping alone.
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/static_mapping/static_mapping_layer.hpp"

namespace tessera {

namespace {

using namespace static_mapping;

class StaticMappingFactory final : public LayerFactory {
 public:
  StaticMappingFactory(Scheme scheme, const char* name, const char* order) : name_(name), order_(order) { config_.scheme = scheme; }

  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] std::string summary() const override {
    return std::string("shingled bands updated in place, ") + order_ + " (He and Du 2014)";
  }
  void describe(ParameterVisitor& visitor) override { config_.describe(visitor); }

  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return plan_static(config_, geometry, problem);
  }
  [[nodiscard]] std::unique_ptr<TranslationLayer> make(const Ports& ports, const DriveGeometry& geometry,
                                                       const FormatPlan& plan) const override {
    return std::make_unique<StaticMapping>(config_, ports, geometry, plan);
  }

 private:
  StaticMappingConfig config_;
  const char* name_;
  const char* order_;
};

}  // namespace

std::unique_ptr<LayerFactory> make_static_1234_factory() {
  return std::make_unique<StaticMappingFactory>(Scheme::s1234, "static-1234", "tracks in order");
}
std::unique_ptr<LayerFactory> make_static_r4123_factory() {
  return std::make_unique<StaticMappingFactory>(Scheme::r4123, "static-r4123", "all fourth tracks first, then all first, second, third");
}
std::unique_ptr<LayerFactory> make_static_124r3_factory() {
  return std::make_unique<StaticMappingFactory>(Scheme::s124r3, "static-124r3", "band by band without the third tracks, which come last");
}
std::unique_ptr<LayerFactory> make_static_14r23_factory() {
  return std::make_unique<StaticMappingFactory>(Scheme::s14r23, "static-14r23",
                                                "first and fourth tracks band by band, then all second, then all third");
}

}  // namespace tessera
