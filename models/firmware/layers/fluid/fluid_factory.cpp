#include "firmware/layers/configured_factory.hpp"
#include "firmware/layers/fluid/fluid_layer.hpp"
#include "firmware/layers/layer_factories.hpp"
#include "firmware/zones/zone_plan.hpp"

namespace tessera {

namespace {

using fluid::Fluid;
using fluid::FluidConfig;

/// Of fluid and of fluid-loop.
class FluidFactory final : public ConfiguredFactory<Fluid, FluidConfig> {
 public:
  using ConfiguredFactory::ConfiguredFactory;

  /// With 32 tags each behind the rewriting of a zone of 256 MiB, 6.7 s, requests took 222 s.
  [[nodiscard]] Picoseconds longest_wait() const override { return Picoseconds(3600 * ps_per_second); }

  [[nodiscard]] bool knows_lost_records() const override { return false; }
  [[nodiscard]] FormatPlan plan(const DriveGeometry& geometry, std::string& problem) const override {
    FormatPlan plan = plan_zones(config_.zones, geometry, problem);
    if (!problem.empty()) return {};
    const std::uint64_t slots = buffer_sectors(config_.zones, geometry, plan);
    if (slots > config_.reserve()) return plan;
    problem = "a buffer of " + std::to_string(slots) + " sectors has no room for a log; " + name() + " needs at least " +
              std::to_string(config_.reserve() + 1);
    return {};
  }
};

}  // namespace

std::unique_ptr<LayerFactory> make_fluid_factory() {
  return std::make_unique<FluidFactory>(
      "fluid", "conventional buffer as a circular log, first in first out (FluidSMR, Wu et al. 2021, as in Amphisbaena)");
}

std::unique_ptr<LayerFactory> make_fluid_loop_factory() {
  FluidConfig config;
  config.loop = true;
  return std::make_unique<FluidFactory>(
      "fluid-loop", "as fluid, but sectors of hot zones are queued again instead of being written back (Wu et al. 2021, as in Amphisbaena)",
      config);
}

}  // namespace tessera
