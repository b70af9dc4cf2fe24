#pragma once
// Reads back every block that was ever written and prefilled ones beside them (PrefilledSample), and tells the scoreboard of what cannot be
// read.
#include <functional>

#include "platforms/drive/drive_module.hpp"
#include "platforms/run/sweep_report.hpp"
#include "stimuli/player/host_front.hpp"
#include "stimuli/player/player.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"
#include "stimuli/scoreboard/verification_source.hpp"

namespace tessera {

/// A closed-loop player of its own, while the run's player has nothing at the drive: it stays out of the statistics.
class VerificationSweep final : private PlayerEndListener, private RequestObserver {
 public:
  /// `tags`: of the host interface. `ended` is called from within the last completion, or from start() where there is nothing to read.
  VerificationSweep(DriveModule& drive, HostFront& host, Scoreboard& scoreboard, std::uint32_t tags, std::function<void()> ended);
  /// Of several drives under one host; nothing that was prefilled is read.
  VerificationSweep(Timeline& timeline, HostFront& host, Scoreboard& scoreboard, std::uint32_t tags, std::function<void()> ended);
  ~VerificationSweep() override;

  /// Of a copy of the process (sweep_report.hpp): what the scoreboard is told goes through `report`, which outlives the sweep. Before
  /// start().
  void report_to(SweepReport& report);

  void start();
  /// The power is cut in the middle of it: a sweep is not resumed but made anew.
  void power_lost();
  [[nodiscard]] bool running() const { return running_; }
  /// Whether a stop signal ended it.
  [[nodiscard]] bool stopped() const { return player_.stopped(); }

 private:
  VerificationSweep(Timeline& timeline, std::vector<HostRun> prefilled, HostFront& host, Scoreboard& scoreboard, std::uint32_t tags,
                    std::function<void()> ended);
  void on_end(Picoseconds) override;
  void on_complete(const HostRequest& request, Picoseconds now) override;

  Timeline& timeline_;
  HostFront& host_;
  Scoreboard& scoreboard_;
  VerificationSource source_;
  Player player_;
  std::function<void()> ended_;
  SweepReport* report_ = nullptr;
  bool running_ = false;
};

}  // namespace tessera
