#include "dram/dram_module.hpp"

namespace tessera {

DramModule::DramModule(sc_core::sc_module_name name, const DramConfig& config, std::uint64_t seed)
    : sc_core::sc_module(name), socket("socket"), device_(config, seed) {
  socket.register_b_transport(this, &DramModule::b_transport);
}

void DramModule::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) {
    payload.set_response_status(tlm::TLM_COMMAND_ERROR_RESPONSE);
    return;
  }
  const std::uint64_t capacity = device_.config().capacity.value();
  const std::uint64_t length = payload.get_data_length();
  if (payload.get_address() > capacity || length > capacity - payload.get_address()) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const DramAddress address(payload.get_address());
  const Access access = payload.is_read() ? Access::read : Access::write;
  const Picoseconds now = from_sc_time(sc_core::sc_time_stamp() + delay);
  auto* dma = payload.get_extension<DmaExtension>();
  Picoseconds end = now;
  if (dma == nullptr)
    end = device_.access(address, payload.get_data_length(), access, now);
  else if (dma->timed)
    end = device_.dma(address, Bytes(length), access, now);
  else
    device_.move(address, Bytes(length), access, now);
  delay += to_sc_time(end - now);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  const auto failed = device_.failed();
  if (failed.empty()) return;
  if (dma != nullptr && dma->failed != nullptr) dma->failed->assign(failed.begin(), failed.end());
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

}  // namespace tessera
