#include "stimuli/player/error_handling.hpp"

#include <algorithm>

namespace tessera {

ErrorHandling::ErrorHandling(const ErrorHandlingConfig& config, std::uint32_t tags, Timeline& timeline, Host& host)
    : config_(config), timeline_(timeline), host_(host), commands_(tags) {}

void ErrorHandling::sent(HostRequest& request) {
  request.aborted = false;
  commands_[request.tag] = {&request, timeline_.now() + config_.command_timeout};
  ++at_drive_;
  watch();
}

bool ErrorHandling::keeps(HostRequest& request) {
  commands_[request.tag].request = nullptr;
  --at_drive_;
  const bool kept = request.aborted && request.status == Status::aborted && request.attempts < config_.retries;
  if (kept) {
    ++request.attempts;
    const auto later = [](const HostRequest* a, const HostRequest* b) { return a->number < b->number; };
    kept_.insert(std::upper_bound(kept_.begin(), kept_.end(), &request, later), &request);
  }
  if (!handling_ || at_drive_ > 0) return kept;
  if (kept_.empty())
    handling_ = false;
  else
    timeline_.post(timeline_.now() + config_.retry_delay, *this, repeat_due);
  return kept;
}

void ErrorHandling::on_time(std::uint64_t argument) {
  if (argument == repeat_due) return repeat_first();
  watching_ = false;
  give_up_overdue();
  watch();
}

/// Looks when the first answer is overdue.
void ErrorHandling::watch() {
  if (config_.command_timeout == Picoseconds(0) || watching_ || at_drive_ == 0) return;
  std::optional<Picoseconds> first;
  for (const Command& command : commands_)
    if (command.request != nullptr && (!first || command.deadline < *first)) first = command.deadline;
  watching_ = true;
  timeline_.post(*first, *this, answer_due);
}

void ErrorHandling::give_up_overdue() {
  const Picoseconds now = timeline_.now();
  const auto overdue = [now](const Command& command) { return command.request != nullptr && command.deadline <= now; };
  const bool reset =
      std::any_of(commands_.begin(), commands_.end(), [&](const Command& command) { return overdue(command) && command.request->aborted; });
  if (reset) ++resets_;
  for (Command& command : commands_) {
    if (command.request == nullptr || !(reset || overdue(command))) continue;
    handling_ = true;
    command.deadline = now + config_.abort_timeout;
    if (command.request->aborted) continue;
    ++aborts_;
    host_.give_up(*command.request);
  }
}

void ErrorHandling::repeat_first() {
  HostRequest& request = *kept_.front();
  kept_.erase(kept_.begin());
  ++repeats_;
  request.status = Status::ok;
  request.life.account(LifePhase::host_queue, timeline_.now(), Cause::recovery);
  host_.send_again(request);
}

void ErrorHandling::power_lost() {
  timeline_.withdraw(*this);
  for (Command& command : commands_) command.request = nullptr;
  kept_.clear();
  at_drive_ = 0;
  handling_ = watching_ = false;
}

void ErrorHandling::report(MetricSet& metrics) const {
  if (config_.command_timeout == Picoseconds(0)) return;
  metrics.count("host.aborts", static_cast<double>(aborts_), "1", "commands that the host gave up because they were not answered in time");
  metrics.count("host.resets", static_cast<double>(resets_), "1",
                "times that an abort was not answered either and the host gave up everything");
  metrics.count("host.repeats", static_cast<double>(repeats_), "1", "commands that came back aborted and were sent again");
}

}  // namespace tessera
