#pragma once
// What the drive counts for SMART (ACS-3, 7.48; the attributes as drives' makers number them), and log page 10h.
#include <cstdint>
#include <vector>

#include "ahci/ata_wire.hpp"
#include "bus/host_controller.hpp"

namespace tessera::ahci {

/// The error among queued commands (ACS-3, 9.14). `queued`: whether the failed command was.
[[nodiscard]] std::vector<std::byte> queue_error_page(std::uint32_t tag, bool queued, const TaskFile& file);

class Logs {
 public:
  void transferred(bool read, std::uint32_t blocks) {
    (read ? blocks_read_ : blocks_written_) += blocks;
    ++(read ? reads_ : writes_);
  }
  void failed() { ++failures_; }
  void power_on() { ++power_cycles_; }
  void unsafe_shutdown() { ++unsafe_shutdowns_; }

  /// SMART READ DATA.
  [[nodiscard]] std::vector<std::byte> smart(const DriveHealth& health, Picoseconds now) const;
  /// SMART READ THRESHOLDS.
  [[nodiscard]] static std::vector<std::byte> thresholds();
  /// Log 04h, device statistics: the list of pages, and general statistics (ACS-3, 9.5).
  [[nodiscard]] std::vector<std::byte> statistics(Picoseconds now) const;
  [[nodiscard]] static bool threshold_exceeded(const DriveHealth& health);

 private:
  std::uint64_t blocks_read_ = 0;
  std::uint64_t blocks_written_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t failures_ = 0;  // reads and writes that the drive failed
  std::uint64_t power_cycles_ = 0;
  std::uint64_t unsafe_shutdowns_ = 0;
};

}  // namespace tessera::ahci
