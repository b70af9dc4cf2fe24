// PORE in the list of layers, and what it asks of a drive.
#include <algorithm>

#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/pore/pore_layer.hpp"

namespace tessera {

namespace pore {

/// A quarter of the cache by default.
std::uint32_t PoreConfig::period_pages(const FlashShape& shape) const {
  if (period != 0) return period;
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, shape.all_subpages() / 4));
}

void PoreConfig::describe(ParameterVisitor& v) {
  cache.describe_cache(v);
  v.enumeration("mode", mode, {"ef-smr", "original"},
                "regions are bands, and an open one is evicted whole; or zones, whose least recently used pages are evicted in periods");
  v.unused_where(mode != Mode::ef_smr, "mode is not ef-smr", [&] {
    v.field("open_frac", open_frac, {0, 1}, "share of the bands that a cleaning opens (ef-smr)");
  });
  v.field("reserve_blocks", reserve_blocks, {1, 4096}, "free flash blocks that are kept for copies of pages of forbidden regions");
  v.field("copybacks", copybacks, {0, 255},
          "how often in a row a page may be copied inside its plane, past error correction, before a copy goes through the controller; 0: "
          "never");
  v.unused_where(mode != Mode::original, "mode is not original", [&] {
    v.field("zone_sectors", zone_sectors, {1, 1 << 24}, "sectors of a zone (original)");
    v.field("period", period, {0, 4e9}, "pages that a period evicts (original); 0: a quarter of the cache");
  });
}

}  // namespace pore

namespace {

using pore::Pore;
using pore::PoreConfig;

class PoreFactory final : public ConfiguredFactory<Pore, PoreConfig> {
 public:
  PoreFactory() : ConfiguredFactory("pore", "flash cache that evicts the data of an open part of the bands (PORE, as in MU-RMW)") {}

  [[nodiscard]] bool needs_flash() const override { return true; }
  /// A cleaning merges every open band, 0.45 s for each of hundreds: requests took 123 s.
  [[nodiscard]] Picoseconds longest_wait() const override { return Picoseconds(3600 * ps_per_second); }

  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    return config_.cache.plan(geometry, problem);
  }
  /// The reserve, and a block for the host's writes.
  [[nodiscard]] std::string check_flash(const FlashShape& shape) const override {
    if (config_.copybacks != 0 && !shape.copyback)
      return "copybacks of " + std::to_string(config_.copybacks) + " ask for flash that knows them: nand.copyback = true, or copybacks = 0";
    return config_.cache.check_flash("a cache with reserve_blocks " + std::to_string(config_.reserve_blocks), shape,
                                     std::uint64_t{config_.reserve_blocks} + 1);
  }
  [[nodiscard]] std::vector<std::string> warnings(const FlashShape& shape) const override {
    return paired_pages_warnings(shape, config_.cache.paired(), config_.cache.paper);
  }
  [[nodiscard]] bool knows_lost_pages() const override { return config_.cache.knows_lost_pages(); }
  [[nodiscard]] bool knows_lost_records() const override { return false; }
};

}  // namespace

std::unique_ptr<LayerFactory> make_pore_factory() { return std::make_unique<PoreFactory>(); }

}  // namespace tessera
