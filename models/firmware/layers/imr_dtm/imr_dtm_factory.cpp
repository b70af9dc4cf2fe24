// What dynamic track mapping asks of a drive.
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/imr_dtm/imr_dtm_layer.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera {

namespace dtm {

void ImrDtmConfig::describe(ParameterVisitor& visitor) {
  moving.describe(visitor);
  visitor.field("zone_tracks", zone_tracks, {4, PseudoTracks::most}, "pseudo-tracks of a zone at most");
  visitor.field("swap_threshold", limits.threshold, {0, 1e8}, "a swap needs more than this many writes between the two pseudo-tracks");
  visitor.field("max_flips", limits.most, {1, 1e6}, "swaps planned at the end of an interval");
  visitor.field("paper", paper,
                "as published: tracks are equal whatever top_ratio says, so that a pseudo-track is a track, and begin at equal angles");
}

FormatPlan ImrDtmConfig::plan(const DriveGeometry& geometry, std::string& problem) const {
  InterlacedConfig interlaced = moving.interlaced;
  if (paper) interlaced.top_ratio = 1.0;
  // A byte for each pseudo-track; a pair of tracks has at most 1 + 1 / top_ratio of them, and one is left over at most.
  const auto map_bytes = static_cast<std::uint64_t>(static_cast<double>(geometry.tracks()) / interlaced.top_ratio) + geometry.surfaces;
  const FormatPlan reserved = moving.reserved(geometry, 4 * longest_track(geometry), map_bytes);
  FormatPlan plan = plan_around(geometry.radii(), interlaced.data(paper), reserved, interlaced.backup_place);
  if (plan.empty()) problem = "the drive has too few tracks for data beside the backup regions and the log of the track map";
  return plan;
}

namespace {

class ImrDtmFactory final : public ConfiguredFactory<ImrDtm, ImrDtmConfig> {
 public:
  ImrDtmFactory()
      : ConfiguredFactory("imr-dtm",
                          "interlaced recording, hot and cold tracks permuted inside zones (Hajkazemi et al. 2019, section 2.4)") {}

  [[nodiscard]] bool keeps_early_sectors() const override { return true; }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return config_.plan(geometry, problem);
  }
};

}  // namespace
}  // namespace dtm

std::unique_ptr<LayerFactory> make_imr_dtm_factory() { return std::make_unique<dtm::ImrDtmFactory>(); }

}  // namespace tessera
