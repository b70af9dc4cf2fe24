#include "bus/transaction_recorder_module.hpp"

#include <algorithm>

#include "base/timeline_module.hpp"
#include "bus/transactions_module.hpp"

namespace tessera {

namespace {

Picoseconds effective(const sc_core::sc_time& delay) { return from_sc_time(sc_core::sc_time_stamp() + delay); }

}  // namespace

TransactionRecorderModule::TransactionRecorderModule(sc_core::sc_module_name name, FtrWriter& writer)
    : sc_core::sc_module(name), from("from"), to("to"), writer_(writer) {
  from.bind(*this);
  to.bind(*this);
}

void TransactionRecorderModule::end_of_elaboration() {
  stream_ = writer_.stream(name(), "TLM-2.0");
  generators_[tlm::TLM_READ_COMMAND] = writer_.generator("read", stream_);
  generators_[tlm::TLM_WRITE_COMMAND] = writer_.generator("write", stream_);
  generators_[tlm::TLM_IGNORE_COMMAND] = writer_.generator("ignore", stream_);
}

TransactionRecorderModule::Transaction TransactionRecorderModule::begun(const Payload& payload, const sc_core::sc_time& delay) {
  Transaction transaction;
  transaction.payload = &payload;
  transaction.command = payload.get_command();
  transaction.address = payload.get_address();
  transaction.length = payload.get_data_length();
  const auto* host = payload.get_extension<HostExtension>();
  if (host != nullptr && host->request != nullptr) transaction.request = host->request->number;
  transaction.begin = effective(delay);
  return transaction;
}

void TransactionRecorderModule::record(const Transaction& transaction, Picoseconds at, std::string_view response) {
  using When = FtrWriter::When;
  std::vector<FtrWriter::Attribute> attributes{{When::begin, "address", transaction.address}, {When::begin, "length", transaction.length}};
  if (transaction.request) attributes.push_back({When::begin, "request", *transaction.request});
  if (transaction.accepted) attributes.push_back({When::between, "end_req_ps", transaction.accepted->value()});
  if (transaction.answered) attributes.push_back({When::between, "begin_resp_ps", transaction.answered->value()});
  attributes.push_back({When::end, "response", response});
  writer_.transaction(stream_, generators_[transaction.command], transaction.begin, std::max(at, transaction.begin), attributes);
}

void TransactionRecorderModule::end(const Payload& payload, Picoseconds at) {
  const auto entry = std::ranges::find(transactions_, &payload, &Transaction::payload);
  if (entry == transactions_.end()) return;
  record(*entry, at, payload.get_response_string());
  transactions_.erase(entry);
}

/// What a call, or the answer to one, says of a transaction.
void TransactionRecorderModule::look_at(const Payload& payload, const tlm::tlm_phase& phase, bool completed,
                                        const sc_core::sc_time& delay) {
  const Picoseconds at = effective(delay);
  const auto entry = std::ranges::find(transactions_, &payload, &Transaction::payload);
  if (entry != transactions_.end() && phase == tlm::END_REQ) entry->accepted = at;
  if (entry != transactions_.end() && phase == tlm::BEGIN_RESP) entry->answered = at;
  if (completed || phase == tlm::END_RESP) end(payload, at);
}

tlm::tlm_sync_enum TransactionRecorderModule::nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::BEGIN_REQ)
    transactions_.push_back(begun(payload, delay));
  else if (phase == tlm::END_RESP)
    end(payload, effective(delay));  // after this call its payload may be another's
  const bool goes_on = phase == tlm::BEGIN_REQ;
  const tlm::tlm_sync_enum answer = to->nb_transport_fw(payload, phase, delay);
  if (!goes_on || answer == tlm::TLM_ACCEPTED) return answer;
  payload.set_dmi_allowed(false);
  look_at(payload, phase, answer == tlm::TLM_COMPLETED, delay);
  return answer;
}

tlm::tlm_sync_enum TransactionRecorderModule::nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  const bool responds = phase == tlm::BEGIN_RESP;
  look_at(payload, phase, false, delay);
  if (!responds) return from->nb_transport_bw(payload, phase, delay);
  payload.set_dmi_allowed(false);
  payload.has_mm() ? payload.acquire() : static_cast<void>(0);
  const tlm::tlm_sync_enum answer = from->nb_transport_bw(payload, phase, delay);
  if (answer != tlm::TLM_ACCEPTED) look_at(payload, phase, answer == tlm::TLM_COMPLETED, delay);
  payload.has_mm() ? payload.release() : static_cast<void>(0);
  return answer;
}

void TransactionRecorderModule::b_transport(Payload& payload, sc_core::sc_time& delay) {
  const Transaction transaction = begun(payload, delay);
  to->b_transport(payload, delay);
  payload.set_dmi_allowed(false);
  record(transaction, effective(delay), payload.get_response_string());
}

void TransactionRecorderModule::power_off() {
  for (const Transaction& transaction : std::exchange(transactions_, {}))
    record(transaction, effective(sc_core::SC_ZERO_TIME), "power failed");
}

}  // namespace tessera
