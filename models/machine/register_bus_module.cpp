#include "machine/register_bus_module.hpp"

#include "base/byte_enables.hpp"
#include "base/check.hpp"
#include "base/error.hpp"
#include "machine/register_file.hpp"

namespace tessera {

RegisterTargetModule::RegisterTargetModule(sc_core::sc_module_name name) : sc_core::sc_module(name), socket("socket") {
  socket.bind(*this);
}

tlm::tlm_response_status RegisterTargetModule::refusal(const tlm::tlm_generic_payload& payload) const {
  if (registers_ == nullptr || payload.get_data_ptr() == nullptr) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (has_wrong_enables(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const std::uint32_t bytes = payload.get_data_length();
  if ((bytes != 4 && bytes != 8) || payload.get_streaming_width() < bytes) return tlm::TLM_BURST_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

void RegisterTargetModule::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time&) {
  payload.set_response_status(refusal(payload));
  if (payload.get_response_status() != tlm::TLM_OK_RESPONSE) return;
  const std::span data(reinterpret_cast<std::byte*>(payload.get_data_ptr()), payload.get_data_length());
  registers_->access(payload.get_address(), data, payload.is_write(), enables_of(payload));
}

tlm::tlm_sync_enum RegisterTargetModule::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase&, sc_core::sc_time& delay) {
  b_transport(payload, delay);
  return tlm::TLM_COMPLETED;
}

RegisterInitiatorModule::RegisterInitiatorModule(sc_core::sc_module_name name, const TimelineModule& drive, RegisterTargetModule& target)
    : sc_core::sc_module(name), bus("bus"), drive_(drive), target_(target) {
  bus.bind(*this);
  payload_.set_data_ptr(reinterpret_cast<unsigned char*>(&value_));
  payload_.set_data_length(sizeof value_);
  payload_.set_streaming_width(sizeof value_);
}

void RegisterInitiatorModule::send(tlm::tlm_command command, std::uint64_t address) {
  payload_.set_command(command);
  payload_.set_address(address);
  payload_.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = drive_.ahead();
  bus->b_transport(payload_, delay);
  TESSERA_CHECK(payload_.is_response_ok(), "a register refused an access");
}

std::uint64_t RegisterInitiatorModule::load(std::uint64_t address) {
  send(tlm::TLM_READ_COMMAND, address);
  return value_;
}

void RegisterInitiatorModule::store(std::uint64_t address, std::uint64_t value) {
  value_ = value;
  send(tlm::TLM_WRITE_COMMAND, address);
}

tlm::tlm_sync_enum RegisterInitiatorModule::nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) {
  throw ModelBug("firmware, whose accesses to registers block, was sent a phase");
}

}  // namespace tessera
