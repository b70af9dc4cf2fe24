#include "firmware/flash/band_cache_config.hpp"

#include "firmware/flash/band_layout.hpp"
#include "firmware/flash/band_map.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera {

namespace {
constexpr std::string_view merged_in_place = "bands are merged in place (paper, crash_safe)";
}

std::uint32_t BandCacheConfig::round_sectors(std::uint32_t sector_bytes) const {
  const std::uint64_t whole = merge_buffer.value() / sector_bytes;
  return whole == 0 || whole > band_sectors ? band_sectors : static_cast<std::uint32_t>(whole);
}

void BandCacheConfig::describe_bands(ParameterVisitor& v) {
  v.field("band_sectors", band_sectors, {1, 1 << 24}, "P: sectors of a band");
  v.field("head_width", head_width, {2, 16}, "W: tracks that the write head covers; a band ends with W-1 guard tracks");
  v.field("bands", bands, {0, 4e9}, "U: bands of user data; 0: as many as fit the drive");
  v.unused_where(in_place(), merged_in_place, [&] {
    v.field("spare_bands", spare_bands, {1, 1024}, "bands kept for merging when crash_safe is on");
  });
}

void BandCacheConfig::describe_merging(ParameterVisitor& v) {
  v.field("merge_buffer", merge_buffer, {0, 1e12}, "DRAM for merging: a merge is band/buffer rounds; 0: a whole band");
  v.unused_where(in_place(), merged_in_place, [&] {
    v.field("log_radii", log_radii, {1, 65536}, "conventional tracks a surface, amid the bands, for the merge log and its checkpoints");
  });
  checkpoint.describe(v, !in_place());
  v.unused_where(paper, "paper is true", [&] { describe_paired_pages(v, paired_pages); });
}

FormatPlan plan_cached_bands(const BandCacheConfig& config, const DriveGeometry& geometry, std::uint64_t map_sectors,
                             std::string& problem) {
  if (config.in_place() && config.round_sectors(geometry.sector_bytes) < config.band_sectors) {
    problem = "merge_buffer is smaller than a band: merging in place needs a buffer of " +
              std::to_string(std::uint64_t{config.band_sectors} * geometry.sector_bytes) + " bytes (or crash_safe)";
    return {};
  }
  BandRequest request;
  request.band_sectors = config.band_sectors;
  request.head_width = config.head_width;
  request.bands = config.bands;
  request.spares = config.spares();
  request.log_radii = config.in_place() ? 0 : config.log_radii;
  request.map_radii = radii_for(geometry, map_sectors);
  request.checkpoint_radii = radii_for(geometry, config.checkpoint.sectors(geometry.sector_bytes));
  FormatPlan plan = plan_bands(geometry, request, problem);
  if (!problem.empty() || config.in_place()) return plan;

  const std::uint64_t least = BandMap::least_log_sectors(bands_in(plan, geometry), geometry.sector_bytes);
  problem = log_problem(plan, geometry, {"the merge log", "bands", least});
  return problem.empty() ? plan : FormatPlan{};
}

}  // namespace tessera
