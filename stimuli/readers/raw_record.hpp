#pragma once
#include <cstdint>
#include <optional>

#include "firmware/ports/host_port.hpp"
#include "stimuli/readers/decimal.hpp"

namespace tessera {

/// Where a record is: its line or its number, from 1, in one of the files of a trace.
struct RecordPlace {
  std::uint64_t number = 0;
  std::uint32_t file = 0;
};

/// A write that the drive puts where its zone's write pointer is.
enum class ZoneAppend : std::uint8_t {
  none,
  to_zone,  ///< the offset is the zone's begin
  placed    ///< the offset is where the drive put it
};

/// A record as the file holds it.
struct RawRecord {
  TraceTime time = 0;  ///< ps from the file's own origin
  HostOp op = HostOp::read;
  bool force_unit_access = false;
  std::uint32_t volume = 0;
  std::uint64_t offset = 0;                          ///< bytes
  std::uint64_t size = 0;                            ///< bytes
  std::optional<TraceTime> think = std::nullopt;     ///< TraceRecord::think, no longer than since the record before
  std::optional<TraceTime> response = std::nullopt;  ///< ps from arrival to completion, where the file has it
  bool all_zones = false;                            ///< of what manages zones
  ZoneAppend append = ZoneAppend::none;              ///< of a write
};

}  // namespace tessera
