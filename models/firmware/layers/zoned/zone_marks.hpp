#pragma once
// How far a zone is written, as its own sectors tell: the out-of-band bytes of the last sector of each run on a track carry a mark.
#include <cstdint>
#include <optional>

#include "firmware/logs/log_record.hpp"

namespace tessera::zoned {

/// The sectors of `zone` below `end` were written after so many resets.
struct ZoneMark {
  std::uint32_t zone = 0;
  std::uint32_t resets = 0;
  std::uint32_t end = 0;
};

[[nodiscard]] inline SectorHeader encode(const ZoneMark& mark) {
  return tessera::encode({RecordType::zone_write, mark.resets, 1, {mark.zone, mark.end}});
}
/// Nothing where there is no mark, or one of another zone or of before the last reset.
[[nodiscard]] inline std::optional<std::uint32_t> end_in(const SectorHeader& header, std::uint32_t zone, std::uint32_t resets) {
  const std::optional<LogRecord> record = decode(header);
  if (!record || record->type != RecordType::zone_write || record->sequence != resets || record->payload[0] != zone) return std::nullopt;
  return static_cast<std::uint32_t>(record->payload[1]);
}

}  // namespace tessera::zoned
