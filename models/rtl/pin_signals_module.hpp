#pragma once
// Pins among the signals of a drive: each change of an sc_signal is told to whoever records, as of kernel time, so that RTL and drive stand
// in one file of waveforms. Pins that nobody records when the simulation begins cost nothing.
#include <deque>
#include <functional>
#include <string>
#include <systemc>
#include <utility>

#include "base/signal.hpp"
#include "base/timeline_module.hpp"

namespace tessera {

class PinSignals : public sc_core::sc_module {
 public:
  SignalScope signals;

  explicit PinSignals(sc_core::sc_module_name name) : sc_module(name) {}

  /// `width` in bits; a pin of one bit is shown as such.
  template <class Word>
  void show(const std::string& pin_name, const sc_core::sc_signal_in_if<Word>& pin, std::uint32_t width = 1) {
    const Signal shown = width == 1 ? signals.bit(pin_name) : signals.number(pin_name, width, 0);
    watches_.emplace_back(sc_core::sc_gen_unique_name((pin_name + "_shown").c_str()), pin.value_changed_event(),
                          [shown, &pin] { shown.set(pin.read(), from_sc_time(sc_core::sc_time_stamp())); });
  }

 private:
  struct Watch : sc_core::sc_module {
    std::function<void()> tell;
    sc_core::sc_event never;

    Watch(sc_core::sc_module_name name, const sc_core::sc_event& changed, std::function<void()> teller)
        : sc_module(name), tell(std::move(teller)) {
      SC_HAS_PROCESS(Watch);
      SC_METHOD(look);
      sensitive << changed;
    }
    void look() {
      if (!Signal::anyone_watches()) return next_trigger(never);
      tell();
    }
  };

  std::deque<Watch> watches_;
};

}  // namespace tessera
