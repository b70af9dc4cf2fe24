#include "bus/bus_module.hpp"

#include <algorithm>

namespace tessera {

namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

/// Between whom a transaction runs.
struct RouteExtension : tlm::tlm_extension<RouteExtension> {
  int initiator = 0;
  int target = 0;
  bool completed = false;  ///< the target has ended it: it is not told of END_RESP
  tlm_extension_base* clone() const override { return new RouteExtension(*this); }
  void copy_from(const tlm_extension_base& other) override { *this = static_cast<const RouteExtension&>(other); }
};

RouteExtension& route_of(tlm::tlm_generic_payload& payload) { return attach<RouteExtension>(payload); }

/// What a call made now has to annotate for an instant that may be past.
sc_time delay_until(const sc_time& at) { return std::max(at, sc_time_stamp()) - sc_time_stamp(); }

}  // namespace

BusModule::BusModule(sc_core::sc_module_name name, const BusConfig& config, std::uint32_t flash_channels, std::uint32_t arms)
    : sc_core::sc_module(name),
      from_cpu("from_cpu"),
      from_controller("from_controller"),
      from_host("from_host"),
      from_engines("from_engines"),
      from_processor("from_processor"),
      to_dram("to_dram"),
      to_disk_channel("to_disk_channel"),
      to_nand("to_nand"),
      to_mailbox("to_mailbox"),
      interconnect_(config, flash_channels, arms),
      entries_{Entry(*this, cpu), Entry(*this, controller), Entry(*this, host), Entry(*this, processor), Entry(*this, engines)},
      exits_{Exit(*this, dram), Exit(*this, disk), Exit(*this, nand), Exit(*this, mailbox)} {
  from_cpu.bind(entries_[cpu]);
  from_controller.bind(entries_[controller]);
  from_host.bind(entries_[host]);
  from_processor.bind(entries_[processor]);
  from_engines.bind(entries_[engines]);
  to_dram.bind(exits_[dram]);
  to_disk_channel.bind(exits_[disk]);
  to_nand.bind(exits_[nand]);
  to_mailbox.bind(exits_[mailbox]);
}

void BusModule::start_of_simulation() {
  const auto bound = [](auto& socket) { return socket.size() == 0 ? nullptr : socket.operator->(); };
  to_ = {bound(to_dram), bound(to_disk_channel), bound(to_nand), bound(to_mailbox)};
  back_to_ = {bound(from_cpu), bound(from_controller), bound(from_host), bound(from_processor), bound(from_engines)};
}

/// Null where the address is in no window.
tlm::tlm_fw_transport_if<>* BusModule::target_of(const Payload& payload) const {
  const std::uint64_t window = payload.get_address() >> address_map::window_bits;
  return window < targets ? to_[window] : nullptr;
}

/// Who began the transaction. Mostly the controller is the only one that reaches devices.
int BusModule::initiator_of(int target, Payload& payload) const {
  if (routed_) return route_of(payload).initiator;
  return target == mailbox ? host : controller;
}

void BusModule::b_transport(Payload& payload, sc_time& delay) {
  if (payload.get_address() >> address_map::window_bits == dram) return to_memory(payload, delay);
  if (payload.get_address() >> address_map::window_bits == address_map::registers >> address_map::window_bits)
    return to_register(payload, delay);
  auto* const target = target_of(payload);
  if (target == nullptr) return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  payload.set_address(address_map::offset(payload.get_address()));
  target->b_transport(payload, delay);
}

/// Bus and DRAM work side by side: an extent ends when both have moved all of it. A single access crosses the bus first.
void BusModule::to_memory(Payload& payload, sc_time& delay) {
  Picoseconds kernel = from_sc_time(simcontext()->time_stamp());
  const Picoseconds at = kernel + from_sc_time(delay);
  auto* dma = payload.get_extension<DmaExtension>();
  if (dma == nullptr) {
    delay += times_(interconnect_.access(Bytes(payload.get_data_length()), at) - at);
    return to_dram->b_transport(payload, delay);
  }
  if (!dma->timed) return to_dram->b_transport(payload, delay);
  dma->transfer.bytes = Bytes(payload.get_data_length());
  const DmaGrant grant = interconnect_.transfer(dma->transfer, at);
  to_dram->b_transport(payload, delay);
  kernel = from_sc_time(simcontext()->time_stamp());  // a DRAM may wait
  if (kernel + from_sc_time(delay) < grant.end) delay = to_sc_time(grant.end - kernel);
  dma->behind = std::max(dma->behind, grant.behind);
}

