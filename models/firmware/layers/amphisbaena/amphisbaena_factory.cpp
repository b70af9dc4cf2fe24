#include "firmware/layers/amphisbaena/amphisbaena_layer.hpp"
#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/zones/zone_plan.hpp"

namespace tessera {

namespace {

using amphisbaena::Amphisbaena;
using amphisbaena::AmphisbaenaConfig;
using amphisbaena::StaleRecords;

class AmphisbaenaFactory final : public ConfiguredFactory<Amphisbaena, AmphisbaenaConfig> {
 public:
  AmphisbaenaFactory()
      : ConfiguredFactory("amphisbaena",
                          "conventional buffer in two parts, for hot blocks and for chunks of cold ones (Amphisbaena, Zhang et al. 2024)") {
  }

  /// With 32 tags each behind the rewriting of a zone of 256 MiB, 6.7 s, requests of a recorded trace took 155 s.
  [[nodiscard]] Picoseconds longest_wait() const override { return Picoseconds(3600 * ps_per_second); }

  [[nodiscard]] bool knows_lost_records() const override { return false; }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    const std::uint32_t chunk = config_.chunk_sectors(geometry.sector_bytes);
    if (chunk == 0 || chunk > config_.zones.zone_sectors(geometry.sector_bytes)) {
      problem = "a chunk of " + std::to_string(config_.chunk.value()) + " bytes does not fit sectors of " +
                std::to_string(geometry.sector_bytes) + " bytes and zones of " + std::to_string(config_.zones.zone.value()) + " bytes";
      return {};
    }
    FormatPlan plan = plan_zones(config_.zones, geometry, problem, StaleRecords::slot_bytes);
    if (!problem.empty()) return {};
    const std::uint64_t slots = buffer_sectors(config_.zones, geometry, plan);
    if (slots / chunk >= least_chunks) return plan;
    problem = "a buffer of " + std::to_string(slots) + " sectors has no room for two parts of chunks of " + std::to_string(chunk) +
              " sectors; amphisbaena needs at least " + std::to_string(least_chunks * chunk);
    return {};
  }

 private:
  /// One for each part.
  static constexpr std::uint64_t least_chunks = 2;
};

}  // namespace

std::unique_ptr<LayerFactory> make_amphisbaena_factory() { return std::make_unique<AmphisbaenaFactory>(); }

}  // namespace tessera
