#pragma once
// What crosses the link of a Serial ATA drive: frame information structures (Serial ATA 3.2, 10.5), commands and status bits (ACS-3).
#include <cstdint>
#include <span>
#include <vector>

#include "base/little_endian.hpp"

namespace tessera::ahci {

using little_endian::get;
using little_endian::put;

inline constexpr std::uint64_t block_bytes = 512;

enum FisType : std::uint8_t { fis_h2d = 0x27, fis_d2h = 0x34, fis_dma_setup = 0x41, fis_pio_setup = 0x5f, fis_device_bits = 0xa1 };

enum AtaStatus : std::uint8_t { status_error = 0x01, status_request = 0x08, status_fault = 0x20, status_ready = 0x40, status_busy = 0x80 };
/// Between commands: ready, and bit 4 as drives have set it since seeks were commands.
inline constexpr std::uint8_t status_idle = status_ready | 0x10;

enum AtaError : std::uint8_t { error_abort = 0x04, error_address = 0x10, error_data = 0x40 };

enum Opcode : std::uint8_t {
  data_set_management = 0x06,
  read_sectors = 0x20,
  read_sectors_ext = 0x24,
  read_dma_ext = 0x25,
  read_multiple_ext = 0x29,
  read_log_ext = 0x2f,
  write_sectors = 0x30,
  write_sectors_ext = 0x34,
  write_dma_ext = 0x35,
  write_multiple_ext = 0x39,
  write_dma_fua_ext = 0x3d,
  write_log_ext = 0x3f,
  read_verify = 0x40,
  read_verify_ext = 0x42,
  read_log_dma_ext = 0x47,
  write_log_dma_ext = 0x57,
  read_queued = 0x60,
  write_queued = 0x61,
  execute_device_diagnostic = 0x90,
  smart = 0xb0,
  read_multiple = 0xc4,
  write_multiple = 0xc5,
  set_multiple_mode = 0xc6,
  read_dma = 0xc8,
  write_dma = 0xca,
  write_multiple_fua_ext = 0xce,
  standby_immediate = 0xe0,
  idle_immediate = 0xe1,
  standby = 0xe2,
  idle = 0xe3,
  check_power_mode = 0xe5,
  sleep = 0xe6,
  flush_cache = 0xe7,
  flush_cache_ext = 0xea,
  identify_device = 0xec,
  set_features = 0xef,
};

/// A register FIS to the drive.
struct AtaCommand {
  std::uint8_t command = 0;
  std::uint8_t device = 0;
  std::uint8_t control = 0;
  bool is_command = false;  ///< or the control register is written
  std::uint16_t features = 0;
  std::uint16_t count = 0;
  std::uint64_t lba = 0;  ///< 48 bits

  bool operator==(const AtaCommand&) const = default;
  [[nodiscard]] bool is_queued() const { return command == read_queued || command == write_queued; }
  [[nodiscard]] std::uint32_t tag() const { return count >> 3 & 0x1f; }  ///< of a queued command
};

[[nodiscard]] AtaCommand decode(std::span<const std::byte> fis);

/// The task file that a register FIS to the host, or log page 10h, carries.
struct TaskFile {
  std::uint8_t status = status_idle;
  std::uint8_t error = 0;
  std::uint8_t device = 0;
  std::uint16_t count = 0;
  std::uint64_t lba = 0;
};

/// LBA, device and count, as they lie in both from byte 4 on.
void put_address(std::span<std::byte> bytes, const TaskFile& file);
[[nodiscard]] std::vector<std::byte> d2h_fis(const TaskFile& file, bool interrupt);
[[nodiscard]] std::vector<std::byte> device_bits_fis(std::uint8_t status, std::uint8_t error, std::uint32_t tags, bool interrupt);
[[nodiscard]] std::vector<std::byte> dma_setup_fis(std::uint32_t tag, bool to_host, std::uint32_t bytes);
[[nodiscard]] std::vector<std::byte> pio_setup_fis(const TaskFile& file, bool to_host, bool interrupt, std::uint8_t end_status,
                                                   std::uint32_t bytes);

}  // namespace tessera::ahci
