#pragma once
// A verification that moves nothing of what it looks at. At the instant at which it is due a copy of the process makes it, on its copy of
// the drive, and passes on what the scoreboard is told; the scoreboard here is told the same, in the same order, and the run goes on as if
// nobody had looked.
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "base/fault_listener.hpp"
#include "base/state_stream.hpp"
#include "platforms/run/process_copy.hpp"
#include "stimuli/player/request_observer.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"

namespace tessera {

/// How a verification ended.
enum class SweepEnd : std::uint8_t {
  whole,
  stopped,   ///< by a stop signal
  restarted  ///< errors of the DRAM came faster than the firmware boots
};

/// Of the copy: the scoreboard's ears.
class SweepReport final : public ContentChecker, public FaultListener {
 public:
  /// The scoreboard outlives it.
  SweepReport(std::unique_ptr<ProcessCopy> copy, Scoreboard& scoreboard) : copy_(std::move(copy)), scoreboard_(scoreboard) {}

  void issued(HostRequest& request) override;
  void completed(const HostRequest& request) override;
  void lost(const HostRequest& request) override;
  void power_cut() override;
  void destroyed(ConstContentSpan sector) override;
  // As the scoreboard's.
  void unreadable(const HostRequest& request);
  void in_doubt(HostRun blocks);
  void untold(std::span<const HostRun> blocks, Scoreboard::Piece piece);

  /// What ends the copy, too.
  [[noreturn]] void ended(SweepEnd how);
  [[noreturn]] void failed(const std::exception& error);

 private:
  void send(const StateWriter& words) const { copy_->answer(words.state()); }

  std::unique_ptr<ProcessCopy> copy_;
  Scoreboard& scoreboard_;
};

/// Of the process that made the copy: tells the scoreboard what the copy's was told. ModelBug or InputError with what the copy ended by.
[[nodiscard]] SweepEnd hear_sweep(ProcessCopy& copy, Scoreboard& scoreboard);

}  // namespace tessera
