#pragma once
// Where the host with a log-structured merge tree keeps what on a zoned drive. Conventional zones are not used.
//
//   | manifest A | its copy | manifest B | its copy | log, files, files of other lifetimes, ...
//   sequential zones
#include <cstdint>
#include <string>

#include "stimuli/hosts/lsm_config.hpp"
#include "stimuli/hosts/translating_host.hpp"

namespace tessera {

struct LsmLayout {
  std::uint64_t user_sectors = 0;
  std::uint32_t sector_bytes = 0;
  std::uint32_t zone_sectors = 0;
  std::uint32_t first_manifest_zone = 0;  ///< of two for each copy
  std::uint32_t first_data_zone = 0;
  std::uint32_t data_zones = 0;
  std::uint32_t record_sectors = 0;    ///< of the largest command
  std::uint32_t memtable_sectors = 0;  ///< data sectors
  std::uint32_t file_sectors = 0;      ///< data sectors
  std::uint32_t batch_sectors = 0;
  std::uint64_t base_sectors = 0;  ///< of the first level after 0, at most
  std::uint64_t full_sectors = 0;  ///< of files: with more, level 0 gets none before a compaction made room
  std::uint32_t index_bits = 0;    ///< of an entry, in a file and in host memory: index and filter

  /// Sectors of a file with so many entries after its data: index and filter.
  [[nodiscard]] std::uint32_t index_sectors(std::uint64_t entries) const {
    return static_cast<std::uint32_t>((entries * index_bits + sector_bytes * 8 - 1) / (sector_bytes * 8));
  }
};

/// Of a manifest, each in a zone of its own, and of the header of a record of the log: what one sector says is never all that says it.
inline constexpr std::uint32_t lsm_copies = 2;
/// Zones that only the collection of zones may take.
inline constexpr std::uint32_t lsm_reserved_zones = 2;
/// Levels, with level 0: num_levels.
inline constexpr std::uint32_t lsm_levels = 7;
/// Of an entry in an index or in the log: key, sequence and kind, as RocksDB's internal key of an 8-byte key.
inline constexpr std::uint32_t lsm_entry_bytes = 16;
/// Of a file in the manifest (ours).
inline constexpr std::uint32_t lsm_file_bytes = 128;

/// A sentence why there is none in `problem`.
[[nodiscard]] LsmLayout plan_lsm(const LsmHostConfig& config, const DriveZones& drive, std::string& problem);

}  // namespace tessera
