#pragma once
// What firmware publishes, as signals: its pieces of background work by kind and subject, and its gauges. Gauges are figures of a run, too.
#include <array>
#include <deque>
#include <string>

#include "base/metrics.hpp"
#include "base/signal.hpp"
#include "firmware/ports/cpu_port.hpp"

namespace tessera {

/// A published figure and its level over time.
struct GaugeState {
  GaugeInfo info;
  TimeWeighted level;
  Signal signal;
  bool declared = true;  ///< by the firmware that runs: one that a power cut ended declared it before
  bool set = false;      ///< by the firmware that runs
};

class FirmwareSignals {
 public:
  /// A merge, cleaning or flip begins or ends, or happens at once.
  void event(const FirmwareEvent& event, Picoseconds at);

  [[nodiscard]] std::uint32_t declare_gauge(const GaugeInfo& info);
  void gauge(std::uint32_t number, std::uint64_t value, Picoseconds at) {
    GaugeState& gauge = gauges_[number];
    gauge.set = true;
    gauge.level.set(value, at);
    gauge.signal.set(value, at);
    if (!gauge.signal.watched()) gauge.signal.set_at_rest(value);
  }
  [[nodiscard]] const std::deque<GaugeState>& gauges() const { return gauges_; }
  /// The boot ended: a gauge that the firmware declared and did not set is a bug of it.
  void check_gauges() const;

  /// The firmware ended, and its work with it; gauges keep their levels until the next firmware sets them.
  void power_off(Picoseconds at);
  void report(MetricSet& metrics, Picoseconds now) const;
  void reset_statistics(Picoseconds now);
  /// As TimeWeighted::rest().
  void rest(Picoseconds by) {
    for (GaugeState& gauge : gauges_) gauge.level.rest(by);
  }
  [[nodiscard]] SignalScope& signals() { return signals_; }

 private:
  // Pieces of work that are shown apart: with more at once, those that begin later are counted only.
  static constexpr std::size_t lanes = 4;
  struct Lane {
    Signal kind;
    Signal subject;
    const char* open = nullptr;  // kind of the piece of work that it shows
    std::uint64_t open_subject = 0;
  };
  [[nodiscard]] Lane* lane_of(const FirmwareEvent& event);

  SignalScope signals_;
  Signal under_way_ = signals_.level("work_under_way", 8);
  std::array<Lane, lanes> lanes_ = make_lanes();
  std::array<Lane, lanes> make_lanes();
  std::uint64_t open_ = 0;
  std::deque<GaugeState> gauges_;
};

}  // namespace tessera
