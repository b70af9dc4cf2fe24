#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/sblock/region_plan.hpp"
#include "firmware/layers/sblock/sblock_layer.hpp"

namespace tessera {

namespace {

class SblockFactory final : public ConfiguredFactory<sblock::Sblock, sblock::SblockConfig> {
 public:
  SblockFactory()
      : ConfiguredFactory(
            "sblock",
            "circular logs of S-blocks behind a write buffer and a flash read cache (Cassuto et al. 2010, as HWSR compares with it)") {}

  [[nodiscard]] bool has_write_buffer() const override { return true; }
  [[nodiscard]] bool needs_flash() const override {
    const BufferConfig caches = config_.cache_config();
    return caches.flash.value() != 0 || caches.needs_journal();
  }
  [[nodiscard]] bool promises_flushed_only() const override { return config_.caches.promised() == BufferDurability::volatile_memory; }

  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    problem = config_.cache_config().problem(geometry.sector_bytes, config_.sblock_blocks);
    if (!problem.empty()) return {};
    return plan_sblocks(config_.region_config(), geometry, config_.sblock_sectors(geometry.sector_bytes), problem);
  }
  [[nodiscard]] std::string check_flash(const FlashShape& shape) const override {
    return config_.cache_config().flash_problem(shape, shape.subpage_bytes(), config_.sblock_blocks);
  }
  [[nodiscard]] std::vector<std::string> warnings(const FlashShape& shape) const override { return config_.cache_config().warnings(shape); }
  [[nodiscard]] bool knows_lost_pages() const override { return config_.cache_config().knows_lost_pages(); }
  [[nodiscard]] bool knows_lost_records() const override { return false; }
};

}  // namespace

std::unique_ptr<LayerFactory> make_sblock_factory() { return std::make_unique<SblockFactory>(); }

}  // namespace tessera
