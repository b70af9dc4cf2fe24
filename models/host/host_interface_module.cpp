#include "host/host_interface_module.hpp"

#include <algorithm>
#include <utility>

#include "bus/address_map.hpp"

namespace tessera {

HostInterfaceModule::HostInterfaceModule(sc_core::sc_module_name name, TimelineModule& drive, const HostConfig& config,
                                         std::uint32_t sector_bytes, std::uint64_t seed)
    : sc_core::sc_module(name),
      target_("host", drive, *this),
      initiator_("bus", drive, *this),
      host(target_.socket),
      bus(initiator_.socket),
      core_(drive.timeline(), config, sector_bytes, *this, *this, seed),
      slots_(config.tags),
      commands_(config.tags),
      forwarded_(config.tags),
      handed_over_(config.tags) {}

/// What a command means is in the extension.
tlm::tlm_response_status HostInterfaceModule::refusal(const tlm::tlm_generic_payload& payload) const {
  const auto* extension = payload.get_extension<HostExtension>();
  return extension == nullptr || extension->request == nullptr ? tlm::TLM_GENERIC_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
}

bool HostInterfaceModule::arrived(tlm::tlm_generic_payload& payload) {
  HostRequest& request = *payload.get_extension<HostExtension>()->request;
  core_.issue(request);
  commands_[request.tag] = &payload;
  return true;
}

void HostInterfaceModule::signalled(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  if (phase == ABORT_REQ) core_.abort(*payload.get_extension<HostExtension>()->request);
}

void HostInterfaceModule::arrived(HostRequest& request) {
  if (controller_ != nullptr) {
    handed_over_[request.tag] = &request;
    return controller_->arrived(request);
  }
  auto& payload = mailbox_payloads_.take();
  MailboxSlot& slot = slots_[request.tag];
  slot = {.first_block = request.blocks.first.value(),
          .blocks = request.blocks.count,
          .op = static_cast<std::uint8_t>(request.op),
          .force_unit_access = request.force_unit_access};
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(address_map::mailbox + std::uint64_t{request.tag} * sizeof slot);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&slot));
  payload.set_data_length(sizeof slot);
  payload.set_streaming_width(sizeof slot);
  payload.extension.request = &request;
  forwarded_[request.tag] = &payload;
  initiator_.send(payload);
}

/// The controller may not have the command yet, or not any more.
void HostInterfaceModule::abort(HostRequest& request) {
  if (handed_over_[request.tag] != nullptr) controller_->abort(request);
  if (forwarded_[request.tag] != nullptr) initiator_.signal(*forwarded_[request.tag], ABORT_REQ);
}

void HostInterfaceModule::complete(HostRequest& request) {
  if (std::exchange(handed_over_[request.tag], nullptr) == &request) core_.complete(request);
}

void HostInterfaceModule::fetch(HostRequest& request) {
  if (handed_over_[request.tag] == &request) core_.fetch(request);
}

void HostInterfaceModule::send(HostRequest& request) {
  if (handed_over_[request.tag] == &request) core_.send(request);
}

void HostInterfaceModule::answered(tlm::tlm_generic_payload& payload) {
  HostRequest& request = *payload.get_extension<HostExtension>()->request;
  forwarded_[request.tag] = nullptr;
  core_.complete(request);
}

/// The controller wants data of a write, or has data of a read.
void HostInterfaceModule::told(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) {
  TESSERA_CHECK(phase == DATA_REQ, "the controller spoke out of protocol");
  HostRequest& request = *payload.get_extension<HostExtension>()->request;
  if (request.op == HostOp::read) return core_.send(request);
  core_.fetch(request);
}

void HostInterfaceModule::completed(HostRequest& request) {
  if (commands_[request.tag] == nullptr) return caller_->completed(request);
  tlm::tlm_generic_payload& payload = *std::exchange(commands_[request.tag], nullptr);
  payload.set_response_status(ok(request.status) ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  target_.respond(payload);
}

void HostInterfaceModule::power_off() {
  core_.power_off();
  initiator_.power_off();
  for (tlm::tlm_generic_payload*& payload : commands_)
    if (payload != nullptr) target_.drop(*std::exchange(payload, nullptr));
  target_.power_off();
  std::ranges::fill(forwarded_, nullptr);
  std::ranges::fill(handed_over_, nullptr);
}

}  // namespace tessera
