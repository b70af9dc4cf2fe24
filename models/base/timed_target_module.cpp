#include "base/timed_target_module.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

TimedTarget::TimedTarget(const char* name, TimelineModule& drive, Device& device) : socket(name), drive_(drive), device_(device) {
  socket.bind(*this);
}

inline bool TimedTarget::refused(Payload& payload) const {
  const tlm::tlm_response_status refusal = device_.refusal(payload);
  if (refusal == tlm::TLM_OK_RESPONSE) return false;
  payload.set_response_status(refusal);
  return true;
}

/// Gives whether the device took the request.
inline bool TimedTarget::hand_in(Payload& payload) {
  if (unaccepted_ != nullptr) {
    arrivals_.push_back(&payload);
    return false;
  }
  arriving_ = &payload;
  const bool accepted = device_.arrived(payload);
  arriving_ = nullptr;
  if (!accepted && !answered_) unaccepted_ = &payload;
  return accepted;
}

tlm::tlm_sync_enum TimedTarget::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const Picoseconds when = drive_.effective(delay);
  if (phase != tlm::BEGIN_REQ) [[unlikely]]
    return other_phase(payload, phase, when);
  if (!payload.has_mm()) [[unlikely]] {  // the base protocol asks for a memory manager: nobody could say how long the payload lives
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    return tlm::TLM_COMPLETED;
  }
  if (refused(payload)) [[unlikely]]
    return tlm::TLM_COMPLETED;
  payload.acquire();
  if (!drive_.in_hand(when)) {
    post(when, Event::request, &payload, phase);
    return tlm::TLM_ACCEPTED;
  }
  const bool accepted = hand_in(payload);
  if (answered_) [[unlikely]] {
    answered_ = false;
    payload.release();
    return tlm::TLM_COMPLETED;
  }
  if (!accepted) return tlm::TLM_ACCEPTED;
  phase = tlm::END_REQ;
  if (drive_.may_wait()) delay = drive_.ahead();  // the device may have waited: from the kernel time of now on
  return tlm::TLM_UPDATED;
}

tlm::tlm_sync_enum TimedTarget::other_phase(Payload& payload, const tlm::tlm_phase& phase, Picoseconds when) {
  if (phase == tlm::END_RESP) {
    TESSERA_CHECK(responding_ == &payload, "an initiator ended a response that is not under way");
    post(when, Event::response_over, nullptr, phase);  // not from within the initiator's call
    return tlm::TLM_COMPLETED;
  }
  TESSERA_CHECK(phase != tlm::END_REQ && phase != tlm::BEGIN_RESP, "an initiator sent a phase of the target's");
  if (drive_.in_hand(when)) {
    device_.signalled(payload, phase);
  } else {
    payload.acquire();
    post(when, Event::signal, &payload, phase);
  }
  return tlm::TLM_ACCEPTED;
}

void TimedTarget::b_transport(Payload& payload, sc_core::sc_time& delay) {
  if (refused(payload)) return;
  const Picoseconds when = drive_.effective(delay);
  if (payload.has_mm()) payload.acquire();  // without, its owner waits with it
  sc_core::sc_event answered;
  blocked_.push_back({&payload, &answered});
  post(when, Event::request, &payload, tlm::BEGIN_REQ);
  sc_core::wait(answered);
  delay = sc_core::SC_ZERO_TIME;
}

void TimedTarget::post(Picoseconds when, Event event, Payload* payload, const tlm::tlm_phase& phase) {
  drive_.post(when, *this, pending_.put({event, payload, phase}));
}

void TimedTarget::on_time(std::uint64_t argument) {
  const Pending pending = pending_.take(argument);
  switch (pending.event) {
    case Event::none: return;
    case Event::request: return take(*pending.payload);
    case Event::signal:
      device_.signalled(*pending.payload, pending.phase);
      pending.payload->release();
      return;
    case Event::response_over: return response_over();
  }
}