void BusModule::to_register(Payload& payload, sc_time& delay) {
  constexpr std::uint64_t registers = static_cast<std::uint64_t>(DeviceRegister::count_);
  if (address_map::offset(payload.get_address()) >= registers * register_bytes)
    return payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  if (payload.get_data_length() != register_bytes) return payload.set_response_status(tlm::TLM_BURST_ERROR_RESPONSE);
  const Picoseconds kernel = from_sc_time(simcontext()->time_stamp());
  delay = to_sc_time(interconnect_.exchange(BusExchange::register_access, 1, kernel + from_sc_time(delay)) - kernel);
  payload.set_response_status(tlm::TLM_OK_RESPONSE);
}

unsigned BusModule::transport_dbg(Payload& payload) {
  auto* const target = target_of(payload);
  if (target == nullptr) return 0;
  const std::uint64_t address = payload.get_address();
  payload.set_address(address_map::offset(address));
  const unsigned bytes = target->transport_dbg(payload);
  payload.set_address(address);
  return bytes;
}

/// Only the DRAM has bytes to point at; its window begins at 0. An access of them crosses the bus first.
bool BusModule::get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) {
  constexpr std::uint64_t end = std::uint64_t{1} << address_map::window_bits;
  if (payload.get_address() >= end) return deny_direct_access(dmi, end);
  const bool given = to_dram->get_direct_mem_ptr(payload, dmi);
  dmi.set_end_address(std::min<sc_dt::uint64>(dmi.get_end_address(), end - 1));
  dmi.set_read_latency(dmi.get_read_latency() + to_sc_time(interconnect_.crossing()));
  dmi.set_write_latency(dmi.get_write_latency() + to_sc_time(interconnect_.crossing()));
  pointed_at_ = pointed_at_ || given;
  return given;
}

void BusModule::invalidate_direct_mem_ptr(int target, sc_dt::uint64 first, sc_dt::uint64 last) {
  if (target != dram) return;
  for (auto* const initiator : back_to_)
    if (initiator != nullptr) initiator->invalidate_direct_mem_ptr(first, last);
}

/// Gives BEGIN_REQ to the target, and its answer.
inline tlm::tlm_sync_enum BusModule::send_request(int target, Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  Channel& requests = requests_[static_cast<std::size_t>(target)];
  requests.busy = &payload;
  const sc_time own = delay;
  const tlm::tlm_sync_enum answer = to_[static_cast<std::size_t>(target)]->nb_transport_fw(payload, phase, delay);
  if (answer == tlm::TLM_ACCEPTED) return answer;
  requests.busy = nullptr;
  requests.delayed = delay != own;
  if (requests.delayed) [[unlikely]]
    requests.free = sc_time_stamp() + delay;
  if (answer == tlm::TLM_COMPLETED || phase != tlm::BEGIN_RESP) return answer;
  Channel& responses = responses_[static_cast<std::size_t>(route_of(payload).initiator)];
  if (responses.busy == nullptr) {
    responses.busy = &payload;
    return answer;
  }
  responses.waiting.push_back({&payload, sc_time_stamp() + delay});
  phase = tlm::END_REQ;
  return answer;
}

/// Gives BEGIN_RESP to the initiator, and its answer.
inline tlm::tlm_sync_enum BusModule::send_response(std::size_t initiator, Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  Channel& responses = responses_[initiator];
  if (responses.delayed) [[unlikely]]
    delay = std::max(delay, delay_until(responses.free));
  responses.busy = &payload;
  const sc_time own = delay;
  const tlm::tlm_sync_enum answer = back_to_[initiator]->nb_transport_bw(payload, phase, delay);
  if (answer == tlm::TLM_ACCEPTED) return answer;
  responses.busy = nullptr;
  responses.delayed = delay != own;
  if (responses.delayed) [[unlikely]]
    responses.free = sc_time_stamp() + delay;
  return answer;
}

