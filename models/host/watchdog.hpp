#pragma once
// Liveness: what becomes of a command that the drive does not answer in time.
//
// A drive that is slow is no bug: the command is counted, with all that is known about the first, and the run goes on. A drive that never
// answers is: no event is left that could bring the answer, there are events without end that are no work of its devices, or a day has
// passed since the command was late, and it was no one operation of a device that took it.
//
// It measures time at the drive, from the instant at which the host spends a tag; what waits at the host may wait for ever. A FLUSH
// has a day, as the drain of a run has: it empties caches of any size. One timer covers all commands: it looks again when the first of
// those that it saw would be overdue, or one issued meanwhile.
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/long_wait.hpp"
#include "base/timeline.hpp"
#include "host/host_request.hpp"

namespace tessera {

class Watchdog final : private TimelineListener {
 public:
  /// What the drive is doing, in words.
  using Account = std::function<std::string()>;
  using Work = std::function<DeviceWork()>;

  Watchdog(Timeline& timeline, Picoseconds patience, std::uint32_t tags);

  /// Watches from here on; with no patience at all it never looks.
  void start(Account account, Work work) {
    account_ = std::move(account);
    work_ = std::move(work);
  }

  void issued(const HostRequest& request);
  /// A piece of a command's data crossed the link: the drive lives, and what waits behind that command may wait for as long again.
  void moved();
  void answered(const HostRequest& request) { commands_[request.tag].request = nullptr; }
  [[nodiscard]] bool in_use(std::uint32_t tag) const { return commands_[tag].request != nullptr; }
  /// Takes its timer back if no command waits: the next one sets it again.
  void stand_down();
  /// All commands are lost with the power.
  void power_off();

  /// Commands that were not answered in time, of the whole run.
  [[nodiscard]] std::uint64_t overdue() const { return overdue_; }
  /// The first of them, and what the drive did instead; "" where there is none.
  [[nodiscard]] const std::string& first_overdue() const { return first_overdue_; }

 private:
  struct Command {
    const HostRequest* request = nullptr;  // null: the tag is free
    Picoseconds since;
    Picoseconds due;
    LongWait wait;  // once it is overdue
    std::optional<Picoseconds> late_since;
    std::uint64_t operations = 0;  // of devices, when it was last looked at
    bool counted = false;          // as overdue
  };
  void on_time(std::uint64_t argument) override;
  void look_at(Command& command);
  [[nodiscard]] Picoseconds patience_with(const HostRequest& request) const;
  [[nodiscard]] std::string in_words(const Command& command, const char* verdict) const;

  Timeline& timeline_;
  Picoseconds patience_;
  std::vector<Command> commands_;  // by tag
  Account account_;
  Work work_;
  bool posted_ = false;
  std::uint64_t overdue_ = 0;
  std::string first_overdue_;
};

}  // namespace tessera
