#pragma once
// Between sockets of different widths: passes every call on as it is, for a payload does not depend on the width of the sockets that it
// crosses. The drive's sockets have 32 bits.
#include <systemc>
#include <tlm>

namespace tessera {

/// From an initiator whose socket has `initiator` bits to a target whose socket has `target`.
template <unsigned initiator, unsigned target>
class WidthAdapterModule : public sc_core::sc_module, private tlm::tlm_fw_transport_if<>, private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_target_socket<initiator> from;
  tlm::tlm_initiator_socket<target> to;

  explicit WidthAdapterModule(sc_core::sc_module_name name) : sc_core::sc_module(name), from("from"), to("to") {
    from.bind(*this);
    to.bind(*this);
  }

 private:
  using Payload = tlm::tlm_generic_payload;

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    return to->nb_transport_fw(payload, phase, delay);
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
    return from->nb_transport_bw(payload, phase, delay);
  }
  void b_transport(Payload& payload, sc_core::sc_time& delay) override { to->b_transport(payload, delay); }
  unsigned transport_dbg(Payload& payload) override { return to->transport_dbg(payload); }
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override { return to->get_direct_mem_ptr(payload, dmi); }
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override { from->invalidate_direct_mem_ptr(first, last); }
};

}  // namespace tessera
