#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/media_cache/media_cache_layer.hpp"
#include "firmware/layers/media_cache/media_cache_plan.hpp"

namespace tessera {

namespace {

class MediaCacheFactory final : public ConfiguredFactory<media_cache::MediaCache, media_cache::MediaCacheConfig> {
 public:
  MediaCacheFactory()
      : ConfiguredFactory(
            "media-cache",
            "circular log of packets in front of static shingled bands: a drive as sold (after Aghayev et al. 2015, Shafaei et al. 2017)") {
  }

  /// A cleaning collects hundreds of scattered packets a band: with 32 tags behind it requests took minutes.
  [[nodiscard]] Picoseconds longest_wait() const override { return Picoseconds(3600 * ps_per_second); }

  [[nodiscard]] bool takes_policy() const override { return true; }
  [[nodiscard]] SpaceBounds bounds() const override { return {.exported = true}; }
  [[nodiscard]] std::string check_cleaning(CleaningArm where, const DriveGeometry&) const override {
    return config_.check_cleaning(name(), where);
  }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return media_cache::plan_media_cache(config_, geometry, problem);
  }
};

}  // namespace

std::unique_ptr<LayerFactory> make_media_cache_factory() { return std::make_unique<MediaCacheFactory>(); }

}  // namespace tessera
