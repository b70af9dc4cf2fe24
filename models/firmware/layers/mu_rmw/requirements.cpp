#include "firmware/layers/mu_rmw/requirements.hpp"

#include "firmware/flash/band_layout.hpp"
#include "firmware/flash/band_map.hpp"
#include "firmware/flash/oob.hpp"

namespace tessera::mu_rmw {

FormatPlan plan_drive(const MuRmwConfig& config, const DriveGeometry& geometry, std::string& problem) {
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
  FormatPlan plan = plan_bands(geometry, request, problem);
  if (!problem.empty() || config.in_place()) return plan;

  std::uint64_t bands = 0;
  std::uint64_t log_sectors = 0;
  for (const Region& region : plan) {
    if (region.format == RecordingFormat::shingled) {
      bands += region.count / (region.band_tracks + region.guard_tracks) * geometry.surfaces;
    } else {
      log_sectors = region.count * geometry.surfaces * geometry.zone_of(static_cast<std::uint32_t>(region.first)).sectors_per_track;
    }
  }
  const std::uint64_t least = BandMap::least_log_sectors(bands, geometry.sector_bytes);
  if (log_sectors >= least) return plan;
  problem = "log_radii " + std::to_string(config.log_radii) + " give the merge log " + std::to_string(log_sectors) + " sectors; " +
            std::to_string(bands) + " bands need at least " + std::to_string(least);
  return {};
}

std::string check_flash(const MuRmwConfig& config, const FlashShape& shape) {
  const std::uint64_t image = std::uint64_t{config.slots} * config.slot_bytes + OobCodec::header_size;
  const std::uint64_t needed = config.paper ? image : image + config.ecc_bytes;
  if (config.slot_bytes == 3) return "slot_bytes must be 2 or 4";
  if (needed > shape.oob_bytes) {
    return "a sub-table of " + std::to_string(config.slots) + " slots of " + std::to_string(config.slot_bytes) + " bytes takes " +
           std::to_string(needed) + " bytes of the out-of-band area with header" + (config.paper ? "" : " and error correction") +
           "; a page has " + std::to_string(shape.oob_bytes) + " (fewer slots, slot_bytes 2" +
           (config.paper ? ")" : ", or paper = true, which leaves error correction out)");
  }
  if (config.slot_bytes == 2 && shape.pages() >= 0xffff)
    return "slots of 2 bytes name fewer than 65535 flash pages; there are " + std::to_string(shape.pages());
  if (shape.pages() >= OobCodec::no_page - 1) return "slots of 4 bytes cannot name " + std::to_string(shape.pages()) + " flash pages";
  if (shape.blocks < 2) return "mu-rmw needs at least two flash blocks";
  return {};
}

}  // namespace tessera::mu_rmw