tlm::tlm_sync_enum BusModule::forward(int initiator, Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  if (phase != tlm::BEGIN_REQ) {
    const RouteExtension& route = route_of(payload);
    const bool ends = phase == tlm::END_RESP;
    const sc_time at = sc_time_stamp() + delay;
    tlm::tlm_sync_enum answer = tlm::TLM_COMPLETED;
    if (!route.completed) answer = to_[static_cast<std::size_t>(route.target)]->nb_transport_fw(payload, phase, delay);
    if (ends) response_ended(initiator, at);
    return answer;
  }
  if (target_of(payload) == nullptr) [[unlikely]] {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  const auto target = static_cast<int>(payload.get_address() >> address_map::window_bits);
  if (initiator != controller && initiator != host) routed_ = true;
  RouteExtension& route = route_of(payload);
  route.initiator = initiator;
  route.target = target;
  route.completed = false;
  payload.set_address(address_map::offset(payload.get_address()));
  Channel& requests = requests_[static_cast<std::size_t>(target)];
  if (requests.busy != nullptr || !requests.waiting.empty()) {
    requests.waiting.push_back({&payload, sc_time_stamp() + delay});
    return tlm::TLM_ACCEPTED;
  }
  if (requests.delayed) [[unlikely]]
    delay = std::max(delay, delay_until(requests.free));
  return send_request(target, payload, phase, delay);
}

tlm::tlm_sync_enum BusModule::backward(int target, Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  const auto initiator = static_cast<std::size_t>(initiator_of(target, payload));
  Channel& responses = responses_[initiator];
  const bool ends_request = requests_[static_cast<std::size_t>(target)].busy == &payload;
  if (!ends_request && phase == tlm::BEGIN_RESP && responses.busy == nullptr && !responses.delayed) [[likely]] {
    const tlm::tlm_sync_enum answer = send_response(initiator, payload, phase, delay);
    if (!responses.waiting.empty()) [[unlikely]]
      answer_waiting(initiator);
    return answer;
  }
  const sc_time own = delay;
  tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED;
  if (phase != tlm::BEGIN_RESP)
    answer = back_to_[initiator]->nb_transport_bw(payload, phase, delay);
  else if (responses.busy != nullptr)
    responses.waiting.push_back({&payload, sc_time_stamp() + delay});
  else
    answer = send_response(initiator, payload, phase, delay);
  if (ends_request) request_ended(target, sc_time_stamp() + own);
  if (!responses.waiting.empty()) answer_waiting(initiator);
  return answer;
}

void BusModule::request_ended(int target, const sc_time& at) {
  Channel& requests = requests_[static_cast<std::size_t>(target)];
  requests.busy = nullptr;
  requests.delayed = true;
  requests.free = at;
  if (!requests.waiting.empty()) begin_waiting(target);
}

void BusModule::response_ended(int initiator, const sc_time& at) {
  Channel& responses = responses_[static_cast<std::size_t>(initiator)];
  responses.busy = nullptr;
  responses.delayed = true;
  responses.free = at;
  if (!responses.waiting.empty()) answer_waiting(static_cast<std::size_t>(initiator));
}

/// Sends what waits for the target, as far as that takes it; the initiators were told TLM_ACCEPTED.
void BusModule::begin_waiting(int target) {
  Channel& requests = requests_[static_cast<std::size_t>(target)];
  while (requests.busy == nullptr && !requests.waiting.empty()) {
    const Waiting next = requests.waiting.front();
    requests.waiting.pop_front();
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay = delay_until(requests.delayed ? std::max(next.since, requests.free) : next.since);
    const tlm::tlm_sync_enum answer = send_request(target, *next.payload, phase, delay);
    if (answer == tlm::TLM_ACCEPTED) return;
    const int initiator = route_of(*next.payload).initiator;
    if (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
      back_to_[static_cast<std::size_t>(initiator)]->nb_transport_bw(*next.payload, phase, delay);
      continue;
    }
    Channel& responses = responses_[static_cast<std::size_t>(initiator)];
    if (answer == tlm::TLM_UPDATED) responses.busy = nullptr;  // it is sent like any other that waits
    route_of(*next.payload).completed = answer == tlm::TLM_COMPLETED;
    responses.waiting.push_back({next.payload, sc_time_stamp() + delay});
    answer_waiting(static_cast<std::size_t>(initiator));
  }
}

/// Sends the responses that wait for the initiator, as far as that ends them; the targets were told TLM_ACCEPTED.
void BusModule::answer_waiting(std::size_t initiator) {
  Channel& responses = responses_[initiator];
  while (responses.busy == nullptr && !responses.waiting.empty()) {
    const Waiting next = responses.waiting.front();
    responses.waiting.pop_front();
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_time delay = delay_until(next.since);
    const RouteExtension route = route_of(*next.payload);
    if (send_response(initiator, *next.payload, phase, delay) == tlm::TLM_ACCEPTED) return;
    if (route.completed) continue;
    phase = tlm::END_RESP;
    to_[static_cast<std::size_t>(route.target)]->nb_transport_fw(*next.payload, phase, delay);
  }
}

void BusModule::power_off() {
  if (std::exchange(pointed_at_, false)) invalidate_direct_mem_ptr(dram, 0, (std::uint64_t{1} << address_map::window_bits) - 1);
  requests_ = {};
  responses_ = {};
  interconnect_.cut();
}

}  // namespace tessera
