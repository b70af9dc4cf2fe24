#pragma once
// The logs of the drive (ACS-3, 9 and annex A): which there are, and the copy of IDENTIFY DEVICE by subject.
#include <cstdint>
#include <vector>

#include "ahci/ata_identify.hpp"

namespace tessera::ahci {

enum LogAddress : std::uint8_t {
  directory_log = 0x00,
  error_summary_log = 0x01,
  error_log = 0x03,
  device_statistics_log = 0x04,
  queue_error_log = 0x10,
  identify_log = 0x30,
  first_host_log = 0x80,
  last_host_log = 0x9f
};

/// Logs that hold what the host writes.
[[nodiscard]] constexpr bool is_host_log(std::uint8_t address) { return address >= first_host_log && address <= last_host_log; }

/// By whose commands a log is reached: READ LOG EXT and its like, or SMART READ LOG and SMART WRITE LOG.
enum class LogSet : std::uint8_t { general, smart };

/// 0: there is no such log.
[[nodiscard]] std::uint32_t pages_of_log(LogSet set, std::uint8_t address);
[[nodiscard]] std::vector<std::byte> log_directory(LogSet set);

/// Log 30h: the list of its pages, IDENTIFY DEVICE, capacity, capabilities, settings, strings, Serial ATA. Pages 06h (security) and 07h
/// (parallel) are not in the list and read as zeros.
[[nodiscard]] std::vector<std::byte> identify_pages(const Config& config, const DeviceState& state);

}  // namespace tessera::ahci
