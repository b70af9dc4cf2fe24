#include "bus/protocol_checker_module.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace tessera {

namespace {

using sc_core::sc_time;
using sc_core::sc_time_stamp;

std::string word(const tlm::tlm_phase& phase) { return phase.get_name(); }

/// The checker's own reference to a payload in flight is one of these.
constexpr int least_references = 2;

}  // namespace

ProtocolCheckerModule::ProtocolCheckerModule(sc_core::sc_module_name name, bool in_order, Listener listener)
    : sc_core::sc_module(name), from("from"), to("to"), in_order_(in_order), listener_(std::move(listener)) {
  from.bind(*this);
  to.bind(*this);
}

void ProtocolCheckerModule::violated(const char* rule, const std::string& what) const {
  if (listener_) return listener_(rule, what);
  SC_REPORT_ERROR(
      protocol_report,
      (std::string("TLM base protocol, rule '") + rule + "', at " + name() + ", " + sc_time_stamp().to_string() + ": " + what).c_str());
}

ProtocolCheckerModule::Transaction* ProtocolCheckerModule::find(const Payload& payload) {
  const auto at = std::ranges::find(transactions_, &payload, &Transaction::payload);
  return at == transactions_.end() ? nullptr : &*at;
}

tlm::tlm_sync_enum ProtocolCheckerModule::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  const sc_time at = sc_time_stamp() + delay;
  const bool begins = phase == tlm::BEGIN_REQ;
  const bool ends = phase == tlm::END_RESP;
  if (begins) {
    begin_request(payload, at);
  } else if (ends) {
    if (Transaction* const transaction = find(payload))
      end_response(*transaction, at);
    else if (!cut_)
      violated("order", "END_RESP of a transaction that is not in flight");
    return to->nb_transport_fw(payload, phase, delay);
  } else if (phase == tlm::END_REQ || phase == tlm::BEGIN_RESP) {
    violated("order", word(phase) + " on the forward path");
  }
  const tlm::tlm_sync_enum answer = to->nb_transport_fw(payload, phase, delay);
  Transaction* const transaction = find(payload);
  if (!begins || answer == tlm::TLM_ACCEPTED) return answer;
  const sc_time then = sc_time_stamp() + delay;
  if (transaction == nullptr) {
    if (!cut_) violated("order", "an answer to BEGIN_REQ after the transaction has ended");
  } else if (answer == tlm::TLM_COMPLETED) {
    complete(*transaction, then);
  } else if (phase == tlm::END_REQ) {
    end_request(*transaction, then);
  } else if (phase == tlm::BEGIN_RESP) {
    begin_response(*transaction, then);
  } else {
    violated("order", "BEGIN_REQ answered with " + word(phase));
  }
  return answer;
}

tlm::tlm_sync_enum ProtocolCheckerModule::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_time& delay) {
  const sc_time at = sc_time_stamp() + delay;
  Transaction* transaction = find(payload);
  const bool responds = phase == tlm::BEGIN_RESP;
  if (phase == tlm::BEGIN_REQ || phase == tlm::END_RESP) {
    violated("order", word(phase) + " on the backward path");
  } else if (transaction == nullptr) {
    if (!cut_) violated("order", word(phase) + " of a transaction that is not in flight");
  } else if (responds) {
    begin_response(*transaction, at);
  } else if (phase == tlm::END_REQ) {
    end_request(*transaction, at);
  }
  const tlm::tlm_sync_enum answer = from->nb_transport_bw(payload, phase, delay);
  if (!responds || answer == tlm::TLM_ACCEPTED) return answer;
  transaction = find(payload);
  if (transaction == nullptr) return answer;
  if (answer == tlm::TLM_UPDATED && phase != tlm::END_RESP) violated("order", "BEGIN_RESP answered with " + word(phase));
  end_response(*transaction, sc_time_stamp() + delay);
  return answer;
}

void ProtocolCheckerModule::b_transport(Payload& payload, sc_time& delay) {
  const sc_time before = sc_time_stamp() + delay;
  const auto attributes = [&payload] {
    return std::tuple(payload.get_command(), payload.get_data_ptr(), payload.get_data_length(), payload.get_byte_enable_ptr(),
                      payload.get_streaming_width());
  };
  const auto sent = attributes();
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) violated("response", "b_transport begins with a response");
  to->b_transport(payload, delay);
  payload.set_dmi_allowed(false);
  if (payload.get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) violated("response", "b_transport returns without a response");
  if (attributes() != sent) violated("attributes", "b_transport changed what only the initiator may");
  if (sc_time_stamp() + delay < before) violated("time", "b_transport returns before it begins");
}

