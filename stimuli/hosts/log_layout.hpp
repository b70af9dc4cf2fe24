#pragma once
// Where a log-structured host keeps what on a zoned drive. Two checkpoint areas take turns; they lie in the conventional zones where those
// have room, and otherwise in the first sequential ones. All other sequential zones are for data.
//
//   | checkpoint A | checkpoint B | ... | data zone | data zone | ...        a data zone: record, record, ...
//   conventional zones                    sequential zones                  a record: header sector, data sectors
#include <cstdint>
#include <string>

#include "stimuli/hosts/log_host_config.hpp"
#include "stimuli/hosts/translating_host.hpp"

namespace tessera {

struct LogLayout {
  std::uint64_t user_sectors = 0;
  std::uint32_t zone_sectors = 0;
  std::uint32_t record_sectors = 0;   ///< of the largest record, header included
  std::uint32_t first_data_zone = 0;  ///< as the drive numbers them
  std::uint32_t data_zones = 0;
  std::uint32_t entry_bytes = 4;    ///< of a map entry: 5 where the drive has more sectors than 32 bits name
  std::uint64_t image_sectors = 0;  ///< of a checkpoint: map, zone table and the sector that makes it valid, the last one
  std::uint64_t area_distance = 0;  ///< sectors from area A, at the first sector of `first_area_zone`, to area B
  std::uint32_t first_area_zone = 0;
  std::uint32_t area_zones = 0;        ///< of one area, where it is sequential; else 0
  std::uint64_t checkpoint_every = 0;  ///< sectors

  /// Whether cleaning a zone with so many live sectors leaves more free than it takes. Copies that go on in a second zone take one more
  /// header there, or fill the first one up: a sector either way. So cleaning comes to an end.
  [[nodiscard]] bool frees(std::uint64_t live) const {
    const std::uint64_t headers = (live + record_sectors - 2) / (record_sectors - 1);
    return live == 0 || live + headers + 1 < zone_sectors;
  }
};

/// Zones that never hold user data: one open for the application, one for the cleaner, and two that only the cleaner may take.
inline constexpr std::uint32_t log_working_zones = 4;
inline constexpr std::uint32_t log_reserved_zones = 2;

/// What a zone's entry of the zone table takes.
inline constexpr std::uint32_t zone_entry_bytes = 16;

/// A sentence why there is none in `problem`.
[[nodiscard]] LogLayout plan_log(const LogHostConfig& config, const DriveZones& drive, std::string& problem);

}  // namespace tessera
