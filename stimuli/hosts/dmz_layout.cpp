#include "stimuli/hosts/dmz_layout.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

constexpr std::uint32_t least_random = 2;    // one takes new writes while the other is reclaimed
constexpr std::uint32_t usual_reserve = 16;  // dmzadm --seq

template <class T>
T blocks_for(T units, T in_one) {
  return (units + in_one - 1) / in_one;
}

/// A share with which the drive has so many conventional zones, in thousandths.
std::string share_of(std::uint64_t needed, std::uint64_t zones) {
  const std::uint64_t thousandths = (2 * needed + 1) * 500 / zones + 1;
  const std::string digits = std::to_string(thousandths);
  return "0." + std::string(3 - std::min<std::size_t>(3, digits.size()), '0') + digits;
}

std::string too_few(const DmzLayout& layout) {
  const std::uint32_t needed = layout.first_random() + least_random;
  const std::string found = "the drive has " + std::to_string(layout.conventional) + " conventional zones of " +
                            std::to_string(layout.zones) + " and hosts.dmz needs at least " + std::to_string(needed) + ": " +
                            std::to_string(layout.first_random()) + " for two sets of metadata and " + std::to_string(least_random) +
                            " for data; ";
  if (4 * needed > layout.zones) return found + "make zones smaller, as in --set 'layers.zoned.zone=16 MiB'";
  return found + "make more of them, as in --set layers.zoned.conventional=" + share_of(needed, layout.zones);
}

}  // namespace

DmzLayout plan_dmz(const DmzHostConfig& config, const DriveZones& drive, std::string& problem) {
  problem.clear();
  const std::uint32_t sector_bytes = drive.sector_blocks * host_block_bytes;
  if (config.reclaim_until < config.reclaim_below)
    problem = "hosts.dmz.reclaim_until is " + std::to_string(config.reclaim_until) + "; expected at least hosts.dmz.reclaim_below, " +
              std::to_string(config.reclaim_below);
  if (config.copy.value() < sector_bytes)
    problem = "hosts.dmz.copy is " + std::to_string(config.copy.value()) + " B; expected at least a sector, " +
              std::to_string(sector_bytes) + " B";
  if (!problem.empty()) return {};
  DmzLayout layout;
  layout.zone_sectors = static_cast<std::uint32_t>(drive.zone_sectors);
  layout.zones = drive.zones;
  layout.conventional = drive.conventional;
  layout.map_blocks = blocks_for(drive.zones, sector_bytes / dmz_entry_bytes);
  layout.bitmap_blocks = blocks_for(layout.zone_sectors, sector_bytes * 8);
  layout.set_zones = blocks_for(layout.set_sectors(), layout.zone_sectors);
  layout.copy_sectors = static_cast<std::uint32_t>(std::min<std::uint64_t>(config.copy.value() / sector_bytes, drive.zone_sectors));
  if (layout.conventional < layout.first_random() + least_random) {
    problem = too_few(layout);
    return {};
  }
  const std::uint32_t sequential = layout.zones - layout.conventional;
  const std::uint32_t reserved =
      config.reserved_zones != 0 ? config.reserved_zones : std::max(1U, std::min(usual_reserve, sequential / usual_reserve));
  if (sequential <= reserved) {
    problem = "hosts.dmz.reserved_zones is " + std::to_string(config.reserved_zones) + " and the drive has " + std::to_string(sequential) +
              " sequential zones: expected fewer than these, or smaller zones, as in --set 'layers.zoned.zone=16 MiB'";
    return {};
  }
  layout.chunks = layout.random_zones() + sequential - reserved;
  layout.user_sectors = std::uint64_t{layout.chunks} * layout.zone_sectors;
  return layout;
}

}  // namespace tessera
