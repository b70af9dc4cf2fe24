#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/tessera/tiers_layer.hpp"

namespace tessera {

namespace {

class TesseraFactory final : public ConfiguredFactory<tiers::Tiers, tiers::TiersConfig> {
 public:
  TesseraFactory() : ConfiguredFactory("tessera", "write buffer in dumped DRAM, flash, log of packets, shingled bands: our own") {}

  [[nodiscard]] bool needs_flash() const override { return config_.uses_flash(); }
  /// A cleaning of the log collects what lies scattered over it, and 32 tags may wait for one each.
  [[nodiscard]] Picoseconds longest_wait() const override { return Picoseconds(3600 * ps_per_second); }

  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return config_.plan(geometry, problem);
  }
  [[nodiscard]] std::string check_flash(const FlashShape& shape) const override {
    if (!config_.uses_flash()) return {};
    if (OobCodec::header_size > shape.subpage_oob_bytes())
      return "the tag of a page takes " + std::to_string(OobCodec::header_size) + " bytes of the out-of-band area; " +
             out_of_band_room(shape);
    if (shape.all_subpages() >= OobCodec::no_page - 1)
      return "page numbers of 4 bytes cannot name " + std::to_string(shape.all_subpages()) + " sectors in flash";
    if (shape.blocks >= tiers::FlashTier::least_blocks) return {};
    return "the flash tier needs at least " + std::to_string(tiers::FlashTier::least_blocks) + " flash blocks; there are " +
           std::to_string(shape.blocks);
  }
  [[nodiscard]] std::vector<std::string> warnings(const FlashShape& shape) const override {
    return config_.uses_flash() ? paired_pages_warnings(shape, config_.paired_pages, false) : std::vector<std::string>{};
  }
  [[nodiscard]] bool knows_lost_pages() const override { return config_.dump_tags || !config_.uses_flash(); }
};

}  // namespace

std::unique_ptr<LayerFactory> make_tessera_factory() { return std::make_unique<TesseraFactory>(); }

}  // namespace tessera
