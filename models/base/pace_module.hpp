#pragma once
// Holds a simulation back to the clock on the wall: while one of these exists, simulated time runs no faster than `speed` times real time.
//
// It wakes each slice of simulated time, which no drive runs past, and sleeps until the clock has come as far. A request of another thread
// (async_request_update) therefore takes effect at most a slice after it was made. A simulation that was slower than the clock for a while
// runs as fast as it can until it has caught up. The kernel always has something to do: sc_start() does not return before sc_stop().
#include <chrono>
#include <systemc>

#include "base/units.hpp"

namespace tessera {

class PaceModule : public sc_core::sc_module {
 public:
  /// `speed`: simulated seconds in a second of real time, more than 0 (InputError). `slice`: of real time.
  PaceModule(sc_core::sc_module_name name, double speed, std::chrono::microseconds slice = std::chrono::milliseconds(1));

 private:
  void tick();

  double speed_;
  sc_core::sc_time slice_;
  bool running_ = false;
  sc_core::sc_time simulated_from_;
  std::chrono::steady_clock::time_point real_from_;
};

}  // namespace tessera
