#include "base/pace_module.hpp"

#include <string>
#include <thread>

#include "base/error.hpp"

namespace tessera {

PaceModule::PaceModule(sc_core::sc_module_name name, double speed, std::chrono::microseconds slice)
    : sc_core::sc_module(name), speed_(speed), slice_(static_cast<double>(slice.count()) * speed, sc_core::SC_US) {
  if (!(speed > 0)) throw InputError("a pace of " + std::to_string(speed) + "; expected more than 0 simulated seconds per second");
  SC_HAS_PROCESS(PaceModule);
  SC_METHOD(tick);
}

void PaceModule::tick() {
  using Clock = std::chrono::steady_clock;
  if (!running_) {
    running_ = true;
    simulated_from_ = sc_core::sc_time_stamp();
    real_from_ = Clock::now();
  }
  const double simulated = (sc_core::sc_time_stamp() - simulated_from_).to_seconds();
  std::this_thread::sleep_until(real_from_ +
                                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(simulated / speed_)));
  next_trigger(slice_);
}

}  // namespace tessera
