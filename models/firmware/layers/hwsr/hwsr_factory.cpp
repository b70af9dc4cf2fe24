// What the layer asks of a drive.
#include <utility>

#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/hwsr/hwsr_layer.hpp"
#include "firmware/layers/layer_factories.hpp"

namespace tessera {

namespace {

class HwsrFactory final : public ConfiguredFactory<hwsr::Hwsr, hwsr::HwsrConfig> {
 public:
  HwsrFactory()
      : ConfiguredFactory("hwsr", "wave-like shingled regions in segments, a write buffer and a flash read cache (Wan et al. 2012)") {}

  [[nodiscard]] bool has_write_buffer() const override { return true; }
  [[nodiscard]] bool needs_flash() const override { return config_.caches.flash.value() != 0 || config_.caches.needs_journal(); }
  [[nodiscard]] bool promises_flushed_only() const override { return config_.caches.promised() == BufferDurability::volatile_memory; }

  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    problem = config_.caches.problem(geometry.sector_bytes, config_.region_tracks);
    if (!problem.empty()) return {};
    return plan_wave(geometry, config_.shape(geometry.sector_bytes), problem);
  }
  [[nodiscard]] std::string check_flash(const FlashShape& shape) const override {
    return config_.caches.flash_problem(shape, shape.subpage_bytes(), config_.region_tracks);
  }
  [[nodiscard]] std::vector<std::string> warnings(const FlashShape& shape) const override { return config_.caches.warnings(shape); }
  [[nodiscard]] bool knows_lost_pages() const override { return config_.caches.knows_lost_pages(); }
  [[nodiscard]] bool knows_lost_records() const override { return false; }
};

}  // namespace

std::unique_ptr<LayerFactory> make_hwsr_factory() { return std::make_unique<HwsrFactory>(); }

}  // namespace tessera
