#pragma once
// Runs a Timeline under the SystemC kernel.
//
// One event and one method serve a whole drive. When the method wakes, it carries out entries in order of time, beyond
// the kernel's own time, as far as nothing else in the simulation can observe it: never past the kernel's next pending
// activity and never more than `quantum` ahead. Results do not depend on the quantum (a test compares quantum 0 with the default).
// While entries run, the drive's time is timeline().now(); TLM calls carry now() - sc_time_stamp() as annotated delay.
#include <exception>
#include <systemc>

#include "base/timeline.hpp"

namespace tessera {

class TimelineModule : public sc_core::sc_module {
 public:
  /// `quantum`: how far local time may run ahead of kernel time; 0 enters the kernel for every entry. InputError where the kernel's time
  /// resolution is not 1 ps.
  TimelineModule(sc_core::sc_module_name name, Picoseconds quantum);

  [[nodiscard]] Timeline& timeline() { return timeline_; }

  /// Local time from the view of a call that arrives from elsewhere with an annotated delay: brings the timeline up to
  /// sc_time_stamp() + delay, so that what the callee posts lies in the future. Called by sockets that face other initiators.
  void synchronise(const sc_core::sc_time& delay);

  /// now() - sc_time_stamp(), what a TLM call made at now() has to annotate.
  [[nodiscard]] sc_core::sc_time ahead() const;

  /// Ends the simulation after the entry in hand.
  void stop();

  /// Throws again what an entry threw: the kernel would turn it into a report of its own and lose its type. To be called
  /// when sc_start() returns.
  void rethrow_failure() const;
  [[nodiscard]] bool failed() const { return failure_ != nullptr; }

  /// Must be called after entries were posted from outside the timeline's own actions (start of simulation, other initiators).
  void reschedule();

 private:
  void run();
  void run_ahead();

  Timeline timeline_;
  Picoseconds quantum_;
  sc_core::sc_event wake_;
  bool running_ = false;
  bool stopping_ = false;
  std::exception_ptr failure_;
};

/// Exact conversions; the SystemC resolution is 1 ps.
[[nodiscard]] inline sc_core::sc_time to_sc_time(Picoseconds time) { return sc_core::sc_time::from_value(time.value()); }
[[nodiscard]] inline Picoseconds from_sc_time(const sc_core::sc_time& time) { return Picoseconds(time.value()); }

}  // namespace tessera
