#include "firmware/layers/cmr/cmr_layer.hpp"
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"

namespace tessera {

void CmrConfig::describe(ParameterVisitor& visitor) {
  visitor.field("journal_tracks", journal_tracks, {0, 4096}, "radii set apart for the journal of a write cache");
  const UnusedWhere without_journal(visitor, journal_tracks == 0, "journal_tracks is 0");
  visitor.enumeration("journal_place", journal_place, {"inner", "middle", "outer"}, "where the journal lies");
}

namespace {

class CmrFactory final : public ConfiguredFactory<Cmr, CmrConfig, Tracks::apart> {
 public:
  CmrFactory() : ConfiguredFactory("cmr", "conventional recording, identity mapping: the yardstick") {}

  [[nodiscard]] SpaceBounds bounds() const override { return {.reserved = true, .exported = true, .by_arm = true}; }
  [[nodiscard]] bool keeps_early_sectors() const override { return true; }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    const Region data{.name = "data"};
    FormatPlan reserved;
    if (config_.journal_tracks != 0) reserved.push_back({.name = "journal", .count = config_.journal_tracks});
    FormatPlan plan = plan_around(geometry.radii(), data, reserved, config_.journal_place);
    if (plan.empty()) problem = "journal_tracks leaves no track for data";
    return plan;
  }
};

}  // namespace

std::unique_ptr<LayerFactory> make_cmr_factory() { return std::make_unique<CmrFactory>(); }

}  // namespace tessera
