#include "bus/bus_module.hpp"

namespace tessera {

BusModule::BusModule(sc_core::sc_module_name name)
    : sc_core::sc_module(name),
      from_controller("from_controller"),
      from_host("from_host"),
      to_dram("to_dram"),
      to_disk_channel("to_disk_channel"),
      to_nand("to_nand"),
      to_mailbox("to_mailbox") {
  from_controller.register_b_transport(this, &BusModule::b_transport);
  from_controller.register_nb_transport_fw(this, &BusModule::forward);
  from_host.register_b_transport(this, &BusModule::b_transport);
  from_host.register_nb_transport_fw(this, &BusModule::forward);
  to_disk_channel.register_nb_transport_bw(this, &BusModule::to_controller);
  to_nand.register_nb_transport_bw(this, &BusModule::to_controller);
  to_mailbox.register_nb_transport_bw(this, &BusModule::to_host);
}

void BusModule::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  // The one blocking target is the DRAM; window 0, so its addresses need no translation.
  if (payload.get_address() >> address_map::window_bits != 0) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  to_dram->b_transport(payload, delay);
}

tlm::tlm_sync_enum BusModule::forward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  switch (payload.get_address() >> address_map::window_bits << address_map::window_bits) {
    case address_map::disk_channel: return to_disk_channel->nb_transport_fw(payload, phase, delay);
    case address_map::nand: return to_nand->nb_transport_fw(payload, phase, delay);
    case address_map::mailbox: return to_mailbox->nb_transport_fw(payload, phase, delay);
    default: payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE); return tlm::TLM_COMPLETED;
  }
}

tlm::tlm_sync_enum BusModule::to_controller(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  return from_controller->nb_transport_bw(payload, phase, delay);
}

tlm::tlm_sync_enum BusModule::to_host(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  return from_host->nb_transport_bw(payload, phase, delay);
}

}  // namespace tessera
