// What the interlaced layer asks of a drive.
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/imr_rmw/imr_rmw_layer.hpp"
#include "firmware/layers/layer_factories.hpp"

namespace tessera {

namespace {

class ImrRmwFactory final : public ConfiguredFactory<ImrReadModifyWrite, ImrRmwConfig> {
 public:
  ImrRmwFactory()
      : ConfiguredFactory("imr-rmw", "interlaced recording, read-modify-write of bottom tracks (Hajkazemi et al. 2019, section 2.1)") {}

  [[nodiscard]] bool keeps_early_sectors() const override { return true; }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return config_.plan(geometry, config_.paper, problem);
  }
};

}  // namespace

std::unique_ptr<LayerFactory> make_imr_rmw_factory() { return std::make_unique<ImrRmwFactory>(); }

}  // namespace tessera
