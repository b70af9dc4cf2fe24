#include "dram/dram_module.hpp"

#include <algorithm>

#include "base/byte_enables.hpp"

namespace tessera {

DramModule::DramModule(sc_core::sc_module_name name, const DramConfig& config, std::uint64_t seed, TimelineModule* drive)
    : sc_core::sc_module(name), socket("socket"), drive_(drive), device_(config, seed), memory_(config.capacity) {
  socket.bind(*this);
}

tlm::tlm_response_status DramModule::refusal(const tlm::tlm_generic_payload& payload) const {
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (has_wrong_enables(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const std::uint64_t capacity = memory_.bytes().size();
  const std::uint64_t length = payload.get_data_length();
  if (payload.get_address() > capacity || length > capacity - payload.get_address()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (payload.get_streaming_width() < length) return tlm::TLM_BURST_ERROR_RESPONSE;
  return tlm::TLM_OK_RESPONSE;
}

void DramModule::move_bytes(tlm::tlm_generic_payload& payload, std::size_t length) {
  unsigned char* const data = payload.get_data_ptr();
  auto* const own = reinterpret_cast<unsigned char*>(memory_.bytes().data()) + payload.get_address();
  if (data == nullptr || data == own) return;
  payload.is_read() ? enables_of(payload).copy(data, own, length) : enables_of(payload).copy(own, data, length);
}

Picoseconds DramModule::priced(const tlm::tlm_generic_payload& payload, DmaExtension& dma, Picoseconds now) {
  dma.transfer.address = DramAddress(payload.get_address());
  dma.transfer.bytes = Bytes(payload.get_data_length());
  dma.transfer.access = payload.is_read() ? Access::read : Access::write;
  const DmaGrant grant = device_.dma(dma.transfer, now);
  dma.behind = std::max(dma.behind, grant.behind);
  return grant.end;
}

void DramModule::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  if (const auto response = refusal(payload); response != tlm::TLM_OK_RESPONSE) [[unlikely]]
    return payload.set_response_status(response);
  const std::uint64_t length = payload.get_data_length();
  const DramAddress address(payload.get_address());
  const Access access = payload.is_read() ? Access::read : Access::write;
  const Picoseconds now = drive_ == nullptr ? from_sc_time(sc_core::sc_time_stamp() + delay) : drive_->instant(delay);
  auto* dma = payload.get_extension<DmaExtension>();
  Picoseconds end = now;
  if (dma == nullptr)
    end = device_.access(address, payload.get_data_length(), access, now);
  else if (dma->timed)
    end = priced(payload, *dma, now);
  else
    device_.move(address, Bytes(length), access, now);
  delay += times_(end - now);
  if (payload.get_data_ptr() != nullptr) move_bytes(payload, length);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
  payload.set_dmi_allowed(!device_.can_fail());
  const auto failed = device_.failed();
  if (failed.empty()) return;
  if (dma != nullptr && dma->failed != nullptr) dma->failed->assign(failed.begin(), failed.end());
  payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
}

tlm::tlm_sync_enum DramModule::nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase > tlm::END_RESP) return tlm::TLM_ACCEPTED;  // one of somebody's own, which it may ignore
  TESSERA_CHECK(phase == tlm::BEGIN_REQ, "the DRAM, which ends a transaction with its request, was sent a later phase");
  b_transport(payload, delay);
  return tlm::TLM_COMPLETED;
}

unsigned DramModule::transport_dbg(tlm::tlm_generic_payload& payload) {
  const std::uint64_t capacity = memory_.bytes().size();
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND || payload.get_address() >= capacity) return 0;
  const auto length = static_cast<unsigned>(std::min<std::uint64_t>(payload.get_data_length(), capacity - payload.get_address()));
  move_bytes(payload, length);
  return length;
}

/// The whole DRAM, where a power cut clears it (the bus then withdraws it). One that can fail answers each access.
bool DramModule::get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const auto bytes = memory_.bytes();
  if (payload.get_address() >= bytes.size()) return deny_direct_access(dmi, bytes.size());
  if (device_.can_fail()) return deny_direct_access(dmi);
  const DramConfig& config = device_.config();
  dmi.init();
  dmi.set_dmi_ptr(reinterpret_cast<unsigned char*>(bytes.data()));
  dmi.set_start_address(0);
  dmi.set_end_address(bytes.size() - 1);
  dmi.set_read_latency(to_sc_time(config.column_latency));
  dmi.set_write_latency(to_sc_time(config.writes_after()));
  dmi.allow_read_write();
  return true;
}

void DramModule::power_off() {
  device_.cut();
  memory_.clear();
}

void DramModule::power_on() { device_.initialise(drive_ == nullptr ? Picoseconds() : drive_->timeline().now()); }

}  // namespace tessera
