#pragma once
// The commands of a translating host on their way to the drive: two queues, the tags of the link, and who waits for each command.
//
// A drive that cannot read a sector says so, and the host passes it on or carries the sector as lost. A drive that cannot write has no
// spares left: a zone is read only from there on, and what the host's tables count on is not on the drive. The host then writes nothing
// more, as a file system that remounts read only: what it has promised stays where it is, it serves reads, and it refuses the rest.
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/timeline.hpp"
#include "host/host_request.hpp"
#include "stimuli/hosts/translating_host.hpp"
#include "stimuli/player/player.hpp"

namespace tessera {

/// What an application waits for goes first; background commands have a few tags at once, and each queue keeps its order, which is what
/// writes at a write pointer need.
enum class CommandPriority : std::uint8_t { foreground, background };

class DriveCommands {
 public:
  /// Called with the drive's answer, which is gone when it returns.
  using Done = std::function<void(HostRequest&)>;

  DriveCommands(Timeline& timeline, HostLink& link, const DriveZones& drive, std::uint32_t background_tags);

  /// `blocks` of REPORT ZONES: where it begins, and its pages. `content`, as HostRequest::content, is filled up with zeros.
  void send(HostOp op, HostRun blocks, CommandPriority priority, Done done, std::vector<std::byte> content = {});
  /// A read that is sent again while it fails: a wrong bit on the way takes one alone, and must not pass for what is not on the drive.
  /// Linux gives a command to a SCSI disk five retries (SD_MAX_RETRIES).
  void read_surely(HostRun blocks, CommandPriority priority, Done done, std::uint32_t tries = 6);
  /// Calls `then` once all that the drive has completed is durable: at once, unless the drive has a volatile cache.
  void settle(CommandPriority priority, std::function<void()> then);
  /// The drive completed a command at now().
  void completed(HostRequest& request);
  /// Called when the drive refuses a command that changes something, once. From then on such commands are neither sent nor answered.
  void on_refusal(std::function<void()> listener) { listener_ = std::move(listener); }
  /// The host itself has found a zone that takes no writes.
  void refuse() { refused_ = true; }
  [[nodiscard]] bool refused() const { return refused_; }
  /// Nothing of what was sent is answered.
  void power_lost();

  [[nodiscard]] bool idle() const { return free_.size() == slots_.size() && queues_[0].empty() && queues_[1].empty(); }
  [[nodiscard]] std::uint64_t sent() const { return sent_; }

 private:
  struct Waiting {
    HostOp op;
    HostRun blocks;
    std::vector<std::byte> content;
    Done done;
    Picoseconds since;
  };
  struct Slot {
    HostRequest request;
    Done done;
    CommandPriority priority = CommandPriority::foreground;
  };
  void issue(CommandPriority priority);
  [[nodiscard]] bool taken(const HostRequest& request);
  void pump();

  Timeline& timeline_;
  HostLink& drive_;
  std::uint32_t background_tags_;
  bool volatile_cache_;
  bool faults_;
  bool refused_ = false;
  std::function<void()> listener_;
  std::size_t kept_;                          // of a block, in bytes
  std::vector<std::unique_ptr<Slot>> slots_;  // by tag: the drive keeps pointers
  std::vector<std::uint32_t> free_;
  std::deque<Waiting> queues_[2];  // by priority
  std::uint32_t background_ = 0;   // at the drive
  std::uint64_t sent_ = 0;
};

}  // namespace tessera
