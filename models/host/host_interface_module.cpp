#include "host/host_interface_module.hpp"

#include <utility>

#include "bus/bus_module.hpp"

namespace tessera {

HostInterfaceModule::HostInterfaceModule(sc_core::sc_module_name name, TimelineModule& drive, const HostConfig& config,
                                         std::uint32_t sector_bytes, std::uint64_t seed)
    : sc_core::sc_module(name),
      host("host"),
      bus("bus"),
      drive_(drive),
      core_(drive.timeline(), config, sector_bytes, *this, *this, seed),
      payloads_(config.tags) {
  host.register_nb_transport_fw(this, &HostInterfaceModule::issue);
  host.register_b_transport(this, &HostInterfaceModule::refuse);
  bus.register_nb_transport_bw(this, &HostInterfaceModule::answered);
}

tlm::tlm_sync_enum HostInterfaceModule::issue(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  TESSERA_CHECK(phase == tlm::BEGIN_REQ || phase == ABORT_REQ, "the host spoke out of protocol");
  const HostExtension* extension = payload.get_extension<HostExtension>();
  if (extension == nullptr || extension->request == nullptr || !payload.has_mm()) {
    refuse(payload, delay);
    return tlm::TLM_COMPLETED;
  }
  drive_.synchronise(delay);
  if (phase == ABORT_REQ) {
    core_.abort(*extension->request);
    drive_.reschedule();
    return tlm::TLM_ACCEPTED;
  }
  payload.acquire();
  HostRequest& request = *extension->request;
  core_.issue(request);
  payloads_[request.tag] = &payload;
  drive_.reschedule();
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void HostInterfaceModule::refuse(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

void HostInterfaceModule::arrived(HostRequest& request) {
  tlm::tlm_generic_payload& payload = *payloads_[request.tag];
  payload.set_address(address_map::mailbox);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = drive_.ahead();
  const auto answer = bus->nb_transport_fw(payload, phase, delay);
  TESSERA_CHECK(answer == tlm::TLM_UPDATED && phase == tlm::END_REQ, "the controller did not take a command");
}

void HostInterfaceModule::abort(HostRequest& request) {
  tlm::tlm_generic_payload& payload = *payloads_[request.tag];
  payload.set_address(address_map::mailbox);
  tlm::tlm_phase phase = ABORT_REQ;
  sc_core::sc_time delay = drive_.ahead();
  const auto answer = bus->nb_transport_fw(payload, phase, delay);
  TESSERA_CHECK(answer == tlm::TLM_ACCEPTED, "the controller did not take an abort");
}

tlm::tlm_sync_enum HostInterfaceModule::answered(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
  TESSERA_CHECK(phase == tlm::BEGIN_RESP, "the controller answered out of protocol");
  core_.complete(*payload.get_extension<HostExtension>()->request);
  return tlm::TLM_COMPLETED;
}

void HostInterfaceModule::completed(HostRequest& request) {
  tlm::tlm_generic_payload& payload = *std::exchange(payloads_[request.tag], nullptr);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = drive_.ahead();
  const auto answer = host->nb_transport_bw(payload, phase, delay);
  TESSERA_CHECK(answer == tlm::TLM_COMPLETED, "the host did not take a completion");
  payload.release();
}

void HostInterfaceModule::power_off() {
  core_.power_off();
  for (tlm::tlm_generic_payload*& payload : payloads_)
    if (payload != nullptr) std::exchange(payload, nullptr)->release();
}

}  // namespace tessera
