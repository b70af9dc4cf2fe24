#include "firmware/zones/zone_plan.hpp"

#include "firmware/flash/band_layout.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "firmware/zones/zone_map.hpp"

namespace tessera {

namespace {

std::uint64_t user_zones(const ZoneConfig& config, const DriveGeometry& geometry, const FormatPlan& plan) {
  return config.zones != 0 ? config.zones : bands_in(plan, geometry) - config.spares();
}

}  // namespace

std::uint64_t buffer_sectors(const ZoneConfig& config, const DriveGeometry& geometry, const FormatPlan& plan) {
  if (config.buffer.value() != 0) return config.buffer.value() / geometry.sector_bytes;
  return std::max<std::uint64_t>(1, user_zones(config, geometry, plan) * config.zone_sectors(geometry.sector_bytes) / 100);
}

FormatPlan plan_zones(const ZoneConfig& config, const DriveGeometry& geometry, std::string& problem, std::uint64_t slot_notes) {
  BandRequest request;
  request.band_sectors = config.zone_sectors(geometry.sector_bytes);
  request.head_width = config.head_width;
  request.bands = config.zones;
  request.spares = config.spares();
  request.log_radii = config.in_place() ? 0 : config.log_radii;
  const std::uint64_t most_sectors = config.zones != 0 ? config.zones * request.band_sectors : geometry.physical_sectors();
  request.map_radii = radii_for(geometry, config.map.stored_sectors(most_sectors, geometry.sector_bytes));
  if (request.band_sectors == 0) {
    problem = "a zone of " + std::to_string(config.zone.value()) + " bytes is smaller than a sector of the drive";
    return {};
  }
  problem = config.map.problem(geometry.sector_bytes);
  if (!problem.empty()) return {};
  if (config.in_place() && config.round_sectors(geometry.sector_bytes) < request.band_sectors) {
    problem = "merge_buffer is smaller than a zone: rewriting zones in place needs one of " +
              std::to_string(std::uint64_t{request.band_sectors} * geometry.sector_bytes) + " bytes (or crash_safe)";
    return {};
  }
  // As many zones as would fit without a buffer decide how large 1 % is; they may be a little fewer then.
  const FormatPlan unbuffered = plan_bands(geometry, request, problem);
  if (!problem.empty()) return {};
  const std::uint64_t buffered = buffer_sectors(config, geometry, unbuffered);
  const std::uint32_t radii = outermost_radii_for(geometry, buffered);
  if (radii >= geometry.radii() || buffered > ~std::uint32_t{0} - 1) {
    problem = "a buffer of " + std::to_string(config.buffer.value()) + " bytes leaves no room for zones on a drive of " +
              std::to_string(geometry.physical_sectors() * geometry.sector_bytes) + " bytes";
    return {};
  }

  const FormatPlan zoned = plan_bands(without_outermost(geometry, radii), request, problem);
  if (!problem.empty()) {
    problem += "; the buffer takes " + std::to_string(radii) + " of " + std::to_string(geometry.radii()) + " tracks a surface";
    return {};
  }
  FormatPlan plan{{.name = "buffer", .first = 0, .count = radii}};
  plan.insert(plan.end(), zoned.begin(), zoned.end());
  if (config.in_place()) return plan;

  const std::uint64_t noted = slot_notes * buffered;
  const std::uint64_t least = ZoneMap::least_log_sectors(bands_in(plan, geometry), noted, geometry.sector_bytes);
  problem = log_problem(plan, geometry, {"the log of the zones", "zones", least});
  if (problem.empty()) return plan;
  if (noted != 0) problem += " with a buffer of " + std::to_string(buffered) + " sectors";
  return {};
}

}  // namespace tessera
