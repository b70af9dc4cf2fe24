#pragma once
// What the drive counts for SMART (ACS-3, 7.48; the attributes as drives' makers number them), its error logs, and log page 10h.
#include <cstdint>
#include <deque>
#include <vector>

#include "ahci/ata_wire.hpp"
#include "bus/host_controller.hpp"

namespace tessera::ahci {

/// The error among queued commands (ACS-3, 9.14). `queued`: whether the failed command was.
[[nodiscard]] std::vector<std::byte> queue_error_page(std::uint32_t tag, bool queued, const TaskFile& file);

/// An attribute of SMART: what it is, how good its value is (100: as new), below which value it fails (0: never), and its raw number.
struct Attribute {
  std::uint8_t id = 0;
  std::uint8_t value = 100;
  std::uint8_t threshold = 0;
  std::uint64_t raw = 0;
};

class Logs {
 public:
  void transferred(bool read, std::uint32_t blocks) {
    (read ? blocks_read_ : blocks_written_) += blocks;
    ++(read ? reads_ : writes_);
  }
  /// A command came, which the error logs tell where it or one of the next four fails.
  void seen(const AtaCommand& command, Picoseconds now);
  /// A read or a write failed. What the drive refuses is no failure.
  void failed(const AtaCommand& command, const TaskFile& file, Picoseconds now);
  void power_on(Picoseconds now) {
    ++power_cycles_;
    power_on_ = now;
  }
  void unsafe_shutdown() { ++unsafe_shutdowns_; }

  /// SMART READ DATA.
  [[nodiscard]] std::vector<std::byte> smart(const DriveHealth& health, Picoseconds now) const;
  /// SMART READ THRESHOLDS.
  [[nodiscard]] std::vector<std::byte> thresholds() const;
  /// Log 04h, device statistics (ACS-3, 9.5): the list of pages, general, of rotating media, and of errors. Page 02h is not listed.
  [[nodiscard]] std::vector<std::byte> statistics(const DriveHealth& health, Picoseconds now) const;
  static constexpr std::uint32_t statistics_pages = 5;
  [[nodiscard]] static bool threshold_exceeded(const DriveHealth& health);
  /// Logs 01h and 03h: the last five and four failures, each with up to five commands (ACS-3, A.19 and A.9).
  [[nodiscard]] std::vector<std::byte> error_summary() const { return error_page(false); }
  [[nodiscard]] std::vector<std::byte> errors() const { return error_page(true); }

 private:
  struct Seen {
    AtaCommand command;
    std::uint32_t milliseconds = 0;  ///< since the power came
  };
  struct Failure {
    std::deque<Seen> commands;  ///< the last one failed
    TaskFile file;
    std::uint16_t hours = 0;
  };
  [[nodiscard]] std::vector<Attribute> attributes(const DriveHealth& health, Picoseconds now) const;
  [[nodiscard]] std::vector<std::byte> error_page(bool extended) const;

  static constexpr std::size_t most_commands = 5, most_failures = 5;

  std::uint64_t blocks_read_ = 0;
  std::uint64_t blocks_written_ = 0;
  std::uint64_t reads_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t failures_ = 0;    // reads and writes that the drive failed
  std::uint64_t unreadable_ = 0;  // reads among them
  std::deque<Seen> seen_;
  std::deque<Failure> last_;  // failures
  std::uint64_t power_cycles_ = 0;
  Picoseconds power_on_;
  std::uint64_t unsafe_shutdowns_ = 0;
};

}  // namespace tessera::ahci
