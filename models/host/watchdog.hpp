#pragma once
// Liveness: a command that the drive does not answer in time ends the run as a bug of the model, with all that is known about it.
//
// It measures time at the drive, from the instant at which the host spends a tag; what waits at the host may wait for ever. A FLUSH
// has a day, as the drain of a run has: it empties caches of any size. One timer covers all commands: it looks again when the first of
// those that it saw would be overdue, or one issued meanwhile.
#include <functional>
#include <string>
#include <vector>

#include "base/timeline.hpp"
#include "host/host_request.hpp"

namespace tessera {

class Watchdog final : private TimelineListener {
 public:
  /// What the drive is doing, in words.
  using Account = std::function<std::string()>;

  Watchdog(Timeline& timeline, Picoseconds patience, std::uint32_t tags);

  /// Watches from here on; with no patience at all it never looks.
  void start(Account account) { account_ = std::move(account); }

  void issued(const HostRequest& request);
  /// A piece of a command's data crossed the link: the drive lives, and what waits behind that command may wait for as long again.
  void moved();
  void answered(const HostRequest& request) { commands_[request.tag].request = nullptr; }
  [[nodiscard]] bool in_use(std::uint32_t tag) const { return commands_[tag].request != nullptr; }
  /// All commands are lost with the power.
  void power_off();

 private:
  struct Command {
    const HostRequest* request = nullptr;  // null: the tag is free
    Picoseconds since;
    Picoseconds due;
  };
  void on_time(std::uint64_t argument) override;
  [[noreturn]] void bark(const Command& command) const;

  Timeline& timeline_;
  Picoseconds patience_;
  std::vector<Command> commands_;  // by tag
  Account account_;
  bool posted_ = false;
};

}  // namespace tessera
