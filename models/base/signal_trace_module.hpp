#pragma once
// Signals in SystemC's own trace files, for whoever binds a block into a design of his own: what a module's trace() calls.
//
// sc_trace() watches variables, and looks at them when kernel time moves on; the drive's calendar runs ahead of the kernel. So the values
// are mirrored in variables that change at their own kernel time, whatever the quantum: each change is an activity of the kernel, which the
// calendar does not pass. That is as slow as sc_trace() itself, and costs nothing where nobody calls it.
#include <memory>
#include <systemc>

#include "base/signal.hpp"

namespace tessera {

/// The mirrors of one module's signals, as a member of it.
class SignalTraces {
 public:
  explicit SignalTraces(SignalScope& signals);
  ~SignalTraces();

  /// Adds the signals to `file` under the module's SystemC name; before the simulation starts. States and texts are traced as numbers: the
  /// place of the word in its list.
  void add(sc_core::sc_trace_file* file, const char* module_name);

 private:
  class Mirror;
  SignalScope& signals_;
  std::unique_ptr<Mirror> mirror_;
};

}  // namespace tessera
