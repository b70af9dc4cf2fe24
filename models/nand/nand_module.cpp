#include "nand/nand_module.hpp"

namespace tessera {

NandModule::NandModule(sc_core::sc_module_name name, const NandConfig& config, std::uint32_t kept, std::uint64_t seed,
                       TimelineModule& timeline)
    : sc_core::sc_module(name), socket("socket"), timeline_(timeline), device_(config, kept, seed, timeline.timeline(), *this) {
  socket.register_nb_transport_fw(this, &NandModule::nb_transport_fw);
}

tlm::tlm_sync_enum NandModule::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  TESSERA_CHECK(phase == tlm::BEGIN_REQ, "the flash was sent another phase than BEGIN_REQ");
  auto* extension = payload.get_extension<FlashExtension>();
  TESSERA_CHECK(extension != nullptr && extension->command != nullptr, "a flash transaction came without a command");
  timeline_.synchronise(delay);
  device_.submit(*extension->command, from_sc_time(sc_core::sc_time_stamp() + delay), &payload);
  timeline_.reschedule();
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void NandModule::done(FlashCommand&, void* context, Picoseconds busy, Picoseconds) {
  auto& payload = *static_cast<tlm::tlm_generic_payload*>(context);
  payload.get_extension<FlashExtension>()->busy = busy;
  payload.set_response_status(tlm::TLM_OK_RESPONSE);  // a device error is a status of the command, not of the transport
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = timeline_.ahead();
  const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, delay);
  TESSERA_CHECK(answer == tlm::TLM_COMPLETED, "the flash's response was not completed at once");
}

}  // namespace tessera
