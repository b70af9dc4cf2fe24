// What @NAME@ asks of a drive.
#include "firmware/layers/@ID@/@ID@_layer.hpp"
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"

namespace tessera {

namespace {

class @CLASS@Factory final : public ConfiguredFactory<@CLASS@, @CLASS@Config> {
 public:
  @CLASS@Factory() : ConfiguredFactory("@NAME@", "@SUMMARY@") {}

  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return config_.plan(geometry, config_.paper, problem);
  }
};

}  // namespace

std::unique_ptr<LayerFactory> make_@ID@_factory() { return std::make_unique<@CLASS@Factory>(); }

}  // namespace tessera
