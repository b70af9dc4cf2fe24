#include "power/power_cycle.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera {

namespace {

/// Boots between which nothing was answered. Each begins with memory that is written again, so a later one has no better chance.
constexpr std::uint64_t most_restarts_in_a_row = 100;

}  // namespace

PowerCycle::PowerCycle(Timeline& timeline, PoweredDrive& drive, PowerOwner& owner, bool formatted)
    : timeline_(timeline), drive_(drive), owner_(owner), formatted_(formatted) {
  drive_.on_memory_error([this] { restart(); });
}

void PowerCycle::on_time(std::uint64_t event) {
  switch (static_cast<Event>(event)) {
    case power_back: phase_ = Phase::starting; return drive_.power_back();
    case begin_boot: return boot();
    case answers: return owner_.recovered();
  }
}

void PowerCycle::boot() {
  const bool formats = !formatted_;
  phase_ = formats ? Phase::on : Phase::recovery;
  drive_.power_on(!formats, [this](Status status) { booted(status); });
  if (formats) owner_.formats();
}

void PowerCycle::booted(Status status) {
  if (!ok(status)) return owner_.stays_dead(status);
  formatted_ = true;
  owner_.booted();
  timeline_.post(drive_.answers(), *this, answers);
}

void PowerCycle::cut(Picoseconds boot_after) {
  off();
  const Picoseconds now = timeline_.now();
  timeline_.post(now + drive_.outage(), *this, power_back);
  timeline_.post(now + std::max(drive_.restart_delay(), boot_after), *this, begin_boot);
}

void PowerCycle::off() {
  timeline_.withdraw(*this);
  if (phase_ == Phase::outage) return;
  owner_.link_lost(PowerOwner::Why::cut);
  const PowerLoss loss = drive_.power_off();
  phase_ = Phase::outage;
  owner_.power_lost(loss);
}

void PowerCycle::come_back() {
  on_time(power_back);
  timeline_.post(timeline_.now() + (drive_.restart_delay() - drive_.outage()), *this, begin_boot);
}

void PowerCycle::restart() {
  TESSERA_CHECK(firmware_runs(), "a restart of a firmware that does not run");
  if (++restarts_in_a_row_ > most_restarts_in_a_row) return owner_.gives_up();
  timeline_.withdraw(*this);
  owner_.link_lost(PowerOwner::Why::restart);
  phase_ = Phase::stopping;
  drive_.restart_firmware([this] {
    phase_ = Phase::starting;
    timeline_.post(timeline_.now() + drive_.restart_time(), *this, begin_boot);
  });
}

std::string PowerCycle::never_ready() {
  return "the firmware was restarted " + std::to_string(most_restarts_in_a_row) +
         " times without an answer to a request (dram.bit_error_rate)";
}

std::string PowerCycle::never_read_back() {
  return "errors of the DRAM restarted the firmware " + std::to_string(most_restarts_in_a_row) +
         " times before all was read back (dram.bit_error_rate)";
}

}  // namespace tessera
