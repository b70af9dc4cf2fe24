#pragma once
// A zone of a zoned drive as REPORT ZONES describes it. Source: INCITS, Zoned Block Commands (ZBC-2), zone model, and Zoned-device ATA
// Command Set (ZAC-2).
#include <cstdint>

#include "base/address.hpp"

namespace tessera {

enum class ZoneType : std::uint8_t {
  conventional,               ///< written anywhere; no write pointer
  sequential_write_required,  ///< written at the write pointer alone
  sequential_write_preferred  ///< written anywhere, at the write pointer without a detour
};

enum class ZoneCondition : std::uint8_t {
  not_write_pointer,  ///< conventional
  empty,
  implicitly_open,  ///< by a write
  explicitly_open,  ///< by OPEN ZONE
  closed,
  full,
  read_only,  ///< a sector could not be written; what is below the pointer stays readable
  offline     ///< neither written nor read
};
[[nodiscard]] constexpr const char* to_string(ZoneCondition condition) {
  constexpr const char* names[] = {"conventional", "empty", "implicitly open", "explicitly open", "closed", "full", "read only", "offline"};
  return names[static_cast<std::size_t>(condition)];
}

/// 64 bytes on the link.
struct ZoneDescriptor {
  ZoneType type = ZoneType::conventional;
  ZoneCondition condition = ZoneCondition::not_write_pointer;
  HostBlock start;
  std::uint64_t blocks = 0;
  HostBlock pointer;            ///< where the next write begins; of no meaning where the condition has no pointer
  bool non_sequential = false;  ///< NON_SEQ: the drive holds some of a preferred zone elsewhere
  constexpr bool operator==(const ZoneDescriptor&) const = default;
};
inline constexpr std::uint32_t zone_descriptor_bytes = 64;  // and so long is the header in front of them

/// Whether the zone takes no writes for good.
[[nodiscard]] constexpr bool takes_no_writes(const ZoneDescriptor& zone) {
  return zone.condition == ZoneCondition::read_only || zone.condition == ZoneCondition::offline;
}

/// Pages of 512 B that a report of so many zones takes (ZAC-2, REPORT ZONES EXT), and zones that so many pages have room for.
[[nodiscard]] constexpr std::uint32_t report_pages(std::uint64_t zones) {
  return static_cast<std::uint32_t>(((zones + 1) * zone_descriptor_bytes + host_block_bytes - 1) / host_block_bytes);
}
[[nodiscard]] constexpr std::uint64_t zones_in_report(std::uint32_t pages) { return pages * host_block_bytes / zone_descriptor_bytes - 1; }

}  // namespace tessera
