#pragma once
// Spin-up, idle and parked states of the head-disk assembly. Nothing here keeps the clock awake: which condition the disk is in follows
// from how long it has been idle, and is worked out when somebody asks.
#include <array>
#include <cstdint>
#include <optional>

#include "base/long_time.hpp"
#include "base/signal.hpp"
#include "media/power_conditions_config.hpp"

namespace tessera {

class PowerConditions {
 public:
  /// Declares `power_condition` in `signals`, where the description has any condition. The power is on from time 0.
  PowerConditions(const PowerConditionsConfig& config, SignalScope& signals);

  [[nodiscard]] bool any() const { return any_; }

  /// How long a step that began at `now` would wait until the arms can move, and whether its head would come from the ramp.
  struct Recovery {
    Picoseconds wait;
    bool from_ramp = false;
  };
  [[nodiscard]] Recovery recovery(Picoseconds now) const;
  /// A step begins. `alone`: no arm is at work.
  Recovery begin(Picoseconds now, bool alone);
  /// The last step under way ended.
  void end(Picoseconds now);

  /// Whether the spindle turns at its full speed at `now`, with power and as far as is known.
  [[nodiscard]] bool at_speed(Picoseconds now) const;

  /// A host takes the spindle of a disk without conditions, which from now on has those of a command. `working`: an arm is.
  void obey(bool working);
  /// The host stops the spindle: the disk is in standby, at once or when the last step under way ends, until a step or start().
  void stop(Picoseconds now);
  /// The host starts it: an idle disk leaves its condition and is ready after that one's recovery. Whether its heads come from the ramp.
  bool start(Picoseconds now);
  /// Whether the disk is in standby at `now`, by command or by itself.
  [[nodiscard]] bool stopped(Picoseconds now) const;

  void cut(Picoseconds now);
  void restore(Picoseconds now);
  /// See MediaDevice::rest().
  void rest(Picoseconds by, Picoseconds now);

  struct Totals {
    std::array<LongTime, power_conditions> time;      ///< in each condition
    std::array<LongTime, power_conditions> recovery;  ///< from each condition
    std::uint64_t load_cycles = 0;                    ///< times that the heads came from the ramp
    std::uint64_t spin_ups = 0;

    /// Neither at work nor idle at full power.
    [[nodiscard]] LongTime saving() const;
  };
  [[nodiscard]] Totals totals(Picoseconds now) const;

 private:
  enum class Phase : std::uint8_t { working, idle, off };

  [[nodiscard]] LongTime idle_for(Picoseconds now) const;
  /// The condition that the disk is in at `now`, if any.
  [[nodiscard]] std::optional<PowerCondition> condition(Picoseconds now) const;
  /// Calls f(condition) for each condition that the description has, from the shallowest on.
  template <class F>
  void each(F&& f) const;
  void add_idle(Totals& totals, Picoseconds now) const;
  void add_recovery(Totals& totals, Picoseconds now) const;
  void settle_recovery(Picoseconds now);
  void recover(PowerCondition from, Picoseconds now);
  void announce(Picoseconds idle_from) const;

  PowerConditionsConfig config_;
  bool any_;
  Signal shown_;
  Phase phase_ = Phase::idle;
  Picoseconds idle_since_;
  LongTime rested_;                  // since then
  std::optional<LongTime> stopped_;  // by command, after so much idle time
  bool stops_at_end_ = false;        // of the step under way
  PowerCondition recovers_from_ = PowerCondition::idle_a;
  Picoseconds recovers_since_;  // counted up to here
  Picoseconds ready_at_;
  Totals totals_;
};

}  // namespace tessera
