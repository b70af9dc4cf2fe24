#pragma once
// Numbers and records of the zone protocol (docs/guide/zone-protocol.md): one drive with zones, in blocks of 512 B. A request is a header
// of 32 B, with the data of a write after it; a reply is a header of 32 B, with what was asked for after it.
#include <cstdint>
#include <span>
#include <vector>

#include "base/zone.hpp"
#include "firmware/ports/host_port.hpp"

namespace tessera {

enum class ZoneCommand : std::uint16_t { geometry = 1, read, write, flush, report, open, close, finish, reset };

/// What a reply says. The numbers are the protocol's, and stay.
enum class ZoneStatus : std::uint16_t {
  ok = 0,
  unaligned_write = 1,
  write_boundary = 2,
  invalid_read = 3,
  read_boundary = 4,
  invalid_field = 5,
  no_zone_resources = 6,
  zone_read_only = 7,
  zone_offline = 8,
  unsupported = 9,
  out_of_range = 10,    ///< the command names blocks beyond the drive's end
  unreadable = 11,      ///< a sector could not be read
  write_failed = 12,    ///< a sector could not be written
  read_only = 13,       ///< the drive has no spares left
  internal = 14,        ///< the drive failed otherwise
  not_understood = 15,  ///< what came is no request; the connection ends
};

/// Sense key, additional sense code and its qualifier of SCSI.
struct ZoneSense {
  std::uint8_t key = 0;
  std::uint8_t code = 0;
  std::uint8_t qualifier = 0;
  bool operator==(const ZoneSense&) const = default;
};
[[nodiscard]] ZoneSense sense_of(ZoneStatus status);
/// Of what the drive has answered.
[[nodiscard]] ZoneStatus zone_status_of(Status status, HostOp op);

struct ZoneRequest {
  ZoneCommand command = ZoneCommand::geometry;
  bool all_zones = false;       ///< of open, close, finish and reset
  std::uint64_t cookie = 0;     ///< the reply has it again
  std::uint64_t block = 0;      ///< of 512 B
  std::uint32_t count = 0;      ///< blocks; of report, the most zones that are wanted
  std::vector<std::byte> data;  ///< of a write
};

/// What geometry answers, and what bounds a request.
struct ZonedGeometry {
  std::uint64_t blocks = 0;
  std::uint32_t sector_bytes = 4096;
  std::uint64_t zone_blocks = 0;
  std::uint32_t largest = 32U << 20U;  ///< bytes of a payload
  [[nodiscard]] std::uint64_t zones() const { return zone_blocks == 0 ? 0 : blocks / zone_blocks; }
};

namespace zone_wire {

constexpr std::uint32_t request_magic = 0x545a5251;  // "TZRQ"
constexpr std::uint32_t reply_magic = 0x545a5250;    // "TZRP"
constexpr std::uint16_t version = 1;
constexpr std::uint16_t flag_all_zones = 1;
constexpr std::size_t header_bytes = 32;      // of a request, and of a reply
constexpr std::size_t descriptor_bytes = 32;  // of a zone in a report
constexpr std::uint64_t no_pointer = ~std::uint64_t{0};

[[nodiscard]] HostOp op_of(ZoneCommand command);
/// As SCSI numbers zone types and conditions.
void put_descriptor(std::vector<std::byte>& out, const ZoneDescriptor& zone);
void put_geometry(std::vector<std::byte>& out, const ZonedGeometry& geometry);

}  // namespace zone_wire

}  // namespace tessera
