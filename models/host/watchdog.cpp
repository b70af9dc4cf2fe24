#include "host/watchdog.hpp"

#include <algorithm>
#include <sstream>

#include "base/liveness_bug.hpp"

namespace tessera {

using namespace literals;

namespace {

constexpr Picoseconds a_day = 86'400_s;

double milliseconds(Picoseconds time) { return static_cast<double>(time.value()) * 1e-9; }

}  // namespace

Watchdog::Watchdog(Timeline& timeline, Picoseconds patience, std::uint32_t tags)
    : timeline_(timeline), patience_(patience), commands_(tags) {}

Picoseconds Watchdog::patience_with(const HostRequest& request) const {
  return request.op == HostOp::flush ? std::max(patience_, a_day) : patience_;
}

void Watchdog::issued(const HostRequest& request) {
  const Picoseconds now = timeline_.now();
  commands_[request.tag] = {&request, now, now + patience_with(request), {}, {}, 0, false};
  if (posted_ || patience_ == Picoseconds(0) || !account_) return;
  posted_ = true;
  timeline_.post(now + patience_, *this);
}

void Watchdog::moved() {
  for (Command& command : commands_) {
    command.due = std::max(command.due, timeline_.now() + patience_);
    command.wait = {};
    command.late_since.reset();
  }
}

void Watchdog::stand_down() {
  if (!posted_ || std::any_of(commands_.begin(), commands_.end(), [](const Command& command) { return command.request != nullptr; }))
    return;
  timeline_.withdraw(*this);
  posted_ = false;
}

void Watchdog::on_time(std::uint64_t) {
  posted_ = false;
  for (Command& command : commands_)
    if (command.request != nullptr && command.due <= timeline_.now()) look_at(command);
  const Command* first = nullptr;
  for (const Command& command : commands_)
    if (command.request != nullptr && (first == nullptr || command.due < first->due)) first = &command;
  if (first == nullptr) return;
  posted_ = true;
  timeline_.post(std::min(first->due, timeline_.now() + patience_), *this);
}

void Watchdog::look_at(Command& command) {
  if (timeline_.empty()) throw LivenessBug(in_words(command, "and no event is left that could bring an answer"));
  const DeviceWork work = work_();
  if (!command.late_since) command.late_since = timeline_.now();
  const bool one_operation = work.busy && work.operations == command.operations;
  command.operations = work.operations;
  if (command.wait.is_in_vain(timeline_.actions(), work) || (timeline_.now() - *command.late_since >= a_day && !one_operation))
    throw LivenessBug(in_words(command, "and has done other things without end since"));
  if (!command.counted) {
    command.counted = true;
    if (overdue_++ == 0) first_overdue_ = in_words(command, "and was still at work");
  }
  command.due = timeline_.now() + patience_with(*command.request);
}

std::string Watchdog::in_words(const Command& command, const char* verdict) const {
  const HostRequest& request = *command.request;
  std::ostringstream text;
  text << "liveness: the drive has not answered request " << request.number << " (" << to_string(request.op);
  if (request.op != HostOp::flush) text << " of " << request.blocks.count << " blocks from " << request.blocks.first.value();
  text << ", tag " << request.tag << ") within host.timeout, " << verdict << ": it is at the drive for "
       << milliseconds(timeline_.now() - command.since) << " ms, since " << milliseconds(command.since) << " ms\n  its life up to "
       << milliseconds(request.life.mark) << " ms:";
  for (std::size_t phase = 0; phase < life_phases; ++phase)
    if (request.life.parts[phase] != Picoseconds(0))
      text << " " << to_string(static_cast<LifePhase>(phase)) << " " << milliseconds(request.life.parts[phase]) << " ms";
  text << "\n" << account_();
  return text.str();
}

void Watchdog::power_off() {
  for (Command& command : commands_) command.request = nullptr;
  timeline_.withdraw(*this);
  posted_ = false;
}

}  // namespace tessera
