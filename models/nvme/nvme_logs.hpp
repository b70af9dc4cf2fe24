#pragma once
// What the controller counts and keeps for its log pages (NVMe 1.4, 5.14): the last errors, and the host's traffic for the SMART page.
#include <cstdint>
#include <deque>
#include <vector>

#include "nvme/nvme_config.hpp"
#include "nvme/nvme_wire.hpp"

namespace tessera::nvme {

struct ErrorEntry {
  std::uint64_t count = 0;    ///< number of the error, from 1
  std::uint16_t sq = 0xffff;  ///< all ones: not of one command
  std::uint16_t command = 0xffff;
  Outcome outcome = NvmeStatus::success;
  std::uint64_t block = 0;
  std::uint32_t namespace_id = 0;
};

/// Critical warnings (5.14.1.2).
enum Warning : std::uint8_t { spare_warning = 1, temperature_warning = 2 };
inline constexpr std::uint8_t spare_threshold = 10;  // percent: ours

class Logs {
 public:
  static constexpr std::size_t most_errors = 64;

  void failed(std::uint16_t sq, const NvmeCommand& command, Outcome outcome);
  /// Of no command: a doorbell.
  void failed(NvmeStatus status) { add({.outcome = {status, no_parameter}}); }
  void transferred(bool read, std::uint64_t blocks);
  void power_on() { ++power_cycles_; }
  [[nodiscard]] bool has_power_cycles() const { return power_cycles_ != 0; }
  void unsafe_shutdown() { ++unsafe_shutdowns_; }

  /// Log page 01h: the newest first.
  [[nodiscard]] std::vector<std::byte> errors() const;
  /// Log page 02h. `warnings`: critical ones.
  [[nodiscard]] std::vector<std::byte> smart(const DriveHealth& health, Picoseconds now, std::uint8_t warnings) const;
  /// Log page 03h: one slot, that cannot be written.
  [[nodiscard]] static std::vector<std::byte> firmware(const Config& config);

 private:
  void add(ErrorEntry entry);

  std::deque<ErrorEntry> errors_;
  std::uint64_t error_count_ = 0;
  std::uint64_t blocks_read_ = 0;
  std::uint64_t blocks_written_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t power_cycles_ = 0;
  std::uint64_t unsafe_shutdowns_ = 0;
  std::uint64_t media_errors_ = 0;  // reads and writes that the drive failed
};

}  // namespace tessera::nvme
