#include "firmware/layers/zoned/zoned_plan.hpp"

#include <algorithm>

#include "firmware/flash/band_layout.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera::zoned {

namespace {

/// Of so many zones in all.
std::uint64_t conventional_of(const ZonedConfig& config, std::uint64_t zones) {
  if (config.conventional <= 0) return 0;
  return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(config.conventional * static_cast<double>(zones)));
}

std::string problem_of(const ZonedConfig& config, const DriveGeometry& geometry) {
  const std::uint64_t sector = geometry.sector_bytes;
  if (config.zone.value() % sector != 0)
    return "a zone of " + std::to_string(config.zone.value()) + " bytes is no whole number of sectors of " + std::to_string(sector) +
           " bytes";
  if (config.write_cache.value() != 0 && config.write_cache.value() / sector < 2)
    return "write_cache of " + std::to_string(config.write_cache.value()) + " bytes holds less than two sectors of " +
           std::to_string(sector) + " bytes";
  if (config.max_active < config.max_open)
    return "max_active " + std::to_string(config.max_active) + " is less than max_open " + std::to_string(config.max_open) +
           ", and every open zone is active";
  return {};
}

}  // namespace

FormatPlan plan_zoned(const ZonedConfig& config, const DriveGeometry& geometry, std::string& problem) {
  problem = problem_of(config, geometry);
  if (!problem.empty()) return {};
  BandRequest request;
  request.band_sectors = config.zone_sectors(geometry.sector_bytes);
  request.head_width = config.head_width;
  request.log_radii = config.log_radii;
  std::uint64_t zones = config.zones;
  if (zones == 0) {
    const FormatPlan all = plan_bands(geometry, request, problem);
    if (!problem.empty()) return {};
    zones = bands_in(all, geometry);
  }
  const std::uint64_t conventional = conventional_of(config, zones);
  if (config.zones != 0) {
    if (conventional >= zones) {
      problem = "zones " + std::to_string(zones) + " leaves no sequential zone in addition to " + std::to_string(conventional) +
                " conventional ones";
      return {};
    }
    request.bands = zones - conventional;
  }
  // One radius more for what slipped defects take.
  const std::uint32_t radii = conventional == 0 ? 0 : outermost_radii_for(geometry, conventional * request.band_sectors) + 1;
  if (radii >= geometry.radii()) {
    problem = std::to_string(conventional) + " conventional zones of " + std::to_string(config.zone.value()) +
              " bytes leave no room for sequential ones";
    return {};
  }
  FormatPlan plan;
  if (radii != 0) plan.push_back({.name = "conventional", .first = 0, .count = radii});
  const FormatPlan bands = plan_bands(without_outermost(geometry, radii), request, problem);
  if (!problem.empty()) {
    problem += "; the conventional zones take " + std::to_string(radii) + " of " + std::to_string(geometry.radii()) + " tracks a surface";
    return {};
  }
  plan.insert(plan.end(), bands.begin(), bands.end());
  const std::uint64_t sequential = bands_in(plan, geometry);
  problem = log_problem(plan, geometry, {"the log of the zones", "zones", ZoneLedger::least_sectors(sequential, geometry.sector_bytes)});
  if (problem.empty() && std::uint64_t{config.read_only_zones} + config.offline_zones > sequential)
    problem = "read_only_zones and offline_zones are " + std::to_string(config.read_only_zones + config.offline_zones) +
              "; the drive has " + std::to_string(sequential) + " sequential zones";
  return problem.empty() ? plan : FormatPlan{};
}

std::uint32_t conventional_zones(const ZonedConfig& config, const DriveGeometry& geometry, const FormatPlan& plan) {
  if (config.zones != 0) return static_cast<std::uint32_t>(conventional_of(config, config.zones));
  return static_cast<std::uint32_t>(sectors_in(regions_named(plan, "conventional"), geometry) / config.zone_sectors(geometry.sector_bytes));
}

std::uint32_t sequential_zones(const ZonedConfig& config, std::uint32_t conventional, std::uint64_t bands) {
  const std::uint64_t wanted = config.zones != 0 ? config.zones - conventional : bands;
  return static_cast<std::uint32_t>(std::min(wanted, bands));
}

ZoneState state_of(const KeptZone& kept, std::uint32_t zone_sectors) {
  ZoneState state{.accepted = kept.written,
                  .written = kept.written,
                  .resets = kept.resets,
                  .doubt_first = kept.doubt_first,
                  .doubt_count = kept.doubt_count};
  Condition condition = Condition::empty;
  switch (static_cast<KeptAs>(kept.as)) {
    case KeptAs::empty: break;
    case KeptAs::active:
      condition = Condition::closed;
      state.logged = 1;
      break;
    case KeptAs::full:
      condition = Condition::full;
      state.accepted = zone_sectors;
      break;
    case KeptAs::read_only: condition = Condition::read_only; break;
    case KeptAs::offline: condition = Condition::offline; break;
  }
  state.condition = static_cast<std::uint32_t>(condition);
  return state;
}

}  // namespace tessera::zoned
