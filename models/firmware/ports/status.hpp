#pragma once
#include <cstddef>
#include <cstdint>

namespace tessera {

/// Outcome of a device operation or a firmware task. Firmware looks at every one.
enum class [[nodiscard]] Status : std::uint8_t{
    ok,
    media_error,     ///< a sector could not be read or written (defect, fault on request)
    damaged,         ///< a sector was destroyed by writing an overlapping track
    blank,           ///< flash: page not programmed since the last erase
    program_failed,  ///< flash: the page could not be programmed; the block is to be retired
    erase_failed,    ///< flash: the block could not be erased; the block is to be retired
    rule_violation,  ///< flash: programmed twice or out of order; media: outside a track
    no_space,        ///< a table, log or buffer is full
    corrupt,         ///< metadata whose checksum does not match
    lost,            ///< the read was good, but a sector of it was stored as lost: an earlier copy of it could not be read
    read_only,       ///< the drive has no spares left and takes no more writes
    aborted,         ///< the host gave the command up: of a write, any part may be there

    // Refusals of commands, without any effect; after each the sense code and additional sense code that SCSI has for it (ZBC-2, SPC-5).
    unsupported,        ///< the drive has no such command: ILLEGAL REQUEST, INVALID COMMAND OPERATION CODE
    invalid_field,      ///< ILLEGAL REQUEST, INVALID FIELD IN CDB
    unaligned_write,    ///< not at the write pointer, or not in whole sectors: ILLEGAL REQUEST, UNALIGNED WRITE COMMAND
    write_boundary,     ///< across the end of a zone: ILLEGAL REQUEST, WRITE BOUNDARY VIOLATION
    read_boundary,      ///< the same of a read: ILLEGAL REQUEST, READ BOUNDARY VIOLATION
    invalid_read,       ///< beyond the write pointer: ILLEGAL REQUEST, ATTEMPT TO READ INVALID DATA
    no_zone_resources,  ///< too many zones are open or active: DATA PROTECT, INSUFFICIENT ZONE RESOURCES
    zone_read_only,     ///< DATA PROTECT, ZONE IS READ ONLY
    zone_offline        ///< DATA PROTECT, ZONE IS OFFLINE
};
/// How many there are.
inline constexpr std::size_t statuses = static_cast<std::size_t>(Status::zone_offline) + 1;
/// Those of devices and firmware, in front of the refusals.
inline constexpr std::size_t device_statuses = static_cast<std::size_t>(Status::aborted) + 1;

[[nodiscard]] constexpr bool ok(Status status) { return status == Status::ok; }
/// Whether a read of host data brought all that there is to bring: what it could not read is marked in its buffer
/// (DataBuffer::is_lost), and a merge or move that writes the buffer elsewhere carries these sectors on as lost.
[[nodiscard]] constexpr bool delivered(Status status) {
  return status == Status::ok || status == Status::media_error || status == Status::damaged || status == Status::lost;
}
/// Whether a command was refused for a rule of the interface: it had no effect.
[[nodiscard]] constexpr bool refused(Status status) { return status >= Status::unsupported; }
[[nodiscard]] const char* to_string(Status status);

}  // namespace tessera
