#include "firmware/layers/host_aware/host_aware_plan.hpp"

#include <algorithm>

#include "firmware/layers/media_cache/media_cache_plan.hpp"
#include "firmware/layers/zoned/zone_ledger.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera::host_aware {

namespace {

std::string problem_of(const HostAwareConfig& config, const DriveGeometry& geometry) {
  const std::uint64_t sector = geometry.sector_bytes;
  const std::string zone = "a zone of " + std::to_string(config.zone.value()) + " bytes is ";
  if (config.zone.value() % sector != 0) return zone + "no whole number of sectors of " + std::to_string(sector) + " bytes";
  const std::uint64_t band = std::uint64_t{config.cache.band_tracks} * longest_track(geometry);
  if (config.zone.value() / sector < band)
    return zone + "smaller than a band of " + std::to_string(config.cache.band_tracks) + " tracks, up to " + std::to_string(band * sector) +
           " bytes: choose larger zones or a smaller band_tracks";
  if (config.zones != 0 && config.conventional_zones >= config.zones)
    return "zones " + std::to_string(config.zones) + " leaves no zone to write in order in addition to " +
           std::to_string(config.conventional_zones) + " conventional ones";
  return {};
}

}  // namespace

FormatPlan plan_host_aware(const HostAwareConfig& config, const DriveGeometry& geometry, std::string& problem) {
  problem = problem_of(config, geometry);
  if (!problem.empty()) return {};
  const std::uint64_t zone = config.zone_sectors(geometry.sector_bytes);
  // One radius more for what slipped defects take.
  const std::uint64_t conventional = config.conventional_zones * zone;
  const std::uint32_t radii = conventional == 0 ? 0 : outermost_radii_for(geometry, conventional) + 1;
  const std::uint64_t taken = std::uint64_t{radii} + config.log_radii;
  if (taken >= geometry.radii()) {
    problem = std::to_string(config.conventional_zones) + " conventional zones of " + std::to_string(config.zone.value()) +
              " bytes, and the log of the write pointers, leave no room for others";
    return {};
  }
  FormatPlan plan;
  if (radii != 0) plan.push_back({.name = "conventional", .first = 0, .count = radii});
  plan.push_back({.name = "pointers", .first = radii, .count = config.log_radii});
  const FormatPlan cached = media_cache::plan_media_cache(config.cache, geometry, problem, taken);
  if (!problem.empty()) return {};
  plan.insert(plan.end(), cached.begin(), cached.end());
  FormatPlan bands = regions_named(plan, "data");
  for (Region& region : bands) region.count = region.count / (region.band_tracks + region.guard_tracks) * region.band_tracks;
  const std::uint64_t fit = sectors_in(bands, geometry) / zone;
  const std::uint64_t preferred = config.zones != 0 ? config.zones - config.conventional_zones : fit;
  if (fit == 0 || preferred > fit) {
    problem = "the drive has room for " + std::to_string(fit) + " zones of " + std::to_string(config.zone.value()) +
              " bytes in addition to " + std::to_string(config.conventional_zones) + " conventional ones" +
              (config.zones != 0 ? ", fewer than zones " + std::to_string(config.zones) + " asks for" : "");
    return {};
  }
  const std::uint64_t least = zoned::ZoneLedger::least_sectors(preferred, geometry.sector_bytes);
  const std::uint64_t room = sectors_in(regions_named(plan, "pointers"), geometry);
  if (room < least) {
    problem = "log_radii " + std::to_string(config.log_radii) + " are " + std::to_string(room) + " sectors; the write pointers of " +
              std::to_string(preferred) + " zones take " + std::to_string(least);
    return {};
  }
  return plan;
}

}  // namespace tessera::host_aware
