// What track flipping asks of a drive.
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/imr_flip/imr_flip_layer.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera {

namespace flip {

void ImrFlipConfig::describe(ParameterVisitor& visitor) {
  moving.describe(visitor);
  visitor.field("flip_threshold", limits.threshold, {0, 1e8}, "a flip needs more than this many writes between the two tracks");
  visitor.field("max_flips", limits.most, {1, 1e6}, "flips planned at the end of an interval");
  visitor.field("paper", paper,
                "as published: a flip saves T-1 and T only, and a power cut in it may lose sectors of T+1; tracks begin at equal angles");
  visitor.unused_where(paper, "paper is true",
                       [&] { visitor.field("crash_safe", crash_safe, "a flip saves all three tracks that it writes; off: as `paper`"); });
}

FormatPlan ImrFlipConfig::plan(const DriveGeometry& geometry, std::string& problem) const {
  const std::uint64_t map_bytes = 8 * FlipMap::words_for((geometry.radii() / 2 + 2) * std::uint64_t{geometry.surfaces});
  const FormatPlan reserved = moving.reserved(geometry, 3 * longest_track(geometry), map_bytes);
  FormatPlan plan = plan_around(geometry.radii(), moving.interlaced.data(paper), reserved, moving.interlaced.backup_place);
  if (plan.empty()) problem = "the drive has too few tracks for data beside the backup regions and the log of the track map";
  return plan;
}

namespace {

class ImrFlipFactory final : public ConfiguredFactory<ImrFlip, ImrFlipConfig> {
 public:
  ImrFlipFactory()
      : ConfiguredFactory(
            "imr-flip", "interlaced recording, hot bottom tracks flipped with cold tops beside them (Hajkazemi et al. 2019, section 2.2)") {
  }

  [[nodiscard]] bool keeps_early_sectors() const override { return true; }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return config_.plan(geometry, problem);
  }
};

}  // namespace
}  // namespace flip

std::unique_ptr<LayerFactory> make_imr_flip_factory() { return std::make_unique<flip::ImrFlipFactory>(); }

}  // namespace tessera
