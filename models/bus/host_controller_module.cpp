#include "bus/host_controller_module.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace tessera {

HostControllerModule::HostControllerModule(sc_core::sc_module_name name, std::function<std::uint64_t()> capacity)
    : sc_core::sc_module(name),
      registers("registers"),
      memory("memory"),
      drive("drive"),
      interrupt("interrupt"),
      capacity_(std::move(capacity)) {
  registers.bind(static_cast<tlm::tlm_fw_transport_if<>&>(*this));
  drive.bind(static_cast<tlm::tlm_bw_transport_if<>&>(*this));
  memory.bind(memory_return_);
  SC_HAS_PROCESS(HostControllerModule);
  SC_THREAD(run);
  SC_METHOD(drive_line);
  sensitive << line_changed_;
  SC_METHOD(carry_out_accesses);
  sensitive << accesses_.get_event() << answered_;
  dont_initialize();
}

HostControllerModule::~HostControllerModule() {
  for (Payload* payload : outstanding_) payload->release();
  for (Payload* payload : unsent_) payload->release();
}

void HostControllerModule::run() {
  const sc_core::sc_time look_for_power(1, sc_core::SC_MS);
  for (;;) {
    take_responses();
    send();
    if (core().work()) continue;
    if (core().waits_for_power())
      wait(look_for_power, changed_ | request_ended_);
    else
      wait(changed_ | responses_.get_event() | request_ended_);
  }
}

void HostControllerModule::send() {
  while (requesting_ == nullptr && !unsent_.empty() && request_free_ <= sc_core::sc_time_stamp()) {
    Payload& payload = *unsent_.front();
    unsent_.pop_front();
    outstanding_.push_back(&payload);
    requesting_ = &payload;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = drive->nb_transport_fw(payload, phase, delay);
    if (answer == tlm::TLM_ACCEPTED) continue;
    if (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
      wait(delay);
      requesting_ = nullptr;
      continue;
    }
    requesting_ = nullptr;
    const bool to_end = answer == tlm::TLM_UPDATED;  // it came with BEGIN_RESP
    responses_.notify(payload, delay);
    if (!to_end) continue;
    wait(delay);
    phase = tlm::END_RESP;
    delay = sc_core::SC_ZERO_TIME;
    drive->nb_transport_fw(payload, phase, delay);
  }
}

void HostControllerModule::take_responses() {
  while (Payload* const payload = responses_.get_next_transaction()) {
    core().ended(payload->get_extension<Origin>()->transfer, payload->is_response_ok());
    outstanding_.erase(std::ranges::find(outstanding_, payload));
    payload->release();
  }
}

tlm::tlm_sync_enum HostControllerModule::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase > tlm::END_RESP) return tlm::TLM_ACCEPTED;
  TESSERA_CHECK(phase == tlm::END_REQ || phase == tlm::BEGIN_RESP, "the drive sent the host controller a phase of the initiator's");
  if (requesting_ == &payload) {
    requesting_ = nullptr;
    request_free_ = sc_core::sc_time_stamp() + delay;
    request_ended_.notify(delay);
  }
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  responses_.notify(payload, delay);
  return tlm::TLM_COMPLETED;
}

void HostControllerModule::submit(const BlockTransfer& transfer) {
  auto& payload = payloads_.take();
  const bool moves = transfer.op == BlockOp::read || transfer.op == BlockOp::write;
  payload.set_command(transfer.op == BlockOp::read    ? tlm::TLM_READ_COMMAND
                      : transfer.op == BlockOp::write ? tlm::TLM_WRITE_COMMAND
                                                      : tlm::TLM_IGNORE_COMMAND);
  payload.set_address(transfer.offset);
  payload.set_data_ptr(moves ? reinterpret_cast<unsigned char*>(transfer.data) : nullptr);
  payload.set_data_length(transfer.bytes);
  payload.set_streaming_width(transfer.bytes);
  payload.extension.op = moves                           ? BlockExtension::Op::transfer
                         : transfer.op == BlockOp::flush ? BlockExtension::Op::flush
                                                         : BlockExtension::Op::trim;
  payload.extension.force_unit_access = transfer.force_unit_access;
  attach<Origin>(payload).transfer = transfer;
  unsent_.push_back(&payload);
  send();
}

std::uint32_t HostControllerModule::waiting(std::uint32_t command) const {
  return static_cast<std::uint32_t>(
      std::ranges::count_if(unsent_, [&](Payload* payload) { return payload->get_extension<Origin>()->transfer.command == command; }));
}

void HostControllerModule::withdraw(std::uint32_t command) {
  std::erase_if(unsent_, [&](Payload* payload) {
    if (payload->get_extension<Origin>()->transfer.command != command) return false;
    payload->release();
    return true;
  });
}

void HostControllerModule::abort(std::uint32_t command, std::uint32_t generation) {
  for (Payload* payload : outstanding_) {
    const BlockTransfer& transfer = payload->get_extension<Origin>()->transfer;
    if (transfer.command != command || transfer.generation != generation) continue;
    tlm::tlm_phase phase = ABORT_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    drive->nb_transport_fw(*payload, phase, delay);
  }
}

