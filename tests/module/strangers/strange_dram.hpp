#pragma once
// A DRAM and an interconnect in front of it that let time pass: each consumes the delay that it is given, and waits for its own.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstring>
#include <systemc>
#include <vector>

#include "base/drive_part.hpp"

namespace strangers {

class Interconnect : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Interconnect> from{"from"};
  tlm_utils::simple_initiator_socket<Interconnect> to{"to"};

  explicit Interconnect(sc_core::sc_module_name name) : sc_module(name) {
    from.register_b_transport(this, &Interconnect::b_transport);
    from.register_transport_dbg(this, &Interconnect::transport_dbg);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    wait(10, sc_core::SC_NS);
    to->b_transport(payload, delay);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return to->transport_dbg(payload); }
};

class Dram : public sc_core::sc_module, public tessera::PoweredPart {
 public:
  tlm_utils::simple_target_socket<Dram> socket{"socket"};
  std::vector<std::byte> bytes;
  unsigned accesses = 0;
  bool waits = true;  ///< or annotates the same time

  Dram(sc_core::sc_module_name name, std::size_t size) : sc_module(name), bytes(size) {
    socket.register_b_transport(this, &Dram::b_transport);
    socket.register_transport_dbg(this, &Dram::transport_dbg);
  }
  void power_off() override { std::fill(bytes.begin(), bytes.end(), std::byte{0}); }
  void power_on() override {}

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(45, sc_core::SC_NS);
    if (waits) {
      wait(delay);
      delay = sc_core::SC_ZERO_TIME;
    }
    ++accesses;
    payload.set_response_status(move(payload) ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) { return move(payload) ? payload.get_data_length() : 0; }

  bool move(tlm::tlm_generic_payload& payload) {
    if (payload.get_address() + payload.get_data_length() > bytes.size()) return false;
    auto* const own = bytes.data() + payload.get_address();
    auto* const data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
    payload.is_read() ? std::memmove(data, own, payload.get_data_length()) : std::memmove(own, data, payload.get_data_length());
    return true;
  }
};

}  // namespace strangers
