// What the layer asks of a drive.
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/skylight_flash/skylight_flash_layer.hpp"

#include <algorithm>

namespace tessera {

/// As many zones of the size of a band as the flash has room for, as in Skylight's emulator.
std::uint32_t SkylightFlashConfig::zones(const FlashShape& shape) const {
  if (cache_zones != 0) return cache_zones;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(shape.all_subpages() / cache.band_sectors, 1, shape.blocks));
}

void SkylightFlashConfig::describe(ParameterVisitor& v) {
  cache.describe_cache(v);
  v.field("cache_zones", cache_zones, {0, 1e6}, "zones of the flash cache; 0: as many of the size of a band as fit");
  v.enumeration("cleaning", cleaning, {"lazy", "aggressive"}, "clean a zone when it is full, or also band by band while the host is idle");
  v.unused_where(cleaning == FlashCleaning::lazy, "cleaning is lazy", [&] {
    v.field("idle_after", idle_after, {0, 1e18}, "time without host commands after which aggressive cleaning begins");
  });
}

namespace {

class SkylightFlashFactory final : public ConfiguredFactory<SkylightFlash, SkylightFlashConfig> {
 public:
  SkylightFlashFactory()
      : ConfiguredFactory("skylight-flash",
                          "flash cache in zones with bands statically mapped to them (Skylight, Aghayev et al. 2015, as in MU-RMW)") {}

  [[nodiscard]] bool needs_flash() const override { return true; }
  /// A cleaning empties a cache zone, with a merge of 0.45 s for each of hundreds of bands: requests took 114 s.
  [[nodiscard]] Picoseconds longest_wait() const override { return Picoseconds(3600 * ps_per_second); }

  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return config_.cache.plan(geometry, problem);
  }
  /// A zone needs a block, and each of the blocks that are filled side by side.
  [[nodiscard]] std::string check_flash(const FlashShape& shape) const override {
    std::string problem = config_.cache.check_flash(name(), shape, 1);
    if (!problem.empty()) return problem;
    const std::uint64_t zones = config_.zones(shape);
    if (zones <= shape.blocks) return {};
    return std::to_string(zones) + " cache_zones need a flash block each; there are " + std::to_string(shape.blocks) +
           " (fewer cache_zones, or more nand.blocks)";
  }
  [[nodiscard]] std::vector<std::string> warnings(const FlashShape& shape) const override {
    return paired_pages_warnings(shape, config_.cache.paired(), config_.cache.paper);
  }
  [[nodiscard]] bool knows_lost_pages() const override { return config_.cache.knows_lost_pages(); }
  [[nodiscard]] bool knows_lost_records() const override { return false; }
};

}  // namespace

std::unique_ptr<LayerFactory> make_skylight_flash_factory() { return std::make_unique<SkylightFlashFactory>(); }

}  // namespace tessera
