#pragma once
// Numbers and records of the NBD protocol (doc/proto.md of the protocol's repository).
#include <cstddef>
#include <cstdint>
#include <vector>

#include "platforms/serve/wire.hpp"

namespace tessera {

enum class NbdCommand : std::uint16_t { read = 0, write = 1, disconnect = 2, flush = 3, trim = 4, write_zeroes = 6, block_status = 7 };

/// Errors of the protocol's own numbering.
enum class NbdError : std::uint32_t {
  none = 0,
  not_permitted = 1,
  io = 5,
  invalid = 22,
  no_space = 28,
  not_supported = 95,
  shutdown = 108
};

struct NbdRequest {
  NbdCommand command = NbdCommand::read;
  bool force_unit_access = false;
  std::uint64_t cookie = 0;
  std::uint64_t offset = 0;
  std::uint32_t length = 0;
  std::vector<std::byte> data;  ///< of a write
  bool keeps_space = false;     ///< WRITE_ZEROES: no hole
  bool only_if_fast = false;    ///< WRITE_ZEROES: refused where it would be written
  bool in_one = false;          ///< READ: no fragments; BLOCK_STATUS: one extent
};

struct NbdExport {
  std::uint64_t size = 0;              ///< bytes
  std::uint32_t smallest = 512;        ///< bytes; offsets and lengths are multiples of it
  std::uint32_t preferred = 4096;      ///< the drive's sector
  std::uint32_t largest = 32U << 20U;  ///< payload of a request
};

/// A run of bytes of one state, in the answer to BLOCK_STATUS.
struct NbdExtent {
  static constexpr std::uint32_t data = 0, hole = 1, zero = 2;  // of base:allocation
  std::uint32_t length = 0;
  std::uint32_t state = data;
  bool operator==(const NbdExtent&) const = default;
};

namespace nbd {

constexpr std::uint16_t flag_fua = 1U << 0U, flag_no_hole = 1U << 1U, flag_in_one_piece = 1U << 2U, flag_one_extent = 1U << 3U,
                        flag_fast_zero = 1U << 4U;

using wire::get;
using wire::put;

}  // namespace nbd

}  // namespace tessera