tlm::tlm_response_status HostControllerModule::access(const Payload& payload, bool changes) {
  const std::uint64_t at = payload.get_address();
  const unsigned bytes = payload.get_data_length();
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (has_wrong_enables(payload)) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const bool is_part = (bytes == 1 || bytes == 2) && core().takes_parts();
  if ((bytes != 4 && bytes != 8 && !is_part) || at % bytes != 0 || payload.get_streaming_width() < bytes)
    return tlm::TLM_BURST_ERROR_RESPONSE;
  if (at >= core().register_bytes()) return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  if (!core().powered()) return tlm::TLM_GENERIC_ERROR_RESPONSE;
  const ByteEnables enables = enables_of(payload);
  if (payload.is_write() && !changes) return tlm::TLM_OK_RESPONSE;
  if (!is_part) {
    access_registers(payload.is_read(), at, payload.get_data_ptr(), bytes, enables);
    return tlm::TLM_OK_RESPONSE;
  }
  unsigned char word[4] = {}, pattern[4] = {};  // in which the others are not enabled
  const std::uint64_t first = at % 4;
  for (unsigned i = 0; i < bytes; ++i) {
    word[first + i] = payload.get_data_ptr()[i];
    pattern[first + i] = enables[i] ? 0xff : 0;
  }
  access_registers(payload.is_read(), at - first, word, 4, ByteEnables(pattern));
  if (payload.is_read()) std::memcpy(payload.get_data_ptr(), word + first, bytes);
  return tlm::TLM_OK_RESPONSE;
}

/// One or two, whole or in part.
void HostControllerModule::access_registers(bool reads, std::uint64_t at, unsigned char* data, unsigned bytes, const ByteEnables& enables) {
  const RegisterWrite part(enables, bytes, RegisterWrite::Eight::two);
  std::uint64_t value = 0;
  if (reads) {
    value = core().read_register(at, bytes);
    enables.copy(data, &value, bytes);
  } else if (part.bytes != 0) {
    std::memcpy(&value, data + part.first, part.bytes);
    core().write_register(at + part.first, part.merges() ? part.merged(value, left_out(at + part.first, part.bytes)) : value, part.bytes);
  }
}

/// What bytes that a write leaves out of a register count as: what they hold, and zeros where writing ones acts.
std::uint64_t HostControllerModule::left_out(std::uint64_t at, std::uint32_t bytes) {
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < bytes; i += 4)
    if (!core().acts_on_ones(at + i)) value |= core().read_register(at + i, 4) << (8 * i);
  return value;
}

/// At kernel time.
void HostControllerModule::carry_out(Payload& payload) {
  payload.set_response_status(access(payload, true));
  if (payload.is_write()) changed_.notify(sc_core::SC_ZERO_TIME);
}

void HostControllerModule::b_transport(Payload& payload, sc_core::sc_time& delay) {
  if (delay != sc_core::SC_ZERO_TIME) wait(std::exchange(delay, sc_core::SC_ZERO_TIME));
  carry_out(payload);
}

tlm::tlm_sync_enum HostControllerModule::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase > tlm::END_RESP) return tlm::TLM_ACCEPTED;
  if (phase == tlm::END_RESP && answering_ == &payload) {
    answering_ = nullptr;
    answered_.notify(delay);
    return tlm::TLM_COMPLETED;
  }
  TESSERA_CHECK(phase == tlm::BEGIN_REQ, "the registers of a host controller were sent a phase that no request of theirs is in");
  if (delay == sc_core::SC_ZERO_TIME) {
    carry_out(payload);
    return tlm::TLM_COMPLETED;
  }
  if (payload.has_mm()) payload.acquire();
  accesses_.notify(payload, delay);
  return tlm::TLM_ACCEPTED;
}

void HostControllerModule::carry_out_accesses() {
  while (Payload* const payload = accesses_.get_next_transaction()) {
    carry_out(*payload);
    answers_.push_back(payload);
  }
  answer_accesses();
}

/// One after another: the next BEGIN_RESP comes after END_RESP.
void HostControllerModule::answer_accesses() {
  while (answering_ == nullptr && !answers_.empty()) {
    Payload& payload = *answers_.front();
    answers_.pop_front();
    answering_ = &payload;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = registers->nb_transport_bw(payload, phase, delay);
    if (answer == tlm::TLM_COMPLETED || answer == tlm::TLM_UPDATED) answering_ = nullptr;
    if (payload.has_mm()) payload.release();
  }
}

/// Reads have no side effect; a write of a register would.
unsigned HostControllerModule::transport_dbg(Payload& payload) {
  return payload.is_read() && access(payload, false) == tlm::TLM_OK_RESPONSE ? payload.get_data_length() : 0;
}

bool HostControllerModule::read(std::uint64_t address, std::span<std::byte> to) {
  return move(tlm::TLM_READ_COMMAND, address, to.data(), to.size());
}

bool HostControllerModule::write(std::uint64_t address, std::span<const std::byte> from) {
  return move(tlm::TLM_WRITE_COMMAND, address, const_cast<std::byte*>(from.data()), from.size());
}

bool HostControllerModule::move(tlm::tlm_command command, std::uint64_t address, std::byte* data, std::size_t bytes) {
  if (!core().powered()) return false;
  Payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(data));
  payload.set_data_length(static_cast<unsigned>(bytes));
  payload.set_streaming_width(static_cast<unsigned>(bytes));
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  memory->b_transport(payload, delay);
  if (delay != sc_core::SC_ZERO_TIME) wait(delay);
  return payload.is_response_ok() && core().powered();
}

void HostControllerModule::line(bool asserted) {
  asserted_ = asserted;
  line_changed_.notify(sc_core::SC_ZERO_TIME);
}

void HostControllerModule::drive_line() {
  if (interrupt.size() != 0) interrupt->write(asserted_);
}

void HostControllerModule::message(std::uint16_t vector) {
  if (listener_) listener_(vector);
}

void HostControllerModule::power_off() {
  core().power_off();
  for (Payload* payload : std::exchange(unsent_, {})) payload->release();
  changed_.notify(sc_core::SC_ZERO_TIME);
}

void HostControllerModule::power_on() {
  core().power_on();
  changed_.notify(sc_core::SC_ZERO_TIME);
}

}  // namespace tessera
