// What the interlaced layer asks of a drive.
#include "firmware/layers/imr_rmw.hpp"

#include <algorithm>

namespace tessera {

void ImrRmwConfig::describe(ParameterVisitor& visitor) {
  visitor.field("top_ratio", top_ratio, {0.1, 1.0}, "sectors of a top track over sectors of a bottom track");
  visitor.field("layout_n", layout_n, {1, 65536}, "logical sectors run over this many bottoms and then over their tops");
  visitor.enumeration("order", order, {"zig_zag", "serpentine"}, "whether the tops of a group are numbered forwards or backwards");
  visitor.enumeration("backup_place", backup_place, {"inner", "middle", "outer"}, "where the backup region lies");
  visitor.field("journal_tracks", journal_tracks, {0, 4096}, "radii set apart for the journal of a write cache");
  visitor.field("skip_unwritten", skip_unwritten, "keeps one bit a track: a top that was never written is neither saved nor restored");
  visitor.field("ack_early", ack_early, "acknowledges when the bottom is written, before the tops are restored");
}

namespace {

class ImrRmwFactory final : public LayerFactory {
 public:
  [[nodiscard]] std::string name() const override { return "imr-rmw"; }
  [[nodiscard]] std::string summary() const override {
    return "interlaced recording, read-modify-write of bottom tracks (Hajkazemi et al. 2019, section 2.1)";
  }
  void describe(ParameterVisitor& visitor) override { config_.describe(visitor); }

  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    std::uint32_t longest = 0;
    for (const GeometryZone& zone : geometry.zones) longest = std::max(longest, zone.sectors_per_track);
    // Angular isolation holds only between tracks without skew.
    const Region data{.name = "data", .format = RecordingFormat::interlaced, .top_ratio = config_.top_ratio, .skewed = false};
    FormatPlan reserved{
        {.name = "backup", .count = BackupRegion::radii_needed(geometry, backup_radius(geometry), 2 * longest), .skewed = false}};
    if (config_.journal_tracks != 0) reserved.push_back({.name = "journal", .count = config_.journal_tracks});
    FormatPlan plan = plan_around(geometry.radii(), data, reserved, config_.backup_place);
    if (plan.empty()) problem = "the drive has too few tracks for data beside the backup region";
    return plan;
  }

  [[nodiscard]] std::unique_ptr<TranslationLayer> make(const Ports& ports, const DriveGeometry& geometry,
                                                       const FormatPlan& plan) const override {
    return std::make_unique<ImrReadModifyWrite>(config_, ports, geometry, plan);
  }

 private:
  [[nodiscard]] std::uint32_t backup_radius(const DriveGeometry& geometry) const {
    const std::uint32_t innermost = geometry.radii() - 1;
    return config_.backup_place == ReservedPlace::inner ? innermost : config_.backup_place == ReservedPlace::outer ? 0 : innermost / 2;
  }

  ImrRmwConfig config_;
};

}  // namespace

std::unique_ptr<LayerFactory> make_imr_rmw_factory() { return std::make_unique<ImrRmwFactory>(); }

}  // namespace tessera
