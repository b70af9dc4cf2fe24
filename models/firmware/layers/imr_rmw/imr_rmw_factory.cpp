// What the interlaced layer asks of a drive.
#include "firmware/layers/imr_rmw/imr_rmw_layer.hpp"
#include "firmware/layers/layer_factories.hpp"

namespace tessera {

namespace {

class ImrRmwFactory final : public LayerFactory {
 public:
  [[nodiscard]] std::string name() const override { return "imr-rmw"; }
  [[nodiscard]] std::string summary() const override {
    return "interlaced recording, read-modify-write of bottom tracks (Hajkazemi et al. 2019, section 2.1)";
  }
  void describe(ParameterVisitor& visitor) override { config_.describe(visitor); }

  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    FormatPlan plan = plan_around(geometry.radii(), config_.data(), config_.reserved(geometry, {}), config_.backup_place);
    if (plan.empty()) problem = "the drive has too few tracks for data beside the backup region";
    return plan;
  }

  [[nodiscard]] std::unique_ptr<TranslationLayer> make(const Ports& ports, const DriveGeometry& geometry,
                                                       const FormatPlan& plan) const override {
    return std::make_unique<ImrReadModifyWrite>(config_, ports, geometry, plan);
  }

 private:
  InterlacedConfig config_;
};

}  // namespace

std::unique_ptr<LayerFactory> make_imr_rmw_factory() { return std::make_unique<ImrRmwFactory>(); }

}  // namespace tessera
