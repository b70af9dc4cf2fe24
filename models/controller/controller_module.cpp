#include "controller/controller_module.hpp"

#include <algorithm>

#include "bus/bus_module.hpp"

namespace tessera {

ControllerModule::ControllerModule(sc_core::sc_module_name name, TimelineModule& drive, const ControllerConfig& config,
                                   const Positioning& positioning, const TrackCapacity& tracks, const FlashCatalogue* catalogue,
                                   SectorShape shape, Bytes dram_capacity, Bytes host_buffer, std::uint32_t tags, Controller::Image image)
    : sc_core::sc_module(name),
      bus("bus"),
      mailbox("mailbox"),
      drive_(drive),
      core_(drive.timeline(), config,
            ControllerLinks{*this, positioning, tracks, catalogue == nullptr ? nullptr : static_cast<FlashLink*>(this), catalogue, *this,
                            *this},
            shape, dram_capacity, host_buffer, tags, std::move(image)),
      commands_(tags) {
  bus.register_nb_transport_bw(this, &ControllerModule::interrupt);
  mailbox.register_nb_transport_fw(this, &ControllerModule::command);
}

void ControllerModule::start(const MediaStep& step) {
  tlm::tlm_generic_payload& payload = media_payloads_.take();
  payload.set_address(address_map::disk_channel);
  payload.set_command(step.op == MediaOp::read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  payload.get_extension<MediaExtension>()->step = &step;
  device_payloads_.push_back(&payload);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = drive_.ahead();
  const auto answer = bus->nb_transport_fw(payload, phase, delay);
  TESSERA_CHECK(answer == tlm::TLM_UPDATED && phase == tlm::END_REQ, "the media did not accept a step");
}

void ControllerModule::start(FlashCommand& command) {
  tlm::tlm_generic_payload& payload = flash_payloads_.take();
  payload.set_address(address_map::nand);
  const bool reads = command.op == FlashOp::read || command.op == FlashOp::read_oob;
  payload.set_command(reads ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  payload.get_extension<FlashExtension>()->command = &command;
  device_payloads_.push_back(&payload);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = drive_.ahead();
  const auto answer = bus->nb_transport_fw(payload, phase, delay);
  TESSERA_CHECK(answer == tlm::TLM_UPDATED && phase == tlm::END_REQ, "the NAND did not accept a command");
}

inline Picoseconds ControllerModule::dram_transaction(tlm::tlm_generic_payload& payload, DramAddress address, std::uint64_t bytes,
                                                      Access access, Picoseconds at) {
  payload.set_address(address_map::dram + address.value());
  payload.set_command(access == Access::read ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  const sc_core::sc_time kernel = sc_core::sc_time_stamp();
  sc_core::sc_time delay = to_sc_time(at) - kernel;
  bus->b_transport(payload, delay);
  if (!payload.is_response_ok()) [[unlikely]]
    report_failed(payload, address, Bytes(bytes));
  return from_sc_time(kernel + delay);
}

void ControllerModule::report_failed(tlm::tlm_generic_payload& payload, DramAddress address, Bytes bytes) {
  TESSERA_CHECK(payload.get_response_status() == tlm::TLM_GENERIC_ERROR_RESPONSE, "the DRAM refused an access");
  if (failed_words_.empty()) return core_.memory().uncorrectable(address, bytes);
  for (const DramAddress word : std::exchange(failed_words_, {})) core_.memory().uncorrectable(word, Bytes(1));
}

Picoseconds ControllerModule::access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds at) {
  return dram_transaction(access_payload_, address, bytes, access, at);
}

Picoseconds ControllerModule::dma(DramAddress address, Bytes bytes, Access access, Picoseconds at) {
  tlm::tlm_generic_payload& payload = dma_payloads_.take();
  payload.get_extension<DmaExtension>()->failed = &failed_words_;
  const Picoseconds end = dram_transaction(payload, address, bytes.value(), access, at);
  payload.release();
  return end;
}

void ControllerModule::move(DramAddress address, Bytes bytes, Access access, Picoseconds at) {
  tlm::tlm_generic_payload& payload = dma_payloads_.take();
  auto& extension = *payload.get_extension<DmaExtension>();
  extension.timed = false;
  extension.failed = &failed_words_;
  dram_transaction(payload, address, bytes.value(), access, at);
  payload.release();
}

tlm::tlm_sync_enum ControllerModule::interrupt(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
  TESSERA_CHECK(phase == tlm::BEGIN_RESP, "a device answered out of protocol");
  const auto at = std::find(device_payloads_.begin(), device_payloads_.end(), &payload);
  TESSERA_CHECK(at != device_payloads_.end(), "a device answered a transaction that nobody began");
  *at = device_payloads_.back();
  device_payloads_.pop_back();
  if (payload.get_address() == address_map::disk_channel) {
    const auto* done = payload.get_extension<MediaExtension>();
    const MediaBreakdown timing = done->timing;
    const Status status = done->status;
    payload.release();
    core_.disk_channel().step_done(timing, status);
  } else {
    const auto* done = payload.get_extension<FlashExtension>();
    FlashCommand& flash = *done->command;
    const Picoseconds busy = done->busy;
    payload.release();
    core_.flash_channel()->command_done(flash, busy);
  }
  return tlm::TLM_COMPLETED;
}

tlm::tlm_sync_enum ControllerModule::command(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time&) {
  HostRequest& request = *payload.get_extension<HostExtension>()->request;
  if (phase == ABORT_REQ) {
    core_.abort(request);
    return tlm::TLM_ACCEPTED;
  }
  TESSERA_CHECK(phase == tlm::BEGIN_REQ, "the host interface spoke out of protocol");
  payload.acquire();
  commands_[request.tag] = &payload;
  core_.arrived(request);
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void ControllerModule::complete(HostRequest& request) {
  tlm::tlm_generic_payload& payload = *std::exchange(commands_[request.tag], nullptr);
  payload.set_response_status(ok(request.status) ? tlm::TLM_OK_RESPONSE : tlm::TLM_GENERIC_ERROR_RESPONSE);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = drive_.ahead();
  const auto answer = mailbox->nb_transport_bw(payload, phase, delay);
  TESSERA_CHECK(answer == tlm::TLM_COMPLETED, "the host interface did not take a completion");
  payload.release();
}

void ControllerModule::power_off() {
  core_.power_off();
  for (tlm::tlm_generic_payload* payload : device_payloads_) payload->release();
  device_payloads_.clear();
  for (tlm::tlm_generic_payload*& payload : commands_)
    if (payload != nullptr) std::exchange(payload, nullptr)->release();
}

}  // namespace tessera
