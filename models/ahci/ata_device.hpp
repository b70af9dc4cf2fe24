#pragma once
// The drive's side of the link: what a command asks for, and what the drive remembers between commands. It moves nothing itself.
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ahci/ahci_config.hpp"
#include "ahci/ata_general_logs.hpp"
#include "ahci/ata_logs.hpp"
#include "ahci/ata_wire.hpp"

namespace tessera::ahci {

/// How a command's data crosses the link.
enum class Protocol : std::uint8_t { none, pio, dma, queued };

/// What a command comes to.
struct Action {
  enum class Kind : std::uint8_t {
    refuse,  ///< with `error`
    done,    ///< without more
    page,    ///< `data` goes to the host
    read,
    verify,  ///< a read whose data nobody wants
    write,
    flush,
    trim,  ///< `blocks` of ranges come from the host
    log    ///< `blocks` of the host's come, for a log from page `first` on
  };
  Kind kind = Kind::done;
  Protocol protocol = Protocol::none;
  std::uint64_t first = 0;  ///< block
  std::uint32_t blocks = 0;
  std::uint32_t piece = 1;  ///< blocks of one set-up FIS (PIO)
  bool is_short = false;    ///< addresses have 28 bits
  bool force_unit_access = false;
  std::uint8_t error = 0;
  std::uint8_t log_address = 0;
  bool stops_spindle = false;
  bool sleeps = false;
  bool ends_queue = false;  ///< what is queued is given up, as an error among queued commands does
  TaskFile answer{};        ///< of a command without error
  std::vector<std::byte> data{};

  [[nodiscard]] bool reads() const { return kind == Kind::read || kind == Kind::verify; }
  [[nodiscard]] bool to_host() const { return kind == Kind::page || kind == Kind::read; }
  [[nodiscard]] bool from_host() const { return kind == Kind::write || kind == Kind::trim || kind == Kind::log; }
  [[nodiscard]] std::uint32_t bytes() const { return kind == Kind::page ? static_cast<std::uint32_t>(data.size()) : blocks * 512; }
  [[nodiscard]] std::uint32_t piece_bytes() const { return piece * 512; }
};

/// A range of DATA SET MANAGEMENT.
struct TrimRange {
  std::uint64_t first = 0;
  std::uint32_t blocks = 0;
};

class AtaDevice {
 public:
  explicit AtaDevice(const Config& config) : config_(config) {}

  /// Of the drive, in blocks, once it has power.
  void set_blocks(std::uint64_t blocks) { blocks_ = blocks; }
  /// `queued`: the tags that are under way.
  [[nodiscard]] Action take(const AtaCommand& command, std::uint32_t queued);
  /// The ranges in the data of a `trim`, or nothing where one is beyond the drive.
  [[nodiscard]] std::optional<std::vector<TrimRange>> ranges(std::span<const std::byte> data) const;

  /// The data of a `log`.
  void write_log(const Action& action, std::span<const std::byte> data);
  /// A command ends without error.
  void completed(const Action& action);
  /// In Sleep mode: nothing is answered until a reset.
  [[nodiscard]] bool asleep() const { return asleep_; }

  /// A queued command failed: until its log page is read, others do.
  void queue_failed(std::uint32_t tag, bool queued, const TaskFile& file);
  [[nodiscard]] bool queue_has_failed() const { return queue_failed_; }
  /// A read or a write failed with this task file.
  void failed(const AtaCommand& command, const TaskFile& file) { logs_.failed(command, file, now()); }

  /// By the reset bit of the control register.
  void reset() { queue_failed_ = asleep_ = false; }
  /// By COMRESET: the link came up at a speed (generation), and settings stay where the host has not switched off that they do.
  void hard_reset(std::uint32_t generation);
  void power_on();
  void power_off();

  /// The task file after a reset: the signature of a drive without packets.
  [[nodiscard]] static TaskFile signature() { return {.status = status_idle, .error = 1, .count = 1, .lba = 1}; }

 private:
  /// Pages of a log, as a command names them.
  struct LogPages {
    LogSet set = LogSet::general;
    std::uint8_t address = 0;
    std::uint64_t first = 0;
    std::uint32_t count = 0;
    Protocol protocol = Protocol::pio;
  };

  [[nodiscard]] Action transfer(const AtaCommand& command);
  [[nodiscard]] Action features(const AtaCommand& command);
  [[nodiscard]] Action transfer_mode(std::uint8_t mode);
  [[nodiscard]] Action multiple_mode(std::uint32_t blocks);
  [[nodiscard]] Action smart_page(const AtaCommand& command);
  [[nodiscard]] Action stand_by();
  [[nodiscard]] Action turn();
  [[nodiscard]] bool in_standby() const { return config_.spindle.exists() ? config_.spindle.stopped() : rests_; }
  [[nodiscard]] Action log(const LogPages& pages);
  [[nodiscard]] Action log_to_write(const LogPages& pages) const;
  [[nodiscard]] std::vector<std::byte> log_content(LogSet set, std::uint8_t address) const;
  [[nodiscard]] DeviceState state() const;
  [[nodiscard]] DriveHealth health() const { return config_.health ? config_.health() : DriveHealth(); }
  [[nodiscard]] Picoseconds now() const { return config_.now ? config_.now() : Picoseconds(); }

  const Config& config_;
  std::uint64_t blocks_ = 0;
  std::uint32_t generation_ = 0;  // of the link, as it came up
  DeviceSettings settings_;
  bool preserves_ = true;  // settings over a COMRESET
  bool smart_on_ = true;
  bool rests_ = false;    // in Standby mode, where the drive has no spindle that stops
  bool standby_ = false;  // the host has announced the end of power
  bool asleep_ = false;
  bool queue_failed_ = false;
  std::vector<std::byte> failed_page_;
  Logs logs_;
  std::map<std::uint8_t, std::vector<std::byte>> host_logs_;  // that it has written to
};

}  // namespace tessera::ahci
