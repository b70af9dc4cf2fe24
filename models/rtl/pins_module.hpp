#pragma once
// What transactors between pins and TLM-2.0 share: types of pins, a clock, and the wait for a pin that may never come.
//
// A transactor looks at its pins at rising edges and drives them after, as RTL does. Types of pins are those of Verilator's --sc: bool,
// uint32_t up to 32 bits, uint64_t up to 64.
#include <cstdint>
#include <string>
#include <systemc>
#include <tlm>
#include <type_traits>

#include "rtl/gated_clock_module.hpp"

namespace tessera {

/// Id of the SystemC report, an error, of a transactor whose RTL does not answer, or whose clock stands still. By default it is thrown out
/// of sc_start(); where it is not, the transaction ends with TLM_GENERIC_ERROR_RESPONSE.
inline constexpr const char* rtl_stuck_report = "/tessera/rtl-stuck";

template <unsigned bits>
using PinWord = std::conditional_t<bits == 1, bool, std::conditional_t<bits <= 32, std::uint32_t, std::uint64_t>>;
/// A pin that has to be bound, and one that need not.
template <class Word>
using InPin = sc_core::sc_port<sc_core::sc_signal_in_if<Word>>;
template <class Word>
using OutPin = sc_core::sc_port<sc_core::sc_signal_inout_if<Word>>;
template <class Word>
using OptionalInPin = sc_core::sc_port<sc_core::sc_signal_in_if<Word>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;
template <class Word>
using OptionalOutPin = sc_core::sc_port<sc_core::sc_signal_inout_if<Word>, 1, sc_core::SC_ZERO_OR_MORE_BOUND>;

class PinsModule : public sc_core::sc_module {
 public:
  sc_core::sc_in<bool> clk{"clk"};
  /// How long RTL may leave a transaction of its interface without an answer; 0: for ever.
  sc_core::sc_time patience{1, sc_core::SC_MS};

 protected:
  /// `gate`: whose clock it asks for while it has work; null: the clock runs anyway.
  PinsModule(sc_core::sc_module_name name, GatedClock* gate) : sc_core::sc_module(name), gate_(gate) {}

  /// One thread's place to wait.
  struct Waiter {
    sc_core::sc_event late;
    sc_core::sc_event_or_list edge_or_late{};
  };
  void edge() { wait(clk.posedge_event()); }
  /// Waits for the rising edge at which done() holds; `what` then would have to be the case. False, after a report, where it never comes.
  template <class Done>
  [[nodiscard]] bool edge_until(Waiter& waiter, const char* what, const Done& done) {
    if (waiter.edge_or_late.empty()) {
      waiter.edge_or_late |= clk.posedge_event();
      waiter.edge_or_late |= waiter.late;
    }
    const sc_core::sc_time since = sc_core::sc_time_stamp();
    waiter.late.cancel();
    if (patience != sc_core::SC_ZERO_TIME) waiter.late.notify(patience);
    for (std::uint64_t edges = 0;; ++edges) {
      wait(waiter.edge_or_late);
      if (clk.posedge()) {
        if (!done()) continue;
        waiter.late.cancel();
        return true;
      }
      report_stuck(what, since, edges);
      return false;
    }
  }
  [[nodiscard]] GatedClock* gate() const { return gate_; }

 private:
  void report_stuck(const char* what, const sc_core::sc_time& since, std::uint64_t edges) const {
    const std::string where = std::string(name()) + ", " + sc_core::sc_time_stamp().to_string() + ": ";
    const std::string waited = " since " + since.to_string();
    const std::string sentence = edges == 0 ? "the clock has stood still" + waited + ", and the transactor waits until " + what
                                            : "not yet " + std::string(what) + waited + ", in " + std::to_string(edges) +
                                                  " rising edges of the clock; PinsModule::patience is " + patience.to_string();
    SC_REPORT_ERROR(rtl_stuck_report, (where + sentence).c_str());
  }

  GatedClock* gate_;
};

}  // namespace tessera
