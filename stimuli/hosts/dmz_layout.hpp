#pragma once
// Where the dm-zoned-like host keeps what on a zoned drive, as Documentation/admin-guide/device-mapper/dm-zoned.rst has it.
//
//   | set A | set B | random zones: new chunks and buffers | zones for chunks ...                a set: superblock, map, bitmaps
//   conventional zones                                     sequential zones
#include <cstdint>
#include <string>

#include "stimuli/hosts/dmz_config.hpp"
#include "stimuli/hosts/translating_host.hpp"

namespace tessera {

struct DmzLayout {
  std::uint64_t user_sectors = 0;
  std::uint32_t chunks = 0;  ///< of a zone each
  std::uint32_t zone_sectors = 0;
  std::uint32_t zones = 0;
  std::uint32_t conventional = 0;
  std::uint32_t set_zones = 0;      ///< of one set of metadata
  std::uint32_t map_blocks = 0;     ///< blocks of metadata are sectors; the map's come after the superblock,
  std::uint32_t bitmap_blocks = 0;  ///< and after these those of each zone's bitmap
  std::uint32_t copy_sectors = 0;

  [[nodiscard]] std::uint32_t first_random() const { return 2 * set_zones; }
  [[nodiscard]] std::uint32_t random_zones() const { return conventional - first_random(); }
  [[nodiscard]] std::uint32_t set_sectors() const { return 1 + map_blocks + zones * bitmap_blocks; }
};

/// What an entry of the map takes: the numbers of two zones.
inline constexpr std::uint32_t dmz_entry_bytes = 8;

/// Runs that reclaim copies at once: the sub-jobs of dm-kcopyd, SPLIT_COUNT.
inline constexpr std::uint32_t dmz_copies = 8;

/// A sentence why there is none in `problem`.
[[nodiscard]] DmzLayout plan_dmz(const DmzHostConfig& config, const DriveZones& drive, std::string& problem);

}  // namespace tessera