/// A request that did not come within the drive's own action.
void TimedTarget::take(Payload& payload) {
  const bool accepted = hand_in(payload);
  if (std::exchange(answered_, false)) return respond(payload);
  if (accepted) send_end_request(payload);
}

void TimedTarget::accept() {
  TESSERA_CHECK(unaccepted_ != nullptr, "a target accepts a request that is not there");
  send_end_request(*std::exchange(unaccepted_, nullptr));
  while (unaccepted_ == nullptr && !arrivals_.empty()) {
    Payload& next = *arrivals_.front();
    arrivals_.pop_front();
    take(next);
  }
}

void TimedTarget::send_end_request(Payload& payload) {
  if (std::ranges::find(blocked_, &payload, &Blocked::payload) != blocked_.end()) return;
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = drive_.ahead();
  socket->nb_transport_bw(payload, phase, delay);
}

void TimedTarget::signal(Payload& payload, const tlm::tlm_phase& phase) {
  tlm::tlm_phase sent = phase;
  sc_core::sc_time delay = drive_.ahead();
  const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, sent, delay);
  TESSERA_CHECK(answer == tlm::TLM_ACCEPTED, "an initiator answered a phase that asks for no answer");
}

inline void TimedTarget::send_response(Payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  const sc_core::sc_time ahead = drive_.ahead();
  sc_core::sc_time delay = ahead;
  responding_ = &payload;
  response_under_way_ = true;
  const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, delay);
  if (answer == tlm::TLM_COMPLETED && delay == ahead && responding_ == &payload && responses_.empty()) [[likely]] {
    response_under_way_ = false;
    responding_ = nullptr;
    return payload.release();
  }
  if (answer == tlm::TLM_ACCEPTED) return;
  if (answer == tlm::TLM_COMPLETED && (delay == ahead || drive_.in_hand(drive_.effective(delay)))) return response_over();
  TESSERA_CHECK(answer == tlm::TLM_COMPLETED || phase == tlm::END_RESP, "an initiator answered BEGIN_RESP out of protocol");
  post(drive_.effective(delay), Event::response_over, nullptr, phase);
}

/// The initiator has ended the response: the next one may come.
void TimedTarget::response_over() {
  if (responding_ == nullptr) return;  // the power failed within the initiator's call
  response_under_way_ = false;
  std::exchange(responding_, nullptr)->release();
  if (responses_.empty()) [[likely]]
    return;
  Payload& next = *responses_.front();
  responses_.pop_front();
  send_response(next);
}

void TimedTarget::respond(Payload& payload) {
  if (arriving_ == &payload) {
    answered_ = true;
    return;
  }
  if (unaccepted_ == &payload) unaccepted_ = nullptr;
  if (!blocked_.empty() && unblock(payload)) return;
  if (!response_under_way_) [[likely]]
    send_response(payload);
  else
    responses_.push_back(&payload);
}

/// Answers a b_transport; gives whether it was one.
bool TimedTarget::unblock(Payload& payload) {
  const auto at = std::ranges::find(blocked_, &payload, &Blocked::payload);
  if (at == blocked_.end()) return false;
  at->answered->notify(drive_.ahead());
  blocked_.erase(at);
  drop(payload);
  return true;
}

void TimedTarget::drop(Payload& payload) {
  if (payload.has_mm()) payload.release();
}

void TimedTarget::power_off() {
  drive_.timeline().withdraw(*this);
  pending_.each([this](const Pending& pending) {
    if (pending.event == Event::request || pending.event == Event::signal) drop(*pending.payload);
  });
  pending_.clear();
  for (Payload* payload : std::exchange(arrivals_, {})) drop(*payload);
  for (Payload* payload : std::exchange(responses_, {})) drop(*payload);
  if (responding_ != nullptr) std::exchange(responding_, nullptr)->release();
  unaccepted_ = nullptr;  // the device dropped it
  response_under_way_ = false;
  for (const Blocked& blocked : std::exchange(blocked_, {})) {
    blocked.payload->set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    blocked.answered->notify(drive_.ahead());
  }
}

}  // namespace tessera