void ProtocolCheckerModule::begin_request(Payload& payload, const sc_time& at) {
  if (!payload.has_mm() || payload.get_ref_count() < 1)
    violated("lifetime", "BEGIN_REQ of a payload without a memory manager or a reference");
  if (find(payload) != nullptr) {
    violated("order", "BEGIN_REQ of a payload whose transaction has not ended");
    return;
  }
  if (requesting_ != nullptr)
    violated("requests", "BEGIN_REQ before the END_REQ of the request before");
  else if (at < request_free_)
    violated("requests", "BEGIN_REQ takes effect before the END_REQ of the request before");
  if (in_order_ && at < last_request_) violated("in_order", "BEGIN_REQ takes effect before the BEGIN_REQ of the request before");
  if (payload.get_response_status() != tlm::TLM_INCOMPLETE_RESPONSE) violated("response", "BEGIN_REQ comes with a response");
  last_request_ = at;
  requesting_ = &payload;
  if (payload.has_mm()) payload.acquire();
  transactions_.push_back({.payload = &payload,
                           .last = at,
                           .command = payload.get_command(),
                           .data = payload.get_data_ptr(),
                           .length = payload.get_data_length(),
                           .enables = payload.get_byte_enable_ptr(),
                           .width = payload.get_streaming_width(),
                           .response = tlm::TLM_INCOMPLETE_RESPONSE});
}

/// What holds at each phase.
void ProtocolCheckerModule::look_at(Transaction& transaction, const sc_time& at) {
  const Payload& payload = *transaction.payload;
  if (at < transaction.last) violated("time", "a phase takes effect before the one before it");
  transaction.last = std::max(at, transaction.last);
  if (payload.get_command() != transaction.command || payload.get_data_ptr() != transaction.data ||
      payload.get_data_length() != transaction.length || payload.get_byte_enable_ptr() != transaction.enables ||
      payload.get_streaming_width() != transaction.width)
    violated("attributes", "a payload in flight was changed");
  if (payload.has_mm() && payload.get_ref_count() < least_references) violated("lifetime", "a payload was given back in flight");
  if (transaction.state == State::begin_resp && payload.get_response_status() != transaction.response)
    violated("response", "the response was changed after BEGIN_RESP");
}

void ProtocolCheckerModule::end_request(Transaction& transaction, const sc_time& at) {
  look_at(transaction, at);
  if (transaction.state != State::begin_req) return violated("order", "END_REQ twice, or after BEGIN_RESP");
  transaction.state = State::end_req;
  requesting_ = nullptr;
  request_free_ = at;
}

void ProtocolCheckerModule::begin_response(Transaction& transaction, const sc_time& at) {
  look_at(transaction, at);
  if (transaction.state == State::begin_resp) return violated("order", "BEGIN_RESP twice");
  transaction.payload->set_dmi_allowed(false);
  if (transaction.payload->get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) violated("response", "BEGIN_RESP without a response");
  if (responding_ != nullptr)
    violated("responses", "BEGIN_RESP before the END_RESP of the response before");
  else if (at < response_free_)
    violated("responses", "BEGIN_RESP takes effect before the END_RESP of the response before");
  if (transaction.state == State::begin_req) {
    requesting_ = nullptr;
    request_free_ = at;
  }
  transaction.state = State::begin_resp;
  transaction.response = transaction.payload->get_response_status();
  responding_ = transaction.payload;
}

void ProtocolCheckerModule::end_response(Transaction& transaction, const sc_time& at) {
  look_at(transaction, at);
  if (transaction.state != State::begin_resp) violated("order", "END_RESP without BEGIN_RESP");
  responding_ = nullptr;
  response_free_ = at;
  end(transaction);
}

/// TLM_COMPLETED in answer to BEGIN_REQ.
void ProtocolCheckerModule::complete(Transaction& transaction, const sc_time& at) {
  look_at(transaction, at);
  if (transaction.state != State::begin_req) violated("order", "TLM_COMPLETED after a later phase");
  transaction.payload->set_dmi_allowed(false);
  if (transaction.payload->get_response_status() == tlm::TLM_INCOMPLETE_RESPONSE) violated("response", "TLM_COMPLETED without a response");
  requesting_ = nullptr;
  request_free_ = at;
  end(transaction);
}

void ProtocolCheckerModule::end(Transaction& transaction) {
  Payload& payload = *transaction.payload;
  transaction = transactions_.back();
  transactions_.pop_back();
  if (payload.has_mm()) payload.release();
}

void ProtocolCheckerModule::forget() {
  for (const Transaction& transaction : std::exchange(transactions_, {}))
    if (transaction.payload->has_mm()) transaction.payload->release();
}

void ProtocolCheckerModule::power_off() {
  forget();
  cut_ = true;
  requesting_ = responding_ = nullptr;
  request_free_ = response_free_ = last_request_ = sc_core::SC_ZERO_TIME;
}

}  // namespace tessera
