#include "base/timed_initiator_module.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

TimedInitiator::TimedInitiator(const char* name, TimelineModule& drive, Client& client) : socket(name), drive_(drive), client_(client) {
  socket.bind(*this);
}

inline void TimedInitiator::begin(Payload& payload) {
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  const sc_core::sc_time ahead = drive_.ahead();
  sc_core::sc_time delay = ahead;
  requesting_ = &payload;
  const tlm::tlm_sync_enum answer = socket->nb_transport_fw(payload, phase, delay);
  if (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ && delay == ahead && unsent_.empty()) [[likely]]
    requesting_ = nullptr;
  else if (answer != tlm::TLM_ACCEPTED)
    take_return(payload, answer, phase, drive_.effective(delay));
}

/// A response implies the END_REQ that did not come before it.
inline void TimedInitiator::hand_on(std::vector<Payload*>::iterator at) {
  Payload& payload = **at;
  outstanding_.erase(at);
  client_.answered(payload);
  if (requesting_ == &payload) [[unlikely]]
    request_over(payload);
  payload.release();
}

void TimedInitiator::send(Payload& payload) {
  outstanding_.push_back(&payload);
  if (requesting_ != nullptr)
    unsent_.push_back(&payload);
  else
    begin(payload);
}

void TimedInitiator::take_return(Payload& payload, tlm::tlm_sync_enum answer, const tlm::tlm_phase& phase, Picoseconds when) {
  if (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
    if (when == drive_.timeline().now())
      request_over(payload);
    else
      post(when, Event::request_over, &payload);
    return;
  }
  TESSERA_CHECK(answer == tlm::TLM_COMPLETED || phase == tlm::BEGIN_RESP, "a target answered BEGIN_REQ out of protocol");
  post(when, answer == tlm::TLM_COMPLETED ? Event::answer : Event::answer_to_end, &payload);
}

void TimedInitiator::signal(Payload& payload, const tlm::tlm_phase& phase) {
  tlm::tlm_phase sent = phase;
  sc_core::sc_time delay = drive_.ahead();
  const tlm::tlm_sync_enum answer = socket->nb_transport_fw(payload, sent, delay);
  TESSERA_CHECK(answer == tlm::TLM_ACCEPTED, "a target answered a phase that asks for no answer");
}

tlm::tlm_sync_enum TimedInitiator::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  // Answers come much in order of the requests; the loop of std::find is unrolled, that of the ranges not.
  const auto at = std::find(outstanding_.begin(), outstanding_.end(), &payload);
  if (at == outstanding_.end()) [[unlikely]] {
    TESSERA_CHECK(cut_, "a target answered a transaction that nobody began");
    return phase == tlm::BEGIN_RESP ? tlm::TLM_COMPLETED : tlm::TLM_ACCEPTED;
  }
  const Picoseconds when = drive_.effective(delay);
  if (static_cast<unsigned int>(phase) > tlm::END_RESP) [[unlikely]] {
    TESSERA_CHECK(drive_.in_hand(when), "a target sent a phase of its own for another instant");
    client_.told(payload, phase);
    return tlm::TLM_ACCEPTED;
  }
  // Where the client may wait, an answer is an entry of its own: a non-blocking call must not.
  if (phase == tlm::BEGIN_RESP && !drive_.may_wait() && drive_.in_hand(when)) [[likely]] {
    hand_on(at);
    return tlm::TLM_COMPLETED;
  }
  if (phase == tlm::END_REQ) {
    TESSERA_CHECK(requesting_ == &payload, "a target ended a request that is not under way");
    post(when, Event::request_over, &payload);
    return tlm::TLM_ACCEPTED;
  }
  TESSERA_CHECK(phase == tlm::BEGIN_RESP, "a target sent a phase of the initiator's");
  post(when, Event::answer, &payload);
  return tlm::TLM_COMPLETED;
}

void TimedInitiator::post(Picoseconds when, Event event, Payload* payload) { drive_.post(when, *this, pending_.put({event, payload})); }

void TimedInitiator::on_time(std::uint64_t argument) {
  const auto [event, payload] = pending_.take(argument);
  if (event == Event::request_over) return request_over(*payload);
  if (event == Event::answer_to_end) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = drive_.ahead();
    socket->nb_transport_fw(*payload, phase, delay);
  }
  hand_on(std::find(outstanding_.begin(), outstanding_.end(), payload));
}

/// The target has this request; it takes the next one, unless that is under way since the response came.
void TimedInitiator::request_over(const Payload& payload) {
  if (requesting_ != &payload) return;
  requesting_ = nullptr;
  if (unsent_.empty()) return;
  Payload& next = *unsent_.front();
  unsent_.pop_front();
  begin(next);
}

void TimedInitiator::power_off() {
  drive_.timeline().withdraw(*this);
  cut_ = true;
  requesting_ = nullptr;
  unsent_.clear();
  pending_.clear();
  for (Payload* payload : std::exchange(outstanding_, {})) payload->release();
}

}  // namespace tessera
