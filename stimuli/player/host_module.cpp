#include "stimuli/player/host_module.hpp"

#include <algorithm>

namespace tessera {

HostModule::HostModule(sc_core::sc_module_name name, TimelineModule& drive) : sc_core::sc_module(name), socket("socket"), drive_(drive) {
  socket.register_nb_transport_bw(this, &HostModule::answered);
}

void HostModule::issue(HostRequest& request) {
  tlm::tlm_generic_payload& payload = payloads_.take();
  payload.set_command(request.op == HostOp::read    ? tlm::TLM_READ_COMMAND
                      : request.op == HostOp::write ? tlm::TLM_WRITE_COMMAND
                                                    : tlm::TLM_IGNORE_COMMAND);
  payload.set_data_length(static_cast<unsigned>(std::uint64_t{request.blocks.count} * host_block_bytes));
  payload.get_extension<HostExtension>()->request = &request;
  outstanding_.push_back(&payload);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = drive_.ahead();
  const auto answer = socket->nb_transport_fw(payload, phase, delay);
  TESSERA_CHECK(answer == tlm::TLM_UPDATED && phase == tlm::END_REQ, "the drive did not accept a request");
}

void HostModule::abort(HostRequest& request) {
  const auto at = std::find_if(outstanding_.begin(), outstanding_.end(), [&request](tlm::tlm_generic_payload* payload) {
    return payload->get_extension<HostExtension>()->request == &request;
  });
  TESSERA_CHECK(at != outstanding_.end(), "the host aborts a request that it did not issue");
  tlm::tlm_phase phase = ABORT_REQ;
  sc_core::sc_time delay = drive_.ahead();
  const auto answer = socket->nb_transport_fw(**at, phase, delay);
  TESSERA_CHECK(answer == tlm::TLM_ACCEPTED, "the drive did not take an abort");
}

tlm::tlm_sync_enum HostModule::answered(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
  TESSERA_CHECK(phase == tlm::BEGIN_RESP, "the drive answered out of protocol");
  HostRequest& request = *payload.get_extension<HostExtension>()->request;
  const auto at = std::find(outstanding_.begin(), outstanding_.end(), &payload);
  TESSERA_CHECK(at != outstanding_.end(), "the drive answered a request that nobody made");
  *at = outstanding_.back();
  outstanding_.pop_back();
  payload.release();
  receiver_(request);
  return tlm::TLM_COMPLETED;
}

void HostModule::power_lost() {
  for (tlm::tlm_generic_payload* payload : outstanding_) payload->release();
  outstanding_.clear();
}

}  // namespace tessera
