#include "controller/interrupt_controller.hpp"

#include <algorithm>
#include <string>

#include "base/error.hpp"

namespace tessera {

const char* to_string(InterruptLine line) {
  static constexpr const char* names[interrupt_lines] = {"host", "disk", "flash", "timer"};
  return names[static_cast<std::size_t>(line)];
}

InterruptController::InterruptController(Timeline& timeline, const CpuConfig& config, InterruptHandler& handler)
    : timeline_(timeline), latency_(config.interrupt_latency), handler_(handler) {
  for (std::size_t i = 0; i < interrupt_lines; ++i) {
    const auto line = static_cast<InterruptLine>(i);
    lines_[i].config = config.line(line);
    if ((lines_[i].config.coalesce > 1) == (lines_[i].config.coalesce_time > Picoseconds(0))) continue;
    const std::string name = std::string("controller.") + to_string(line) + "_interrupt.";
    throw InputError(name + "coalesce and " + name +
                     "coalesce_time go together: an interrupt that gathers completions needs a time at which it "
                     "waits for no more");
  }
}

bool InterruptController::equal_priorities() const {
  return std::ranges::all_of(lines_, [this](const Line& line) { return line.config.priority == lines_[0].config.priority; });
}

void InterruptController::raise(InterruptLine line, DeviceWait& wait, Picoseconds at) {
  Line& on = lines_[static_cast<std::size_t>(line)];
  ++on.completions;
  if (on.config.coalesce == 1) {
    ++on.interrupts;
    return handler_.interrupted(line, wait, at + latency_, true);
  }
  if (at > timeline_.now()) return timeline_.post(at, *this, arrivals_.put({line, &wait, 0}));
  gather(line, wait);
}

void InterruptController::gather(InterruptLine line, DeviceWait& wait) {
  Line& on = lines_[static_cast<std::size_t>(line)];
  on.gathered.push_back(&wait);
  if (on.gathered.size() == on.config.coalesce) return deliver(line);
  if (on.gathered.size() == 1) timeline_.post(timeline_.now() + on.config.coalesce_time, *this, arrivals_.put({line, nullptr, on.round}));
}

void InterruptController::deliver(InterruptLine line) {
  Line& on = lines_[static_cast<std::size_t>(line)];
  ++on.round;
  ++on.interrupts;
  const Picoseconds at = timeline_.now() + latency_;
  bool first = true;
  for (DeviceWait* const wait : std::exchange(on.gathered, {})) handler_.interrupted(line, *wait, at, std::exchange(first, false));
}

void InterruptController::on_time(std::uint64_t argument) {
  const Arrival arrival = arrivals_.take(argument);
  if (arrival.wait != nullptr) return gather(arrival.line, *arrival.wait);
  if (lines_[static_cast<std::size_t>(arrival.line)].round == arrival.round) deliver(arrival.line);
}

void InterruptController::power_off() {
  timeline_.withdraw(*this);
  for (Line& line : lines_) {
    line.gathered.clear();
    ++line.round;
  }
  arrivals_.clear();
}

void InterruptController::report(MetricSet& metrics) const {
  for (std::size_t i = 0; i < interrupt_lines; ++i) {
    const std::string name = to_string(static_cast<InterruptLine>(i));
    metrics.count("cpu.interrupts." + name, static_cast<double>(lines_[i].interrupts), "1", "interrupts of the " + name + " line");
    metrics.count("cpu.interrupts." + name + "_completions", static_cast<double>(lines_[i].completions), "1",
                  "completions that interrupts of the " + name + " line announced: more than interrupts where they are coalesced");
  }
}

}  // namespace tessera
