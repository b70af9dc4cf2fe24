// What Virtual Guard asks of a drive.
#include <algorithm>

#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/vguard/vguard_layer.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera {

void VguardConfig::describe(ParameterVisitor& visitor) {
  visitor.field("band_tracks", band_tracks, {1, 4096}, "tracks of a band");
  visitor.field("cache_tracks", cache_tracks, {0, 1 << 20}, "tracks of the cache on each surface; 0: 1 % of the drive");
}

std::uint64_t VguardConfig::cache_radii(const DriveGeometry& geometry) const {
  return cache_tracks != 0 ? cache_tracks : std::max<std::uint64_t>(3, geometry.radii() / 100);
}

namespace {

class VguardFactory final : public ConfiguredFactory<Vguard, VguardConfig> {
 public:
  VguardFactory()
      : ConfiguredFactory("vguard",
                          "shingled bands written in place, the next track moved to a cache (Virtual Guard, Shafaei and Desnoyers 2017)") {}

  /// With 32 tags whose every write moves the tracks behind it, requests took 72 s; there may be 256 tags.
  [[nodiscard]] Picoseconds longest_wait() const override { return Picoseconds(3600 * ps_per_second); }

  [[nodiscard]] bool keeps_early_sectors() const override { return true; }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    const std::uint64_t cache = config_.cache_radii(geometry);
    const FormatPlan bands = plan_band_tracks(geometry, cache, config_.band_tracks, head_width, TrackStarts::skewed);
    const FormatPlan slots{{.name = "cache", .count = std::min<std::uint64_t>(cache, geometry.radii())}};
    const std::uint64_t least_sectors = 2 * (std::uint64_t{longest_track(geometry)} + VguardConfig::records);
    if (cache < least_cache) {
      problem = "a cache of " + std::to_string(cache) + " tracks is too small: a track to fill, one for cleaning and their records take " +
                std::to_string(least_cache);
    } else if (sectors_in(slots, geometry) < least_sectors) {
      problem = "a cache of " + std::to_string(sectors_in(slots, geometry)) +
                " sectors is too small: a track to fill, one for cleaning and their records take " + std::to_string(least_sectors);
    } else if (bands.empty()) {
      problem = "the drive has " + std::to_string(geometry.radii()) + " tracks a surface: behind a cache of " + std::to_string(cache) +
                " no zone has room for a band of " + std::to_string(config_.band_tracks) + " and its guard";
    }
    if (!problem.empty()) return {};
    FormatPlan plan{{.name = "cache", .count = cache}};
    plan.insert(plan.end(), bands.begin(), bands.end());
    return plan;
  }

 private:
  static constexpr std::uint32_t head_width = 2;  // one track is at risk, the next
  static constexpr std::uint64_t least_cache = 3;
};

}  // namespace

std::unique_ptr<LayerFactory> make_vguard_factory() { return std::make_unique<VguardFactory>(); }

}  // namespace tessera
