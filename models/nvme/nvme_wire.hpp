#pragma once
// What crosses the host's memory and registers, as NVM Express Base Specification 1.4 lays it out: commands of 64 B, completions of 16 B,
// opcodes, status codes and register offsets. Everything is little-endian.
#include <cstdint>
#include <span>
#include <vector>

#include "base/little_endian.hpp"

namespace tessera::nvme {

using little_endian::get;
using little_endian::put;

inline constexpr std::uint32_t version = 0x0001'0400;
inline constexpr std::uint32_t every_namespace = 0xffff'ffff;
inline constexpr std::size_t command_bytes = 64;
inline constexpr std::size_t completion_bytes = 16;
inline constexpr std::size_t page_of_data = 4096;  // identify structures and lists

/// Offsets of controller registers (3.1); doorbells and the MSI-X table follow at their own places.
enum Register : std::uint32_t {
  reg_cap = 0x00,
  reg_vs = 0x08,
  reg_intms = 0x0c,
  reg_intmc = 0x10,
  reg_cc = 0x14,
  reg_csts = 0x1c,
  reg_aqa = 0x24,
  reg_asq = 0x28,
  reg_acq = 0x30,
  reg_doorbells = 0x1000,   // tail of SQ n at 8 n, head of CQ n at 8 n + 4: CAP.DSTRD is 0
  reg_msix_table = 0x2000,  // 16 B an entry: address, data, mask (PCI 3.0, 6.8.2.6)
  reg_msix_pending = 0x3000,
  reg_end = 0x4000,
};

enum AdminOpcode : std::uint8_t {
  delete_io_sq = 0x00,
  create_io_sq = 0x01,
  get_log_page = 0x02,
  delete_io_cq = 0x04,
  create_io_cq = 0x05,
  identify = 0x06,
  abort_command = 0x08,
  set_features = 0x09,
  get_features = 0x0a,
  async_event_request = 0x0c,
};

enum IoOpcode : std::uint8_t { io_flush = 0x00, io_write = 0x01, io_read = 0x02, io_write_zeroes = 0x08, io_dataset_management = 0x09 };

/// Status code type in the upper byte, status code in the lower (4.6.1). The controller adds Do Not Retry.
enum class NvmeStatus : std::uint16_t {
  success = 0x000,
  invalid_opcode = 0x001,
  invalid_field = 0x002,
  data_transfer_error = 0x004,
  internal_error = 0x006,
  abort_requested = 0x007,
  invalid_namespace = 0x00b,
  command_sequence_error = 0x00c,
  invalid_sgl_segment = 0x00d,
  sgl_descriptors_invalid = 0x00e,
  sgl_length_invalid = 0x00f,
  sgl_type_invalid = 0x011,
  prp_offset_invalid = 0x013,
  lba_out_of_range = 0x080,
  completion_queue_invalid = 0x100,
  invalid_queue_identifier = 0x101,
  invalid_queue_size = 0x102,
  abort_limit_exceeded = 0x103,
  async_event_limit_exceeded = 0x105,
  invalid_interrupt_vector = 0x108,
  invalid_log_page = 0x109,
  invalid_queue_deletion = 0x10c,
  feature_not_saveable = 0x10d,
  feature_not_of_namespace = 0x10f,
  write_fault = 0x280,
  unrecovered_read_error = 0x281,
};

/// Bits 31:17 of a completion: the status with Do Not Retry, and More, because each failure has an entry in the error log.
[[nodiscard]] std::uint16_t status_field(NvmeStatus status);

/// A parameter of a command, as the error log names it (5.14.1.1): its first byte, and its first bit in that.
[[nodiscard]] constexpr std::uint16_t parameter(unsigned byte, unsigned bit = 0) { return static_cast<std::uint16_t>(bit << 8 | byte); }
inline constexpr std::uint16_t no_parameter = 0xffff;

/// How a command ended, and which of its parameters was wrong.
struct Outcome {
  NvmeStatus status = NvmeStatus::success;
  std::uint16_t location = no_parameter;

  /// The parameter that such a status is mostly about.
  Outcome(NvmeStatus code);  // NOLINT(google-explicit-constructor): most outcomes are a status
  constexpr Outcome(NvmeStatus code, std::uint16_t at) : status(code), location(at) {}
  [[nodiscard]] bool failed() const { return status != NvmeStatus::success; }
};

/// A submission queue entry.
struct NvmeCommand {
  std::uint8_t opcode = 0;
  std::uint8_t fuse = 0;  ///< 0: not fused
  std::uint8_t psdt = 0;  ///< 0: PRP, 1 and 2: SGL
  std::uint16_t id = 0;
  std::uint32_t namespace_id = 0;
  std::uint64_t prp1 = 0;  ///< with SGLs the two are the first descriptor
  std::uint64_t prp2 = 0;
  std::uint32_t dword[6] = {};  ///< 10 to 15

  [[nodiscard]] std::uint32_t cdw(unsigned number) const { return dword[number - 10]; }
  [[nodiscard]] std::uint64_t first_block() const { return cdw(10) | std::uint64_t{cdw(11)} << 32; }
  [[nodiscard]] std::uint32_t blocks() const { return (cdw(12) & 0xffff) + 1; }
};

[[nodiscard]] NvmeCommand decode(std::span<const std::byte> entry);

/// A completion queue entry.
struct NvmeCompletion {
  std::uint32_t result = 0;
  std::uint16_t sq_head = 0;
  std::uint16_t sq = 0;
  std::uint16_t command = 0;
  NvmeStatus status = NvmeStatus::success;
  bool phase = false;
};

void encode(const NvmeCompletion& completion, std::span<std::byte> entry);

}  // namespace tessera::nvme
