// What selective track caching asks of a drive.
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/imr_cache/cache_plan.hpp"
#include "firmware/layers/layer_factories.hpp"

namespace tessera {

namespace cache {

void ImrCacheConfig::describe(ParameterVisitor& visitor) {
  moving.describe(visitor);
  visitor.field("cache_tracks", cache_tracks, {1, 1e6}, "k: tracks that the cache holds");
  visitor.enumeration("cache_location", place, {"od", "spread"}, "where the cache lies: at the outer diameter, or in groups over the disk");
  visitor.unused_where(place == CachePlace::od, "cache_location is od", [&] {
    visitor.field("cache_groups", cache_groups, {1, 256}, "groups of cache tracks where these are spread");
  });
  visitor.unused_where(paper, "paper is true", [&] {
    visitor.field("swap_hysteresis", swap_hysteresis, {0, 1e8}, "a swap needs more than this many writes between the two tracks");
    visitor.field("evict_clean_free", evict_clean_free, "a cached track that was not written since its promotion is not written back");
  });
  visitor.field("paper", paper,
                "as published: swaps whatever is among the hottest tracks, and always writes back; tracks begin at equal angles");
}

namespace {

class ImrCacheFactory final : public ConfiguredFactory<ImrCache, ImrCacheConfig> {
 public:
  ImrCacheFactory()
      : ConfiguredFactory("imr-cache",
                          "interlaced recording, hot bottom tracks cached on bottoms without tops (Hajkazemi et al. 2019, section 2.3)") {}

  [[nodiscard]] bool keeps_early_sectors() const override { return true; }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return plan_with_cache(config_, geometry, problem);
  }
};

}  // namespace
}  // namespace cache

std::unique_ptr<LayerFactory> make_imr_cache_factory() { return std::make_unique<cache::ImrCacheFactory>(); }

}  // namespace tessera
