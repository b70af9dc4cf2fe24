#include "platforms/run/verification_sweep.hpp"

#include <algorithm>
#include <utility>

#include "platforms/run/stop_signals.hpp"
#include "stimuli/scoreboard/prefilled_sample.hpp"

namespace tessera {

namespace {

/// Requests under way at once, as far as the drive has tags.
constexpr std::uint32_t most_at_once = 8;

PlayerConfig player_config(std::uint32_t tags) {
  const std::uint32_t depth = std::min(tags, most_at_once);
  return {ReplayPolicy{ReplayKind::closed, depth}, depth, 0};
}

/// Prefilled blocks that the reads go to beside those that were written.
std::vector<HostRun> prefilled_blocks(const DriveModule& drive, const Scoreboard& scoreboard) {
  const PrefillContents* contents = drive.prefill_contents();
  if (contents == nullptr) return {};
  std::vector<HostRun> changed;
  for (const std::uint64_t track : drive.media().device().content().changed_initial())
    for (const HostRun& run : contents->blocks_on(track)) changed.push_back(run);
  return PrefilledSample::choose(contents->blocks(), scoreboard.written(PrefilledBlocks::stretch), changed);
}

}  // namespace

VerificationSweep::VerificationSweep(DriveModule& drive, HostFront& host, Scoreboard& scoreboard, std::uint32_t tags,
                                     std::function<void()> ended)
    : VerificationSweep(drive.timeline(), prefilled_blocks(drive, scoreboard), host, scoreboard, tags, std::move(ended)) {}

VerificationSweep::VerificationSweep(Timeline& timeline, HostFront& host, Scoreboard& scoreboard, std::uint32_t tags,
                                     std::function<void()> ended)
    : VerificationSweep(timeline, {}, host, scoreboard, tags, std::move(ended)) {}

VerificationSweep::VerificationSweep(Timeline& timeline, std::vector<HostRun> prefilled, HostFront& host, Scoreboard& scoreboard,
                                     std::uint32_t tags, std::function<void()> ended)
    : timeline_(timeline),
      host_(host),
      scoreboard_(scoreboard),
      source_(scoreboard, std::move(prefilled)),
      player_(player_config(tags), timeline, source_, host),
      ended_(std::move(ended)) {
  player_.set_checker(scoreboard);
  player_.set_end_listener(*this);
  player_.add_observer(*this);
}

VerificationSweep::~VerificationSweep() { timeline_.withdraw(player_); }

void VerificationSweep::report_to(SweepReport& report) {
  report_ = &report;
  player_.set_checker(report);
}

void VerificationSweep::start() {
  if (source_.requests() == 0) return ended_();
  host_.set_receiver([this](HostRequest& request) { player_.completed(request); });
  running_ = true;
  player_.start();
}

void VerificationSweep::on_end(Picoseconds) {
  running_ = false;
  ended_();
}

void VerificationSweep::power_lost() {
  if (running_) player_.power_lost();
  running_ = false;
}

void VerificationSweep::on_complete(const HostRequest& request, Picoseconds) {
  if (!ok(request.status)) report_ == nullptr ? scoreboard_.unreadable(request) : report_->unreadable(request);
  if (stop_signal() != 0 && !player_.stopped()) player_.stop();
}

}  // namespace tessera
