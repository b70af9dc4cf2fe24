#include "stimuli/hosts/lsm_layout.hpp"

#include <algorithm>

namespace tessera {

namespace {

constexpr std::uint32_t open_zones = 5;                 // log, three lifetimes of files, and the collection's
constexpr std::uint64_t memtables_in_all = 1024;        // ours: of the zones' space, one holds no more than this part
constexpr std::uint64_t least_record = 1 + lsm_copies;  // sectors: one of data, and its headers
constexpr std::uint64_t least_memtable = 8;             // sectors
constexpr double never_live = 0.03;  // ours: share of the zones that dead sectors always take, so that collecting one pays

std::uint32_t limited(Bytes size, std::uint64_t space, std::uint32_t sector_bytes) {
  return static_cast<std::uint32_t>(
      std::min(std::max<std::uint64_t>(1, size.value() / sector_bytes), std::max(least_memtable, space / memtables_in_all)));
}

}  // namespace

LsmLayout plan_lsm(const LsmHostConfig& config, const DriveZones& drive, std::string& problem) {
  problem.clear();
  LsmLayout layout;
  layout.sector_bytes = drive.sector_blocks * host_block_bytes;
  if (config.over_provisioning <= 0)
    problem = "hosts.lsm.over_provisioning is 0; expected more: older versions of what is written lie on the drive until a compaction";
  if (config.level0_stop <= config.level0_files)
    problem = "hosts.lsm.level0_stop is " + std::to_string(config.level0_stop) + "; expected more than hosts.lsm.level0_files, " +
              std::to_string(config.level0_files);
  if (config.record.value() < least_record * layout.sector_bytes)
    problem = "hosts.lsm.record is " + std::to_string(config.record.value()) + " B; expected at least three sectors, " +
              std::to_string(least_record * layout.sector_bytes) + " B";
  if (!problem.empty()) return {};
  layout.zone_sectors = static_cast<std::uint32_t>(drive.zone_sectors);
  layout.first_manifest_zone = drive.conventional;
  layout.first_data_zone = drive.conventional + 2 * lsm_copies;
  layout.data_zones = drive.zones > layout.first_data_zone ? drive.zones - layout.first_data_zone : 0;
  layout.record_sectors =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(config.record.value() / layout.sector_bytes, drive.zone_sectors));
  const std::uint64_t space = std::uint64_t{layout.data_zones} * drive.zone_sectors;
  layout.memtable_sectors = limited(config.memtable, space, layout.sector_bytes);
  layout.file_sectors = limited(config.file, space, layout.sector_bytes);
  // Larger where zones are so small that half of one would not hold a list of the files.
  const auto list = [&] { return 2 * ((space / layout.file_sectors + 65) * lsm_file_bytes / layout.sector_bytes + 1); };
  while (2 * list() > drive.zone_sectors && std::uint64_t{2} * layout.file_sectors * layout.sector_bytes <= config.file.value())
    layout.file_sectors *= 2;
  layout.batch_sectors = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, config.batch.value() / layout.sector_bytes));
  layout.base_sectors = std::min<std::uint64_t>(std::max<std::uint64_t>(1, config.level_base.value() / layout.sector_bytes),
                                                std::uint64_t{4} * layout.memtable_sectors);
  layout.index_bits = lsm_entry_bytes * 8 + config.filter_bits;
  // A log of records with one sector each takes three for one.
  const std::uint64_t log_zones =
      (least_record * config.memtables * layout.memtable_sectors + drive.zone_sectors - 1) / drive.zone_sectors + 1;
  const std::uint64_t working = open_zones + lsm_reserved_zones + log_zones;
  if (layout.data_zones < working + 4) {
    problem = "the drive has " + std::to_string(layout.data_zones) + " zones for data and hosts.lsm needs at least " +
              std::to_string(working + 4) + ": make zones smaller, as in --set 'layers.zoned.zone=16 MiB'";
    return {};
  }
  const std::uint64_t usable = (layout.data_zones - working) * drive.zone_sectors;
  // A compaction of level 0 has its input and output on the drive at once.
  const std::uint64_t compaction = std::uint64_t{config.level0_stop} * layout.memtable_sectors + std::uint64_t{4} * layout.file_sectors;
  const auto most = static_cast<std::uint64_t>(static_cast<double>(usable) * (1 - never_live));
  layout.full_sectors = most - std::min(most, compaction);
  // All keys in the last level must leave room for two tables: with an index, and a sector that each file may take for what is left of it.
  const double of_key = 1 + layout.index_bits / (8.0 * layout.sector_bytes) + 1.0 / layout.file_sectors;
  const std::uint64_t tables = 2 * std::uint64_t{layout.memtable_sectors};
  const double fit = static_cast<double>(layout.full_sectors - std::min(layout.full_sectors, tables)) / of_key;
  layout.user_sectors = static_cast<std::uint64_t>(std::min(static_cast<double>(usable) * (1 - config.over_provisioning), fit));
  if (layout.user_sectors == 0) {
    problem = "compactions leave the application no sector; expected a smaller hosts.lsm.level0_stop than " +
              std::to_string(config.level0_stop) + ", or smaller zones, as in --set 'layers.zoned.zone=16 MiB'";
    return {};
  }
  const std::uint64_t files = layout.user_sectors / layout.file_sectors + 1;
  const std::uint64_t snapshot = 2 * (files + 64) * lsm_file_bytes / layout.sector_bytes + 2;
  if (2 * snapshot > drive.zone_sectors)
    problem = "a list of " + std::to_string(files) + " files takes more than half a zone of " + std::to_string(drive.zone_sectors) +
              " sectors: make zones or hosts.lsm.file larger";
  return problem.empty() ? layout : LsmLayout{};
}

}  // namespace tessera
