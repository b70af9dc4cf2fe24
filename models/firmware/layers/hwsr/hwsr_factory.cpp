// What the layer asks of a drive.
#include <utility>

#include "firmware/layers/hwsr/hwsr_layer.hpp"
#include "firmware/layers/layer_factories.hpp"

namespace tessera {

namespace {

class HwsrFactory final : public LayerFactory {
 public:
  [[nodiscard]] std::string name() const override { return "hwsr"; }
  [[nodiscard]] std::string summary() const override {
    return "wave-like shingled regions in segments, a write buffer and a flash read cache (Wan et al. 2012)";
  }
  [[nodiscard]] bool needs_flash() const override { return config_.caches.flash.value() != 0 || config_.caches.needs_journal(); }
  [[nodiscard]] bool promises_flushed_only() const override { return config_.caches.promised() == BufferDurability::volatile_memory; }
  void describe(ParameterVisitor& visitor) override { config_.describe(visitor); }

  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    problem = config_.caches.problem(geometry.sector_bytes, config_.region_tracks);
    if (!problem.empty()) return {};
    return plan_wave(geometry, config_.shape(geometry.sector_bytes), problem);
  }
  [[nodiscard]] std::string check_flash(const FlashShape& shape) const override {
    return config_.caches.flash_problem(shape, shape.subpage_bytes(), config_.region_tracks);
  }
  [[nodiscard]] std::vector<std::string> warnings(const FlashShape& shape) const override { return config_.caches.warnings(shape); }

  [[nodiscard]] std::unique_ptr<TranslationLayer> make(const Ports& ports, const DriveGeometry& geometry,
                                                       const FormatPlan& plan) const override {
    WaveLayout layout(geometry, plan, config_.shape(geometry.sector_bytes), ports.media);
    return std::make_unique<hwsr::Hwsr>(ports, config_, std::move(layout));
  }

 private:
  hwsr::HwsrConfig config_;
};

}  // namespace

std::unique_ptr<LayerFactory> make_hwsr_factory() { return std::make_unique<HwsrFactory>(); }

}  // namespace tessera
