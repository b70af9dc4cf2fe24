#include "media/power_conditions.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

constexpr std::array<const char*, power_conditions> names{"idle_a", "idle_b", "idle_c", "standby"};

constexpr double second_ps = 1e12;
constexpr double longest_timer = 65'535 * 60 * second_ps;  // ATA: 16 bits of minutes
constexpr double longest_recovery = 65.534 * second_ps;    // SCSI, power condition page: 16 bits of milliseconds
constexpr double kilowatt_uw = 1e9;

// Values of the signal.
constexpr std::uint64_t shows_active = 0;
constexpr std::uint64_t shows_recovery = 1;
constexpr std::uint64_t shows_off = 2;
constexpr std::uint64_t shows_first_condition = 3;

constexpr std::array every{PowerCondition::idle_a, PowerCondition::idle_b, PowerCondition::idle_c, PowerCondition::standby};

std::size_t index(PowerCondition condition) { return static_cast<std::size_t>(condition); }

bool slows_down(PowerCondition condition) { return condition == PowerCondition::idle_c || condition == PowerCondition::standby; }

bool on_ramp(PowerCondition condition) { return condition != PowerCondition::idle_a; }

}  // namespace

const char* name_of(PowerCondition condition) { return names[index(condition)]; }

bool PowerConditionsConfig::any() const {
  return spin_up_at_power_on || std::ranges::any_of(conditions, [](const Condition& one) { return one.after != Picoseconds(); });
}

void PowerConditionsConfig::describe(ParameterVisitor& visitor) {
  constexpr std::array<const char*, power_conditions> what{"less of the electronics at work", "heads on the ramp",
                                                           "heads on the ramp, the spindle slower",
                                                           "heads on the ramp, the spindle stopped"};
  for (const PowerCondition condition : every) {
    const std::string name = name_of(condition);
    Condition& one = of(condition);
    visitor.field(name + "_after", one.after, {0, longest_timer},
                  "Idle time after which the disk is in " + name + ": " + what[index(condition)] + "; 0: never.");
    const bool starts = condition == PowerCondition::standby && spin_up_at_power_on;
    const std::string why = "media.power_conditions." + name + "_after is 0";
    visitor.unused_where(one.after == Picoseconds(), why, [&] {
      visitor.field(name + "_power", one.power, {0, kilowatt_uw}, "Power of the whole assembly in " + name + ".");
    });
    visitor.unused_where(one.after == Picoseconds() && !starts, why, [&] {
      visitor.field(name + "_recovery", one.recovery, {0, longest_recovery}, "Time from " + name + " until the next step can seek.");
    });
  }
  visitor.field("spin_up_at_power_on", spin_up_at_power_on,
                "The spindle stands still when the power comes, and steps wait for standby_recovery; off: it turns at once.");
  visitor.unused_where(of(PowerCondition::standby).after == Picoseconds() && !spin_up_at_power_on,
                       "media.power_conditions.standby_after is 0 and spin_up_at_power_on is off", [&] {
                         visitor.field("spin_up_power", spin_up_power, {0, kilowatt_uw}, "Mean power while the spindle starts.");
                       });
}

void PowerConditionsConfig::check(Microwatts idle, std::vector<std::string>& problems) const {
  std::optional<PowerCondition> last;
  for (const PowerCondition condition : every) {
    if (of(condition).after == Picoseconds()) continue;
    const std::string name = name_of(condition);
    if (!last && of(condition).power > idle)
      problems.push_back("power_conditions: " + name + "_power is more than the disk takes idle; expected at most idle_power");
    if (last) {
      const std::string before = name_of(*last);
      if (of(condition).after <= of(*last).after)
        problems.push_back("power_conditions: " + name + "_after is not longer than " + before + "_after, so " + before +
                           " is never reached; expected a longer time, or 0 for " + before + "_after");
      if (of(condition).power > of(*last).power)
        problems.push_back("power_conditions: " + name + "_power is more than " + before + "_power; expected at most as much");
      if (of(condition).recovery < of(*last).recovery)
        problems.push_back("power_conditions: " + name + "_recovery is shorter than " + before + "_recovery; expected at least as long");
    }
    last = condition;
  }
}

LongTime PowerConditions::Totals::saving() const {
  LongTime all;
  for (const LongTime one : time) all += one;
  for (const LongTime one : recovery) all += one;
  return all;
}

PowerConditions::PowerConditions(const PowerConditionsConfig& config, SignalScope& signals) : config_(config), any_(config.any()) {
  if (!any_) return;
  shown_ = signals.state("power_condition", {"active", "recovery", "off", names[0], names[1], names[2], names[3]});
  if (!config_.spin_up_at_power_on) return;
  shown_.set_at_rest(shows_recovery);
  recover(PowerCondition::standby, Picoseconds());
}

template <class F>
void PowerConditions::each(F&& f) const {
  for (const PowerCondition condition : every)
    if (config_.of(condition).after != Picoseconds()) f(condition);
}

/// An assembly that starts by itself is not idle before it is ready.
LongTime PowerConditions::idle_for(Picoseconds now) const {
  const Picoseconds since = std::max(idle_since_, ready_at_);
  return rested_ + (now - std::min(now, since));
}

PowerConditions::Recovery PowerConditions::recovery(Picoseconds now) const {
  const Picoseconds starts = ready_at_ - std::min(ready_at_, now);  // it recovers already
  const std::optional<PowerCondition> in = condition(now);
  return in ? Recovery{config_.of(*in).recovery, on_ramp(*in)} : Recovery{starts};
}

