#pragma once
// An array's commands on their way to one drive: what the host waits for and background work in two queues, and the tags of the link.
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "base/timeline.hpp"
#include "host/host_request.hpp"
#include "stimuli/hosts/drive_commands.hpp"
#include "stimuli/player/player.hpp"
#include "stimuli/player/player_statistics.hpp"

namespace tessera {

class CommandReceiver {
 public:
  /// The drive's answer, which is gone when this returns; `part` is as sent.
  virtual void answered(std::uint32_t part, HostRequest& command) = 0;

 protected:
  ~CommandReceiver() = default;
};

struct ArrayCommand {
  HostOp op = HostOp::read;
  bool force_unit_access = false;
  HostRun blocks;                  ///< of the drive
  std::vector<std::byte> content;  ///< as HostRequest::content
  CommandPriority priority = CommandPriority::foreground;
  CommandReceiver* receiver = nullptr;
  std::uint32_t part = 0;
};

class DriveQueue final : private TimelineListener {
 public:
  DriveQueue(Timeline& timeline, HostLink& drive, std::uint32_t tags, std::uint32_t background_tags);
  ~DriveQueue() { timeline_.withdraw(*this); }
  DriveQueue(const DriveQueue&) = delete;
  DriveQueue& operator=(const DriveQueue&) = delete;

  /// `late` is called when a command has been at the drive for so long; an outage that the host sits out does not count.
  void watch(Picoseconds time_out, std::function<void()> late);

  /// To a drive that failed, the answer is there at once: Status::aborted.
  void send(ArrayCommand&& command);
  /// The answer to a command that is not sent is there at once.
  void refuse(const ArrayCommand& command, Status status) const;
  /// The drive completed a command at now(); of one that failed, nobody waits for it.
  void completed(HostRequest& request);

  /// The drive fails: all that is under way or waits is answered so, in order of sending.
  void fail();
  [[nodiscard]] bool failed() const { return failed_; }
  /// The drive lost its power and the host did not: what is under way waits for it.
  void suspend();
  /// It answers again: what was under way is sent again, in order, before what waited.
  void resume();
  /// The host lost its memory: nobody waits for anything.
  void forget();

  /// Commands at the drive or waiting for it.
  [[nodiscard]] std::size_t length() const { return slots_.size() - free_.size() + queues_[0].size() + queues_[1].size(); }
  /// Where the last command for it ended.
  [[nodiscard]] HostBlock position() const { return position_; }
  [[nodiscard]] const PlayerStatistics& statistics() const { return statistics_; }
  void reset_statistics() { statistics_ = PlayerStatistics(); }
  /// Commands that were sent so far belong to the warm-up.
  void end_warmup() {
    statistics_.leave_out_so_far();
    warmup_ = sent_;
  }

 private:
  struct Waiting {
    ArrayCommand command;
    Picoseconds since;
  };
  struct Slot {
    HostRequest request;
    CommandReceiver* receiver = nullptr;  // null: free
    std::uint32_t part = 0;
    CommandPriority priority = CommandPriority::foreground;
    Picoseconds sent;
  };
  void on_time(std::uint64_t) override;
  void await_answer(Picoseconds sent);
  void pump();
  void issue(std::deque<Waiting>& queue);
  /// At the drive, with a tag that is free.
  void issue(ArrayCommand&& command, Picoseconds since);
  [[nodiscard]] std::vector<Slot*> at_drive() const;
  void answer(Slot& slot);

  Timeline& timeline_;
  HostLink& drive_;
  std::uint32_t background_tags_;
  std::vector<std::unique_ptr<Slot>> slots_;  // by tag: the drive keeps pointers
  std::vector<std::uint32_t> free_;
  std::array<std::deque<Waiting>, 2> queues_;  // by priority
  std::uint32_t background_ = 0;               // at the drive
  std::uint64_t sent_ = 0;
  std::uint64_t warmup_ = 0;  // of those sent
  HostBlock position_;
  bool failed_ = false;
  bool suspended_ = false;
  Picoseconds time_out_;  // 0: none
  std::function<void()> late_;
  bool awaits_ = false;  // a look at the oldest command is due
  PlayerStatistics statistics_;
};

}  // namespace tessera
