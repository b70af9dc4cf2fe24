#pragma once
// TLM-2.0 to the pins of an APB slave in RTL (ARM IHI 0024, APB4 with PSTRB, APB3 without): blocking accesses of registers, word by word,
// one access at a time. A word takes its setup cycle, its access cycle and the wait states of the slave; PSLVERR ends the transaction with
// TLM_GENERIC_ERROR_RESPONSE.
#include <tlm_utils/simple_target_socket.h>

#include <utility>

#include "base/byte_enables.hpp"
#include "rtl/pins_module.hpp"

namespace tessera {

/// Data of 32 bits.
template <unsigned address_bits>
class TlmToApb : public PinsModule {
 public:
  using Address = PinWord<address_bits>;
  OutPin<bool> psel{"psel"}, penable{"penable"}, pwrite{"pwrite"};
  OutPin<Address> paddr{"paddr"};
  OutPin<std::uint32_t> pwdata{"pwdata"};
  OptionalOutPin<std::uint32_t> pstrb{"pstrb"};
  InPin<std::uint32_t> prdata{"prdata"};
  InPin<bool> pready{"pready"};
  OptionalInPin<bool> pslverr{"pslverr"};
  tlm_utils::simple_target_socket<TlmToApb> socket{"socket"};

  explicit TlmToApb(sc_core::sc_module_name name, GatedClock* gate = nullptr) : PinsModule(name, gate) {
    socket.register_b_transport(this, &TlmToApb::b_transport);
  }

 private:
  static constexpr std::uint32_t width = 4;
  using Payload = tlm::tlm_generic_payload;

  [[nodiscard]] tlm::tlm_response_status refusal(const Payload& payload) const {
    const std::uint32_t length = payload.get_data_length();
    if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
    if (has_wrong_enables(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
    if (length == 0 || length % width != 0 || payload.get_streaming_width() < length) return tlm::TLM_BURST_ERROR_RESPONSE;
    if (payload.get_address() % width != 0) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
    const bool needs_strobes = payload.is_write() && !enables_of(payload).all(0, length);
    return needs_strobes && pstrb.size() == 0 ? tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
  }
  void b_transport(Payload& payload, sc_core::sc_time& delay) {
    payload.set_response_status(refusal(payload));
    if (!payload.is_response_ok()) return;
    if (delay != sc_core::SC_ZERO_TIME) wait(std::exchange(delay, sc_core::SC_ZERO_TIME));
    one_at_a_time_.lock();
    const ClockRequest running(gate());
    if (!edge_until(waiter_, "it rises", [] { return true; })) payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    for (std::uint32_t at = 0; at < payload.get_data_length() && payload.is_response_ok(); at += width) transfer(payload, at);
    psel->write(false);
    penable->write(false);
    one_at_a_time_.unlock();
  }
  void transfer(Payload& payload, std::uint32_t at) {
    const ByteEnables enables = enables_of(payload);
    std::uint32_t word = 0, strobes = 0;
    enables.copy(&word, payload.get_data_ptr() + at, width, at);
    for (std::uint32_t i = 0; i < width && payload.is_write(); ++i) strobes |= enables[at + i] ? 1U << i : 0;
    psel->write(true);
    penable->write(false);
    pwrite->write(payload.is_write());
    paddr->write(static_cast<Address>(payload.get_address() + at));
    pwdata->write(payload.is_write() ? word : 0);
    if (pstrb.size() != 0) pstrb->write(strobes);
    edge();
    penable->write(true);
    if (!edge_until(waiter_, "pready is 1", [this] { return pready->read(); }))
      return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    if (pslverr.size() != 0 && pslverr->read()) return payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    word = prdata->read();
    if (payload.is_read()) enables.copy(payload.get_data_ptr() + at, &word, width, at);
  }

  sc_core::sc_mutex one_at_a_time_;
  Waiter waiter_;
};

}  // namespace tessera
