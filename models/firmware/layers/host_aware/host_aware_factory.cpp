// What the layer asks of a drive.
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/host_aware/host_aware_layer.hpp"
#include "firmware/layers/host_aware/host_aware_plan.hpp"
#include "firmware/layers/layer_factories.hpp"

namespace tessera {

namespace {

class HostAwareFactory final : public ConfiguredFactory<host_aware::HostAware, host_aware::HostAwareConfig> {
 public:
  HostAwareFactory()
      : ConfiguredFactory("host-aware", "host-aware zones over a media cache (ZBC/ZAC): writes at a pointer go home, others to the cache") {
  }

  [[nodiscard]] Bytes zone_size() const override { return config_.zone; }
  [[nodiscard]] bool takes_writes_anywhere() const override { return true; }
  /// As media-cache.
  [[nodiscard]] Picoseconds longest_wait() const override { return Picoseconds(3600 * ps_per_second); }
  [[nodiscard]] bool takes_policy() const override { return true; }
  [[nodiscard]] SpaceBounds bounds() const override { return {.exported = true}; }
  [[nodiscard]] std::string check_cleaning(CleaningArm where, const DriveGeometry&) const override {
    return config_.cache.check_cleaning(name(), where);
  }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return host_aware::plan_host_aware(config_, geometry, problem);
  }
};

}  // namespace

std::unique_ptr<LayerFactory> make_host_aware_factory() { return std::make_unique<HostAwareFactory>(); }

}  // namespace tessera
