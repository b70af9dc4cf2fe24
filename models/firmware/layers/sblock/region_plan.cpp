#include "firmware/layers/sblock/region_plan.hpp"

#include <algorithm>
#include <cmath>

#include "firmware/flash/band_layout.hpp"
#include "firmware/layers/sblock/sblock_open_regions.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera::sblock {

namespace {

/// A cleaning needs two free slots: one for the write, and one to move an S-block to before its old slot is given up.
constexpr std::uint64_t least_spare = 2;

}  // namespace

LogShape shape_of(const RegionConfig& config, const DriveGeometry& geometry, std::uint32_t sblock_sectors) {
  const std::uint64_t track = longest_track(geometry);
  const std::uint64_t slots = (config.region_tracks + config.overlap) * track / sblock_sectors;
  // A write damages at most what begins within kappa tracks behind its last sector, whatever the skew.
  const std::uint64_t guard = (config.overlap * track + sblock_sectors - 1) / sblock_sectors;
  const std::uint64_t nominal = config.region_tracks * track / sblock_sectors;  // n
  const auto beta_n = static_cast<std::uint64_t>(std::ceil(config.spare * static_cast<double>(nominal)));
  const std::uint64_t kept_free = config.spare_slots != 0 ? config.spare_slots : std::max(least_spare, beta_n);
  LogShape shape;
  shape.slots = static_cast<std::uint32_t>(std::min<std::uint64_t>(slots, ~std::uint32_t{0}));
  shape.guard = static_cast<std::uint32_t>(guard);
  if (nominal <= kept_free || slots <= guard + least_spare) return shape;
  shape.sblocks = static_cast<std::uint32_t>(std::min(nominal - kept_free, slots - guard - least_spare));
  return shape;
}

FormatPlan plan_sblocks(const RegionConfig& config, const DriveGeometry& geometry, std::uint32_t sblock_sectors, std::string& problem) {
  const LogShape shape = shape_of(config, geometry, sblock_sectors);
  const std::string region =
      "a region of " + std::to_string(config.region_tracks) + " tracks with S-blocks of " + std::to_string(sblock_sectors) + " sectors ";
  if (config.spare_slots == 1) {
    problem = "spare_slots is 1: a cleaning takes two free S-blocks of a region; 0 keeps the share `spare` free";
    return {};
  }
  if (shape.sblocks == 0) {
    const std::string spare = config.spare_slots != 0 ? std::to_string(config.spare_slots) + " spare S-blocks"
                                                      : "a spare share of " + std::to_string(config.spare);
    problem =
        region + "and " + spare + " has no room for an S-block beside two free ones (more region_tracks, smaller S-blocks, or less spare)";
    return {};
  }
  if (shape.slots > RegionLogs::most_slots) {
    problem = region + "has " + std::to_string(shape.slots) + " slots; a table entry of two bytes tells " +
              std::to_string(RegionLogs::most_slots) + " apart (fewer region_tracks, or larger S-blocks)";
    return {};
  }
  BandRequest request;
  request.band_sectors = shape.slots * sblock_sectors;
  request.head_width = config.overlap;
  request.more_guard = 1;  // the paper's guard of kappa tracks; kappa - 1 would do
  request.bands = config.regions;
  request.log_radii = config.checkpoint ? config.log_radii : 0;
  FormatPlan plan = plan_bands(geometry, request, problem);
  if (!problem.empty() || !config.checkpoint) return plan;

  const std::uint64_t image_bytes = OpenRegions::image_bytes(bands_in(plan, geometry), shape);
  const std::uint64_t least = TableLog::least_sectors(image_bytes, geometry.sector_bytes);
  problem = log_problem(plan, geometry, {"the log of the table", "regions", least});
  return problem.empty() ? plan : FormatPlan{};
}

double spare_share(const RegionConfig& config, const DriveGeometry& geometry, std::uint32_t sblock_sectors) {
  if (config.spare_slots == 0) return config.spare;
  const std::uint64_t nominal = std::uint64_t{config.region_tracks} * longest_track(geometry) / sblock_sectors;  // n
  return config.spare_slots / static_cast<double>(nominal);
}

double utilisation(const RegionConfig& config, double beta) {
  return config.region_tracks * (1 - beta) / (config.region_tracks + 2.0 * config.overlap);
}

}  // namespace tessera::sblock
