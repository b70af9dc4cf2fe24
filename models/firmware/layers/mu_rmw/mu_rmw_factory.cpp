// MU-RMW in the list of layers, and what it reports.
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/layer_statistics.hpp"
#include "firmware/layers/mu_rmw/mu_rmw_layer.hpp"
#include "firmware/layers/mu_rmw/mu_rmw_requirements.hpp"

namespace tessera {

namespace {

using mu_rmw::MuRmw;
using mu_rmw::MuRmwConfig;

class MuRmwFactory final : public ConfiguredFactory<MuRmw, MuRmwConfig> {
 public:
  MuRmwFactory()
      : ConfiguredFactory("mu-rmw", "concentrated address mapping and lazy reclamation of a flash cache over shingled bands (Ma et al.)") {}

  [[nodiscard]] bool needs_flash() const override { return true; }
  /// Where every write opens another band, each merges one for 0.45 s, and a write whose band is merged again and again waits for many of
  /// them: 134 s behind 31 others.
  [[nodiscard]] Picoseconds longest_wait() const override { return Picoseconds(3600 * ps_per_second); }

  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return mu_rmw::plan_drive(config_, geometry, problem);
  }
  [[nodiscard]] std::string check_flash(const FlashShape& shape) const override { return mu_rmw::check_flash(config_, shape); }
  [[nodiscard]] std::string check_cleaning(CleaningArm, const DriveGeometry& geometry) const override {
    if (config_.in_place()) return "mu-rmw merges bands in place, so none has a spare one: leave paper at false and crash_safe at true";
    if (config_.spare_bands >= geometry.arms.size()) return {};
    return "mu-rmw merges each band to a spare one of its arm: set layers.mu_rmw.spare_bands to " + std::to_string(geometry.arms.size()) +
           " or more";
  }
  [[nodiscard]] std::vector<std::string> warnings(const FlashShape& shape) const override {
    return paired_pages_warnings(shape, config_.paired(), config_.paper);
  }
  [[nodiscard]] bool takes_policy() const override { return true; }
  [[nodiscard]] bool knows_lost_pages() const override { return config_.knows_lost_pages(); }
  [[nodiscard]] bool knows_lost_records() const override { return false; }
};

}  // namespace

std::unique_ptr<LayerFactory> make_mu_rmw_factory() { return std::make_unique<MuRmwFactory>(); }

namespace mu_rmw {

void MuRmw::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* what) {
    metrics.count(name, static_cast<double>(value), unit, what);
  };
  statistics_.cache.report(metrics);
  count("reclaim.obsolete_blocks", statistics_.obsolete_reclaims, "1", "blocks reclaimed without a read-modify-write");
  metrics.add("victim.blocks_mean", statistics_.victim_blocks.mean(), "1", "flash blocks of a merged band");
  count("nand.page_copies", 0, "1", "pages copied from flash to flash");
  count("mapping.subtable_reads", statistics_.subtable_reads, "1", "out-of-band reads of sub-tables on the way of writes");
  reader_.report(metrics);
  if (shape_.subpages > 1) pages_.report(metrics);
  metrics.add("flash.retired_blocks", static_cast<double>(pool_.retired_count()), "1",
              "blocks that are not used, from the factory or since");
  count("log.sectors", places_.sectors_written(), "sectors", "sectors of the merge log and its checkpoints");
  if (checkpoint_) count("checkpoint.sectors", checkpoint_->sectors_written(), "sectors", "sectors of checkpoints of flash pages' tags");
  Bytes taken = map_.bytes() + places_.bytes() + pool_.bytes() + Bytes(epochs_.size() * 4);
  if (checkpoint_) taken += checkpoint_->bytes();
  report_mapping_memory(metrics, ConcentratedMap::paper_bytes(bands_, split_.n(), shape_.blocks), taken);
}

BandLevels MuRmw::band_levels() const {
  BandLevels levels(bands_);
  for (std::uint32_t band = 0; band < bands_; ++band) levels[band] = {split_.p(), places_.peek_held(band), map_.valid_of_band(band)};
  return levels;
}

}  // namespace mu_rmw

}  // namespace tessera
