#include "stimuli/hosts/log_layout.hpp"

#include <algorithm>

namespace tessera {

namespace {

// Map entries are packed to whole bytes: 4 name the places of 16 TiB in sectors of 4 KiB, 5 those of 4 PiB.
constexpr std::uint64_t named_by_four_bytes = std::uint64_t{1} << 32;
constexpr std::uint64_t checkpoints_apart = 32;  // times their size: 3 % of what is written

std::uint64_t sectors_for(std::uint64_t bytes, std::uint64_t sector_bytes) { return (bytes + sector_bytes - 1) / sector_bytes; }

std::string problem_of(const LogHostConfig& config, const DriveZones& drive, std::uint64_t sector_bytes) {
  if (config.over_provisioning <= 0 || config.over_provisioning >= 1)
    return "hosts.log.over_provisioning is " + std::to_string(config.over_provisioning) +
           "; expected a share above 0 and below 1: without spare space nothing can be cleaned, and with nothing else there is no room for "
           "data";
  if (config.record.value() < 2 * sector_bytes)
    return "hosts.log.record is " + std::to_string(config.record.value()) + " B; expected at least a header and a sector, " +
           std::to_string(2 * sector_bytes) + " B";
  if (config.clean_below <= log_reserved_zones)
    return "hosts.log.clean_below is " + std::to_string(config.clean_below) + "; expected more than the " +
           std::to_string(log_reserved_zones) + " zones that are the cleaner's alone";
  if (drive.zone_sectors < 4) return "zones of " + std::to_string(drive.zone_sectors) + " sectors; hosts.log needs at least 4";
  return {};
}

}  // namespace

LogLayout plan_log(const LogHostConfig& config, const DriveZones& drive, std::string& problem) {
  const std::uint64_t sector_bytes = std::uint64_t{drive.sector_blocks} * host_block_bytes;
  problem = problem_of(config, drive, sector_bytes);
  if (!problem.empty()) return {};
  LogLayout layout;
  layout.zone_sectors = static_cast<std::uint32_t>(drive.zone_sectors);
  layout.record_sectors = static_cast<std::uint32_t>(std::min(config.record.value() / sector_bytes, drive.zone_sectors));
  layout.entry_bytes = drive.zones * drive.zone_sectors > named_by_four_bytes ? 5 : 4;
  const std::uint64_t sequential = drive.zones - drive.conventional;
  const auto image_of = [&](std::uint64_t user) {
    return sectors_for(user * layout.entry_bytes, sector_bytes) + sectors_for(drive.zones * zone_entry_bytes, sector_bytes) + 1;
  };
  const std::uint64_t largest = image_of(sequential * drive.zone_sectors);
  layout.first_data_zone = drive.conventional;
  if (2 * largest > drive.conventional * drive.zone_sectors) {
    layout.area_zones = static_cast<std::uint32_t>((largest + drive.zone_sectors - 1) / drive.zone_sectors);
    layout.first_area_zone = drive.conventional;
    layout.first_data_zone += 2 * layout.area_zones;
  }
  layout.data_zones = drive.zones > layout.first_data_zone ? drive.zones - layout.first_data_zone : 0;
  if (layout.data_zones < log_working_zones + 2) {
    problem = "the drive has " + std::to_string(layout.data_zones) + " zones for data and hosts.log needs at least " +
              std::to_string(log_working_zones + 2) + ": make zones smaller, as in --set 'layers.zoned.zone=16 MiB'";
    return {};
  }
  const std::uint64_t of_data = drive.zone_sectors * (layout.record_sectors - 1) / layout.record_sectors;
  const auto most = static_cast<double>((layout.data_zones - log_working_zones) * of_data);
  layout.user_sectors = static_cast<std::uint64_t>(most * (1 - config.over_provisioning));
  if (layout.user_sectors == 0) {
    problem = "hosts.log.over_provisioning leaves the application no sector";
    return {};
  }
  if (!layout.frees(layout.user_sectors / (layout.data_zones - log_working_zones))) {
    problem = "hosts.log.over_provisioning is " + std::to_string(config.over_provisioning) + "; expected more: full zones of " +
              std::to_string(drive.zone_sectors) + " sectors would leave the cleaner nothing to free";
    return {};
  }
  layout.image_sectors = image_of(layout.user_sectors);
  layout.area_distance = layout.area_zones == 0 ? layout.image_sectors : layout.area_zones * drive.zone_sectors;
  layout.checkpoint_every = config.checkpoint_every.value() == 0 ? checkpoints_apart * layout.image_sectors
                                                                 : sectors_for(config.checkpoint_every.value(), sector_bytes);
  return layout;
}

}  // namespace tessera
