#pragma once
// What the host does about commands that the drive does not answer in time, after the error handling of Linux (drivers/scsi/scsi_error.c).
//
// A command that is overdue is aborted, and from there on the host sends nothing new. An abort that is not answered in its time is
// followed by a reset, which aborts all that is at the drive. Once the drive holds nothing any more, what came back aborted is sent again,
// one after another and in the order of the requests, as libata does without native queueing; each waits `retry_delay` first and has the
// whole timeout for itself. Only then does the host go on with its queue.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/metrics.hpp"
#include "base/timeline.hpp"
#include "host/host_request.hpp"

namespace tessera {

struct ErrorHandlingConfig {
  Picoseconds command_timeout{};  ///< from each sending of a command to its answer; 0: the host waits
  Picoseconds abort_timeout{};    ///< from an abort, or a reset, to its answer
  Picoseconds retry_delay{};      ///< before a command is sent again
  std::uint32_t retries = 5;      ///< how often a command is sent again before it fails
};

class ErrorHandling final : private TimelineListener {
 public:
  /// The host that sends and aborts.
  class Host {
   public:
    virtual void send_again(HostRequest& request) = 0;
    virtual void give_up(HostRequest& request) = 0;

   protected:
    ~Host() = default;
  };

  ErrorHandling(const ErrorHandlingConfig& config, std::uint32_t tags, Timeline& timeline, Host& host);

  /// A command goes to the drive at now().
  void sent(HostRequest& request);
  /// A command came back. True: it did so aborted and is kept, with its tag, to be sent again.
  [[nodiscard]] bool keeps(HostRequest& request);
  /// All commands are lost with the power, and nothing is kept.
  void power_lost();

  /// Whether the host may send what is new.
  [[nodiscard]] bool idle() const { return !handling_; }
  [[nodiscard]] bool at_drive(const HostRequest& request) const { return commands_[request.tag].request != nullptr; }
  /// Adds `host.aborts`, `host.resets` and `host.repeats`, where the host gives anything up at all.
  void report(MetricSet& metrics) const;

 private:
  enum Alarm : std::uint64_t { answer_due, repeat_due };
  struct Command {
    HostRequest* request = nullptr;  // null: not at the drive
    Picoseconds deadline;            // of the answer, or of that to an abort
  };
  void on_time(std::uint64_t argument) override;
  void watch();
  void give_up_overdue();
  void repeat_first();

  ErrorHandlingConfig config_;
  Timeline& timeline_;
  Host& host_;
  std::vector<Command> commands_;  // by tag
  std::uint32_t at_drive_ = 0;
  std::vector<HostRequest*> kept_;  // to be sent again, in the order of the requests
  bool handling_ = false;
  bool watching_ = false;  // a look for overdue answers is posted
  std::uint64_t aborts_ = 0;
  std::uint64_t resets_ = 0;
  std::uint64_t repeats_ = 0;
};

}  // namespace tessera
