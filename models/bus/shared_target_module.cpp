#include "bus/shared_target_module.hpp"

#include <algorithm>

namespace tessera {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

SharedTargetModule::SharedTargetModule(sc_core::sc_module_name name) : sc_core::sc_module(name), from("from", *this), to("to") {
  to.bind(*this);
}

SharedTargetModule::Transaction* SharedTargetModule::find(const Payload& payload) {
  const auto at = std::ranges::find(transactions_, &payload, &Transaction::payload);
  return at == transactions_.end() ? nullptr : &*at;
}

SharedTargetModule::Transaction* SharedTargetModule::first(Place place) {
  const auto at = std::ranges::find(transactions_, place, &Transaction::place);
  return at == transactions_.end() ? nullptr : &*at;
}

bool SharedTargetModule::responding(std::size_t initiator) const {
  return std::ranges::any_of(transactions_,
                             [initiator](const Transaction& one) { return one.initiator == initiator && one.place == Place::responding; });
}

void SharedTargetModule::end(const Payload& payload) {
  std::erase_if(transactions_, [&payload](const Transaction& one) { return one.payload == &payload; });
}

tlm::tlm_sync_enum SharedTargetModule::forward(std::size_t initiator, Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  if (from.initiators() <= 1) [[likely]]
    return to->nb_transport_fw(payload, phase, delay);
  if (phase == tlm::END_RESP) {
    const Transaction* const ended = find(payload);
    const bool over = ended != nullptr && ended->over;
    response_free_ = std::max(response_free_, sc_time_stamp() + delay);
    end(payload);
    if (over) payload.release();
    const tlm::tlm_sync_enum answer = over ? tlm::TLM_COMPLETED : to->nb_transport_fw(payload, phase, delay);
    give_responses();
    return answer;
  }
  if (phase != tlm::BEGIN_REQ || !payload.has_mm()) return to->nb_transport_fw(payload, phase, delay);
  const bool impatient = std::ranges::any_of(transactions_, [this, initiator](const Transaction& one) {
    return one.initiator == initiator && (one.place == Place::waiting || one.payload == requesting_);
  });
  const bool waits = requesting_ != nullptr && !impatient;
  transactions_.push_back({&payload, initiator, waits ? Place::waiting : Place::target, sc_time_stamp() + delay});
  if (waits) {
    payload.acquire();
    return tlm::TLM_ACCEPTED;
  }
  if (!impatient) delay = std::max(sc_time_stamp() + delay, request_free_) - sc_time_stamp();
  const tlm::tlm_sync_enum answer = send(payload, phase, delay);
  if (answer == tlm::TLM_COMPLETED) end(payload);
  send_waiting();
  return answer;
}

/// The request, to the target.
tlm::tlm_sync_enum SharedTargetModule::send(Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  requesting_ = &payload;
  const tlm::tlm_sync_enum answer = to->nb_transport_fw(payload, phase, delay);
  if (answer != tlm::TLM_ACCEPTED) end_request(payload, delay);
  if (Transaction* const sent = find(payload); sent != nullptr && answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP)
    sent->place = Place::responding;
  return answer;
}

void SharedTargetModule::end_request(const Payload& payload, const sc_time& delay) {
  if (requesting_ != &payload) return;
  requesting_ = nullptr;
  request_free_ = sc_time_stamp() + delay;
}

void SharedTargetModule::send_waiting() {
  while (requesting_ == nullptr) {
    Transaction* const next = first(Place::waiting);
    if (next == nullptr) return;
    Payload& payload = *next->payload;
    const std::size_t initiator = next->initiator;
    next->place = Place::target;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_time delay = std::max({next->at, request_free_, sc_time_stamp()}) - sc_time_stamp();
    const tlm::tlm_sync_enum answer = send(payload, phase, delay);
    if (answer == tlm::TLM_COMPLETED) {
      const sc_time at = sc_time_stamp() + delay;
      phase = tlm::END_REQ;
      from.back_to(initiator).nb_transport_bw(payload, phase, delay);
      Transaction& answered = *find(payload);
      answered.over = true;
      answered.place = Place::answered;
      answered.at = at;
      give_responses();
      continue;  // its reference goes with its END_RESP
    }
    if (answer == tlm::TLM_UPDATED) from.back_to(initiator).nb_transport_bw(payload, phase, delay);
    payload.release();
  }
}

/// Of those that waited for an initiator's END_RESP.
void SharedTargetModule::give_responses() {
  for (;;) {
    const auto next = std::ranges::find_if(
        transactions_, [this](const Transaction& one) { return one.place == Place::answered && !responding(one.initiator); });
    if (next == transactions_.end()) return;
    Payload& payload = *next->payload;
    const bool over = next->over;
    tlm::tlm_phase phase = tlm::BEGIN_RESP;
    sc_time delay = std::max(next->at, sc_time_stamp()) - sc_time_stamp();
    if (respond(payload, phase, delay) == tlm::TLM_ACCEPTED) continue;
    if (over) {
      payload.release();
    } else {
      phase = tlm::END_RESP;
      to->nb_transport_fw(payload, phase, delay);
    }
  }
}

/// To the initiator; TLM_ACCEPTED: its END_RESP is to come.
tlm::tlm_sync_enum SharedTargetModule::respond(Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  Transaction& answered = *find(payload);
  answered.place = Place::responding;
  delay = std::max(sc_time_stamp() + delay, response_free_) - sc_time_stamp();
  const tlm::tlm_sync_enum answer = from.back_to(answered.initiator).nb_transport_bw(payload, phase, delay);
  if (answer == tlm::TLM_ACCEPTED) return answer;
  response_free_ = std::max(response_free_, sc_time_stamp() + delay);
  end(payload);
  return answer;
}

tlm::tlm_sync_enum SharedTargetModule::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  if (from.initiators() <= 1) [[likely]]
    return from.back_to(0).nb_transport_bw(payload, phase, delay);
  Transaction* const here = find(payload);
  if (here == nullptr) return tlm::TLM_ACCEPTED;  // of an initiator that broke the protocol
  end_request(payload, delay);
  tlm::tlm_sync_enum answer = tlm::TLM_ACCEPTED;
  if (phase != tlm::BEGIN_RESP) {
    answer = from.back_to(here->initiator).nb_transport_bw(payload, phase, delay);
  } else if (responding(here->initiator)) {
    here->place = Place::answered;
    here->at = sc_time_stamp() + delay;
  } else {
    answer = respond(payload, phase, delay);
  }
  send_waiting();
  give_responses();
  return answer;
}

void SharedTargetModule::invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) {
  for (std::size_t i = 0; i < from.initiators(); ++i) from.back_to(i).invalidate_direct_mem_ptr(first, last);
}

}  // namespace tessera
