#pragma once
// An initiator that sends nothing: SystemC refuses to elaborate a target socket that nobody is bound to.
#include <systemc>
#include <tlm>

namespace tessera {

class IdleInitiatorModule : public sc_core::sc_module, private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_initiator_socket<32> socket{"socket"};

  explicit IdleInitiatorModule(sc_core::sc_module_name name) : sc_core::sc_module(name) { socket.bind(*this); }

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override { return tlm::TLM_ACCEPTED; }
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}
};

}  // namespace tessera
