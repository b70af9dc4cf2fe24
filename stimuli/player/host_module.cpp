#include "stimuli/player/host_module.hpp"

#include <algorithm>

namespace tessera {

HostModule::HostModule(sc_core::sc_module_name name, TimelineModule& drive)
    : sc_core::sc_module(name), drive_(drive), initiator_("socket", drive, *this), socket(initiator_.socket) {}

void HostModule::reach(HostInterfaceModule& drive) {
  interface_ = &drive.core();
  drive.answer_to(*this);
}

/// What does not come from an action of the drive's own takes its turn in the calendar, as a payload.
void HostModule::issue(HostRequest& request) {
  if (interface_ != nullptr && drive_.in_hand(drive_.timeline().now())) return interface_->issue(request);
  auto& payload = payloads_.take();
  payload.set_command(request.op == HostOp::read    ? tlm::TLM_READ_COMMAND
                      : request.op == HostOp::write ? tlm::TLM_WRITE_COMMAND
                                                    : tlm::TLM_IGNORE_COMMAND);
  const auto bytes = static_cast<unsigned>(std::uint64_t{request.blocks.count} * host_block_bytes);
  payload.set_address(request.blocks.first.value() * host_block_bytes);
  payload.set_data_length(bytes);
  payload.set_streaming_width(bytes);
  const bool holds_bytes = bytes != 0 && request.content.size() == bytes;  // content mode `bytes`
  payload.set_data_ptr(holds_bytes ? reinterpret_cast<unsigned char*>(request.content.data()) : nullptr);
  payload.extension.request = &request;
  initiator_.send(payload);
}

void HostModule::abort(HostRequest& request) {
  const auto& outstanding = initiator_.outstanding();
  const auto at = std::ranges::find_if(outstanding, [&request](const tlm::tlm_generic_payload* payload) {
    return payload->get_extension<HostExtension>()->request == &request;
  });
  if (at == outstanding.end() && interface_ != nullptr) return interface_->abort(request);
  TESSERA_CHECK(at != outstanding.end(), "the host aborts a request that it did not issue");
  initiator_.signal(**at, ABORT_REQ);
}

void HostModule::answered(tlm::tlm_generic_payload& payload) { receiver_(*payload.get_extension<HostExtension>()->request); }

}  // namespace tessera
