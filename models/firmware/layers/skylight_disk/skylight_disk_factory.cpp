// What the layer asks of a drive.
#include <algorithm>

#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/skylight_disk/skylight_disk_layer.hpp"
#include "firmware/zones/zone_plan.hpp"

namespace tessera {

namespace {

/// Buffer zones of the default, and the least size of one.
constexpr std::uint64_t default_buffer_zones = 8;
constexpr std::uint64_t least_buffer_zone_bytes = 1 << 20;

}  // namespace

std::uint64_t SkylightDiskConfig::buffer_zone_sectors(std::uint64_t buffer, std::uint32_t sector_bytes) const {
  if (buffer_zone.value() != 0) return buffer_zone.value() / sector_bytes;
  if (zones.paper) return zones.zone_sectors(sector_bytes);
  const std::uint64_t least = std::max<std::uint64_t>(1, least_buffer_zone_bytes / sector_bytes);
  return std::max(buffer / default_buffer_zones, std::min(least, buffer));
}

void SkylightDiskConfig::describe(ParameterVisitor& visitor) {
  zones.describe(visitor);
  // The paper's buffer zones of 256 MiB are larger than the whole buffer of five of its eight traces.
  visitor.field("buffer_zone", buffer_zone, {0, 1e15}, "size of a buffer zone; 0: an eighth of the buffer, at least 1 MiB (paper: a zone)");
  visitor.enumeration("hash", hash, {"multiplicative", "modulo"}, "which buffer zone a zone goes to");
}

namespace {

class SkylightDiskFactory final : public ConfiguredFactory<SkylightDisk, SkylightDiskConfig> {
 public:
  SkylightDiskFactory()
      : ConfiguredFactory(
            "skylight-disk",
            "conventional buffer in zones that shingled zones are hashed to (Skylight, Aghayev et al. 2015, as in Amphisbaena)") {}

  /// A cleaning rewrites every zone of a buffer zone, 6.7 s each: requests took 208 s.
  [[nodiscard]] Picoseconds longest_wait() const override { return Picoseconds(3600 * ps_per_second); }

  [[nodiscard]] bool knows_lost_records() const override { return false; }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    FormatPlan plan = plan_zones(config_.zones, geometry, problem);
    if (!problem.empty()) return {};
    const std::uint64_t buffer = buffer_sectors(config_.zones, geometry, plan);
    const std::uint64_t zone = config_.buffer_zone_sectors(buffer, geometry.sector_bytes);
    if (zone != 0 && zone <= buffer) return plan;
    problem = "buffer zones of " + std::to_string(zone) + " sectors do not fit a buffer of " + std::to_string(buffer) +
              " sectors (a buffer_zone from one sector to the whole buffer, or a larger buffer)";
    return {};
  }
};

}  // namespace

std::unique_ptr<LayerFactory> make_skylight_disk_factory() { return std::make_unique<SkylightDiskFactory>(); }

}  // namespace tessera
