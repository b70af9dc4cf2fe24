// What the layer asks of a drive.
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/zoned/zoned_layer.hpp"
#include "firmware/layers/zoned/zoned_plan.hpp"

namespace tessera {

namespace {

class ZonedFactory final : public ConfiguredFactory<zoned::Zoned, zoned::ZonedConfig> {
 public:
  ZonedFactory() : ConfiguredFactory("zoned", "host-managed zones on shingled bands (ZBC/ZAC): the host writes at write pointers") {}

  [[nodiscard]] Bytes zone_size() const override { return config_.zone; }
  [[nodiscard]] bool has_buffer() const override { return config_.write_cache.value() != 0; }
  [[nodiscard]] bool promises_flushed_only() const override { return has_buffer(); }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return plan_zoned(config_, geometry, problem);
  }
};

}  // namespace

std::unique_ptr<LayerFactory> make_zoned_factory() { return std::make_unique<ZonedFactory>(); }

}  // namespace tessera
