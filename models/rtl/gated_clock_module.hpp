#pragma once
// A clock for RTL that runs only while somebody has work, on the grid of one that always runs.
//
// A simulated clock costs what its edges cost: RTL behind a disk, which waits for milliseconds, would be evaluated millions of times for
// nothing. This one stands still, low, until a transactor asks for it (request()) or the RTL says that it has work (`busy`), rises at the
// next multiple of its period, and stops after the falling edge at which nobody wants it any more. A request at the instant of an edge
// comes after that edge. So whatever the RTL does, it does at the instants at which a clock that always runs would have it do; what it
// does not see are edges at which it would have had nothing to do. cycles() counts those too.
#include <cstdint>
#include <systemc>

namespace tessera {

class GatedClock : public sc_core::sc_module {
 public:
  enum class Gate : std::uint8_t { closes, always_open };

  sc_core::sc_out<bool> out{"out"};
  /// What says that RTL has work: the clock runs while any of them is 1.
  sc_core::sc_port<sc_core::sc_signal_in_if<bool>, 0, sc_core::SC_ZERO_OR_MORE_BOUND> busy{"busy"};

  /// `period`: even, in picoseconds. With an open gate it is a clock as any other, from its first period on.
  GatedClock(sc_core::sc_module_name name, const sc_core::sc_time& period, Gate gate = Gate::closes);

  /// Keeps the clock running until as many release().
  void request();
  void release();
  [[nodiscard]] const sc_core::sc_time& period() const { return period_; }
  /// Rising edges so far of a clock that always runs.
  [[nodiscard]] std::uint64_t cycles() const { return sc_core::sc_time_stamp().value() / period_.value(); }
  /// Those that there were.
  [[nodiscard]] std::uint64_t ran() const { return ran_; }
  [[nodiscard]] std::uint64_t skipped() const { return cycles() - ran_; }

 private:
  void tick();
  [[nodiscard]] bool wanted() const;

  sc_core::sc_time period_;
  Gate gate_;
  std::uint64_t users_ = 0;
  std::uint64_t ran_ = 0;
  bool high_ = false;
  bool aligned_ = false;  // the next wake is at a multiple of the period
  sc_core::sc_event requested_;
};

/// The clock runs while this lives; without a clock it does nothing.
class ClockRequest {
 public:
  explicit ClockRequest(GatedClock* clock) : clock_(clock) {
    if (clock_ != nullptr) clock_->request();
  }
  ~ClockRequest() {
    if (clock_ != nullptr) clock_->release();
  }
  ClockRequest(const ClockRequest&) = delete;
  ClockRequest& operator=(const ClockRequest&) = delete;

 private:
  GatedClock* clock_;
};

}  // namespace tessera