std::optional<PowerCondition> PowerConditions::condition(Picoseconds now) const {
  if (phase_ != Phase::idle) return std::nullopt;
  if (stopped_) return PowerCondition::standby;
  const LongTime idle = idle_for(now);
  std::optional<PowerCondition> found;
  each([&](PowerCondition condition) {
    const PowerConditionsConfig::Condition& one = config_.of(condition);
    if (idle >= one.after) found = condition;
  });
  return found;
}

bool PowerConditions::stopped(Picoseconds now) const { return stops_at_end_ || condition(now) == PowerCondition::standby; }

void PowerConditions::obey(bool working) {
  any_ = true;
  phase_ = working ? Phase::working : Phase::idle;
}

void PowerConditions::stop(Picoseconds now) {
  if (phase_ == Phase::working) stops_at_end_ = true;
  if (phase_ != Phase::idle || stopped_) return;
  settle_recovery(now);
  ready_at_ = std::min(ready_at_, now);  // of a spindle that was about to start
  stopped_ = idle_for(now);
  shown_.replace(shows_first_condition + index(PowerCondition::standby), now);
}

bool PowerConditions::start(Picoseconds now) {
  stops_at_end_ = false;
  const std::optional<PowerCondition> from = condition(now);
  if (!from) return false;
  settle_recovery(now);
  add_idle(totals_, now);
  stopped_.reset();
  idle_since_ = now;
  rested_ = {};
  recover(*from, now);
  shown_.replace(shows_recovery, now);
  shown_.set(shows_active, ready_at_);
  announce(ready_at_);
  return on_ramp(*from);
}

PowerConditions::Recovery PowerConditions::begin(Picoseconds now, bool alone) {
  const Recovery found = recovery(now);
  if (!alone) return found;
  const std::optional<PowerCondition> from = condition(now);
  settle_recovery(now);
  add_idle(totals_, now);
  stopped_.reset();
  phase_ = Phase::working;
  if (from) recover(*from, now);
  shown_.replace(found.wait == Picoseconds() ? shows_active : shows_recovery, now);
  if (found.wait != Picoseconds()) shown_.set(shows_active, now + found.wait);
  return found;
}

bool PowerConditions::at_speed(Picoseconds now) const {
  if (!any_) return true;
  const bool starts = now < ready_at_ && slows_down(recovers_from_);
  const std::optional<PowerCondition> in = condition(now);
  return !starts && !(in && slows_down(*in));
}

void PowerConditions::recover(PowerCondition from, Picoseconds now) {
  recovers_from_ = from;
  recovers_since_ = now;
  ready_at_ = now + config_.of(from).recovery;
  if (on_ramp(from)) ++totals_.load_cycles;
  if (from == PowerCondition::standby) ++totals_.spin_ups;
}

void PowerConditions::end(Picoseconds now) {
  settle_recovery(now);
  phase_ = Phase::idle;
  idle_since_ = now;
  rested_ = {};
  if (std::exchange(stops_at_end_, false)) return stop(now);
  announce(now);
}

/// What it will be in, if nothing comes.
void PowerConditions::announce(Picoseconds idle_from) const {
  if (Signal::anyone_watches()) [[unlikely]]
    each([&](PowerCondition condition) { shown_.set(shows_first_condition + index(condition), idle_from + config_.of(condition).after); });
}

void PowerConditions::rest(Picoseconds by, Picoseconds now) {
  settle_recovery(now);
  const Picoseconds recovers = std::min(by, ready_at_ - std::min(ready_at_, now));
  totals_.recovery[index(recovers_from_)] += recovers;
  ready_at_ = ready_at_ - recovers;
  rested_ += by - recovers;
}

void PowerConditions::cut(Picoseconds now) {
  settle_recovery(now);
  add_idle(totals_, now);
  phase_ = Phase::off;
  stopped_.reset();
  stops_at_end_ = false;
  ready_at_ = recovers_since_ = {};
  shown_.replace(shows_off, now);
}

void PowerConditions::restore(Picoseconds now) {
  phase_ = Phase::idle;
  idle_since_ = now;
  rested_ = {};
  if (config_.spin_up_at_power_on) {
    recover(PowerCondition::standby, now);
    shown_.set(shows_recovery, now);
  }
  const Picoseconds ready = std::max(now, ready_at_);
  shown_.set(shows_active, ready);
  announce(ready);
}

void PowerConditions::settle_recovery(Picoseconds now) {
  add_recovery(totals_, now);
  recovers_since_ = std::max(recovers_since_, std::min(now, ready_at_));
}

void PowerConditions::add_recovery(Totals& totals, Picoseconds now) const {
  const Picoseconds until = std::min(now, ready_at_);
  if (until > recovers_since_) totals.recovery[index(recovers_from_)] += until - recovers_since_;
}

void PowerConditions::add_idle(Totals& totals, Picoseconds now) const {
  if (phase_ != Phase::idle) return;
  const LongTime all = idle_for(now);
  const LongTime idle = stopped_.value_or(all);  // up to a command
  totals.time[index(PowerCondition::standby)] += all - idle;
  std::optional<PowerCondition> in;
  const auto leave = [&](LongTime at) {
    if (in) totals.time[index(*in)] += at - config_.of(*in).after;
  };
  each([&](PowerCondition condition) {
    const LongTime after = config_.of(condition).after;
    if (idle < after) return;
    leave(after);
    in = condition;
  });
  leave(idle);
}

PowerConditions::Totals PowerConditions::totals(Picoseconds now) const {
  Totals totals = totals_;
  add_recovery(totals, now);
  add_idle(totals, now);
  return totals;
}

}  // namespace tessera
