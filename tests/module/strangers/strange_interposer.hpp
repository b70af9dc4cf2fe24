#pragma once
// A probe that somebody put into a line: it adds a delay to every request on its way, by annotation alone.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <systemc>

namespace strangers {

class Interposer : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Interposer> from{"from"};
  tlm_utils::simple_initiator_socket<Interposer> to{"to"};
  sc_core::sc_time added;

  Interposer(sc_core::sc_module_name name, sc_core::sc_time delay) : sc_module(name), added(delay) {
    from.register_nb_transport_fw(this, &Interposer::forward);
    to.register_nb_transport_bw(this, &Interposer::backward);
  }

 private:
  tlm::tlm_sync_enum forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) delay += added;
    return to->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    return from->nb_transport_bw(payload, phase, delay);
  }
};

}  // namespace strangers
