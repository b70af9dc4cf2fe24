#include "base/timeline_module.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tessera {

namespace {

/// A coarser kernel would round every time that crosses a socket, silently.
void require_picoseconds() {
  if (sc_core::sc_get_time_resolution() != sc_core::sc_time(1, sc_core::SC_PS))
    throw InputError("the kernel's time resolution is " + sc_core::sc_get_time_resolution().to_string() +
                     "; the drive counts in picoseconds: leave it at 1 ps (sc_set_time_resolution)");
}

}  // namespace

TimelineModule::TimelineModule(sc_core::sc_module_name name, Picoseconds quantum) : sc_core::sc_module(name), quantum_(quantum) {
  require_picoseconds();
  SC_HAS_PROCESS(TimelineModule);
  SC_METHOD(run);
  sensitive << wake_;
  dont_initialize();
}

void TimelineModule::synchronise(const sc_core::sc_time& delay) {
  if (running_) return;  // the call stems from one of the timeline's own actions
  const Picoseconds arrival = from_sc_time(sc_core::sc_time_stamp() + delay);
  TESSERA_CHECK(arrival >= timeline_.now(), "a transaction arrives before the drive's local time");
  // Entries that are due before the annotated arrival happen first; none lies before kernel time.
  running_ = true;
  while (!timeline_.empty() && timeline_.next() < arrival) timeline_.step();
  running_ = false;
  timeline_.advance_to(arrival);
}

sc_core::sc_time TimelineModule::ahead() const {
  const Picoseconds kernel = from_sc_time(sc_core::sc_time_stamp());
  return timeline_.now() > kernel ? to_sc_time(timeline_.now() - kernel) : sc_core::SC_ZERO_TIME;
}

void TimelineModule::stop() {
  stopping_ = true;
  sc_core::sc_stop();
}

void TimelineModule::reschedule() {
  if (running_ || timeline_.empty()) return;
  const Picoseconds kernel = from_sc_time(sc_core::sc_time_stamp());
  wake_.cancel();
  wake_.notify(to_sc_time(std::max(timeline_.next(), kernel) - kernel));
}

void TimelineModule::rethrow_failure() const {
  if (failure_ != nullptr) std::rethrow_exception(failure_);
}

void TimelineModule::run() {
  try {
    run_ahead();
  } catch (...) {
    failure_ = std::current_exception();
    running_ = false;
    sc_core::sc_stop();
  }
}

void TimelineModule::run_ahead() {
  running_ = true;
  const Picoseconds kernel = from_sc_time(sc_core::sc_time_stamp());
  const auto* context = sc_core::sc_get_curr_simcontext();
  while (!timeline_.empty()) {
    const Picoseconds next = timeline_.next();
    if (next > kernel) {
      if (next - kernel > quantum_) break;
      if (sc_core::sc_pending_activity_at_current_time(context)) break;
      if (next - kernel >= from_sc_time(sc_core::sc_time_to_pending_activity(context))) break;
    }
    timeline_.step();
    if (stopping_) break;
  }
  running_ = false;
  if (!stopping_) reschedule();
}

}  // namespace tessera
