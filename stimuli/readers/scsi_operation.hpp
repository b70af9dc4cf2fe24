#pragma once
// SCSI operation codes of block devices (SBC-3, SPC-4) as traces record them.
#include <cstdint>
#include <optional>
#include <string>

#include "firmware/ports/host_port.hpp"

namespace tessera {

/// Reads, writes (also WRITE AND VERIFY and WRITE SAME), SYNCHRONIZE CACHE as flush, UNMAP as trim.
constexpr std::optional<HostOp> scsi_host_op(std::uint64_t opcode) {
  switch (opcode) {
    case 0x08:
    case 0x28:
    case 0x88:
    case 0xa8: return HostOp::read;
    case 0x0a:
    case 0x2a:
    case 0x8a:
    case 0xaa:
    case 0x2e:
    case 0x8e:
    case 0xae:
    case 0x41:
    case 0x93: return HostOp::write;
    case 0x35:
    case 0x91: return HostOp::flush;
    case 0x42: return HostOp::trim;
    default: return std::nullopt;
  }
}

/// Commands that move no user data: TEST UNIT READY, REQUEST SENSE, INQUIRY, MODE SELECT and SENSE, RESERVE and RELEASE, START
/// STOP UNIT, PREVENT REMOVAL, READ CAPACITY, VERIFY, LOG SENSE, PERSISTENT RESERVE, SERVICE ACTION IN and REPORT LUNS.
constexpr bool scsi_moves_no_data(std::uint64_t opcode) {
  switch (opcode) {
    case 0x00:
    case 0x03:
    case 0x12:
    case 0x15:
    case 0x16:
    case 0x17:
    case 0x1a:
    case 0x1b:
    case 0x1e:
    case 0x25:
    case 0x2f:
    case 0x4d:
    case 0x55:
    case 0x5a:
    case 0x5e:
    case 0x5f:
    case 0x8f:
    case 0x9e:
    case 0xa0:
    case 0xa3: return true;
    default: return false;
  }
}

/// "unknown operation 0x7f; expected ..."
inline std::string unknown_scsi_operation(std::uint64_t opcode) {
  constexpr const char* digits = "0123456789abcdef";
  std::string code;
  for (; opcode != 0; opcode >>= 4) code.insert(code.begin(), digits[opcode & 0xf]);
  return "unknown operation 0x" + code +
         "; expected a SCSI operation code of a block device: 0x28 (read), 0x2a (write), 0x35 (flush), 0x42 (trim), ...";
}

inline constexpr const char* scsi_left_out = "SCSI commands that move no user data left out";
/// The extents of an UNMAP are in its parameter list, which traces do not hold unless the tracer resolved them.
inline constexpr const char* scsi_unmap_left_out = "UNMAP commands without an extent left out";

}  // namespace tessera
