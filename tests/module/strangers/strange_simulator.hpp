#pragma once
// DRAMs that take bursts by the four phases: one that behaves as DRAMSys 5.5 does (END_REQ comes late where its queue is full, banks answer
// out of order, and TLM_COMPLETED in answer to BEGIN_RESP goes unseen: END_RESP has to come, in the return or later), and one that answers
// at once in whichever way the base protocol allows.
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <memory>
#include <span>
#include <systemc>
#include <utility>

#include "base/drive_part.hpp"

namespace strangers {

/// Bytes that b_transport and bursts read and write.
struct Storage {
  std::unique_ptr<std::byte[], void (*)(void*)> memory;  // of which pages that nobody touches cost nothing
  std::span<std::byte> bytes;
  unsigned refused = 0;

  explicit Storage(std::size_t size) : memory(static_cast<std::byte*>(std::calloc(size + 1, 1)), std::free), bytes(memory.get(), size) {}

  void move(tlm::tlm_generic_payload& payload) {
    const bool inside = payload.get_address() + payload.get_data_length() <= bytes.size();
    payload.set_response_status(inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
    if (!inside) {
      ++refused;
      return;
    }
    std::byte* const own = bytes.data() + payload.get_address();
    auto* const data = reinterpret_cast<std::byte*>(payload.get_data_ptr());
    payload.is_read() ? std::memmove(data, own, payload.get_data_length()) : std::memmove(own, data, payload.get_data_length());
  }
};

/// Eight banks, the even ones slower, and a queue in front of them.
class BankedDram : public sc_core::sc_module, public tessera::PoweredPart {
 public:
  tlm_utils::simple_target_socket<BankedDram> tSocket{"tSocket"};
  Storage storage;
  sc_core::sc_time slow{90, sc_core::SC_NS}, fast{40, sc_core::SC_NS};  ///< a burst in a bank
  sc_core::sc_time single{0, sc_core::SC_NS};                           ///< what a b_transport waits
  unsigned room = 4;
  bool sees_completion = false;  ///< takes TLM_COMPLETED in answer to BEGIN_RESP, as the base protocol asks
  unsigned bursts = 0, held_back = 0, out_of_order = 0, most_under_way = 0, singles = 0;
  sc_core::sc_time first_write, last_write;  ///< when these bursts came; 0: none

  explicit BankedDram(sc_core::sc_module_name name, std::size_t size = 0)
      : sc_module(name), storage(size), queue_(this, &BankedDram::phase) {
    tSocket.register_nb_transport_fw(this, &BankedDram::nb_transport_fw);
    tSocket.register_b_transport(this, &BankedDram::b_transport);
  }
  /// What is under way goes on, and is answered to whoever listens; only the bytes are gone.
  void power_off() override { std::fill(storage.bytes.begin(), storage.bytes.end(), std::byte{0}); }
  void power_on() override {}

 private:
  using Payload = tlm::tlm_generic_payload;
  static constexpr unsigned banks = 8;

  void b_transport(Payload& payload, sc_core::sc_time& delay) {
    ++singles;
    storage.move(payload);
    if (single == sc_core::SC_ZERO_TIME) return;
    wait(delay + single);
    delay = sc_core::SC_ZERO_TIME;
  }
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::BEGIN_REQ) payload.acquire();
    queue_.notify(payload, phase, delay);
    return tlm::TLM_ACCEPTED;
  }
  void phase(Payload& payload, const tlm::tlm_phase& phase) {
    if (phase == tlm::BEGIN_REQ) {
      most_under_way = std::max(most_under_way, ++under_way_);
      return arrived(payload);
    }
    if (phase == tlm::END_RESP) {
      ended(payload);
    } else {  // a bank has it
      if (!order_.empty() && order_.front() != &payload) ++out_of_order;
      std::erase(order_, &payload);
      done_.push_back(&payload);
    }
    respond();
  }
  void ended(Payload& payload) {
    responding_ = false;
    --under_way_;
    payload.release();
  }
  void arrived(Payload& payload) {
    if (payload.is_write()) last_write = sc_core::sc_time_stamp();
    if (payload.is_write() && first_write == sc_core::SC_ZERO_TIME) first_write = last_write;
    if (order_.size() + done_.size() >= room) {
      ++held_back;
      waiting_ = &payload;
      return;
    }
    accept(payload);
  }
  void accept(Payload& payload) {
    ++bursts;
    order_.push_back(&payload);
    const std::uint64_t bank = payload.get_address() / 64 % banks;
    const sc_core::sc_time begin = std::max(free_[bank], sc_core::sc_time_stamp());
    free_[bank] = begin + (bank % 2 == 0 ? slow : fast);
    queue_.notify(payload, tlm::BEGIN_RESP, free_[bank] - sc_core::sc_time_stamp());
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    tSocket->nb_transport_bw(payload, phase, delay);
  }
  void respond() {
    if (waiting_ != nullptr && order_.size() + done_.size() < room) accept(*std::exchange(waiting_, nullptr));
    while (!responding_ && !done_.empty()) {
      responding_ = true;
      Payload& payload = *done_.front();
      done_.pop_front();
      if (storage.bytes.empty())
        payload.set_response_status(tlm::TLM_OK_RESPONSE);
      else
        storage.move(payload);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      const tlm::tlm_sync_enum answer = tSocket->nb_transport_bw(payload, phase, delay);
      if ((answer == tlm::TLM_UPDATED && phase == tlm::END_RESP) || (answer == tlm::TLM_COMPLETED && sees_completion)) ended(payload);
    }
    if (waiting_ != nullptr && order_.size() + done_.size() < room) accept(*std::exchange(waiting_, nullptr));
  }

  tlm_utils::peq_with_cb_and_phase<BankedDram> queue_;
  std::deque<Payload*> order_, done_;
  Payload* waiting_ = nullptr;
  bool responding_ = false;
  unsigned under_way_ = 0;
  sc_core::sc_time free_[banks];
};

/// Takes no time, and answers bursts in one of the ways of the base protocol.
class InstantDram : public sc_core::sc_module, public tessera::PoweredPart {
 public:
  enum class Way { completes, responds_in_return, responds_in_call, accepts_and_responds_in_call };

  tlm_utils::simple_target_socket<InstantDram> socket{"socket"};
  Storage storage;
  Way way = Way::completes;
  unsigned bursts = 0, singles = 0;

  InstantDram(sc_core::sc_module_name name, std::size_t size) : sc_module(name), storage(size) {
    socket.register_nb_transport_fw(this, &InstantDram::nb_transport_fw);
    socket.register_b_transport(this, &InstantDram::b_transport);
  }
  void power_off() override { std::fill(storage.bytes.begin(), storage.bytes.end(), std::byte{0}); }
  void power_on() override {}

 private:
  using Payload = tlm::tlm_generic_payload;

  void b_transport(Payload& payload, sc_core::sc_time&) {
    ++singles;
    storage.move(payload);
  }
  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_ACCEPTED;
    ++bursts;
    storage.move(payload);
    if (way == Way::completes) return tlm::TLM_COMPLETED;
    if (way == Way::responds_in_return) {
      phase = tlm::BEGIN_RESP;
      return tlm::TLM_UPDATED;
    }
    payload.acquire();  // the initiator gives its own up in the call
    tlm::tlm_phase back = tlm::END_REQ;
    sc_core::sc_time same = delay;
    if (way == Way::accepts_and_responds_in_call) socket->nb_transport_bw(payload, back, same);
    back = tlm::BEGIN_RESP;
    same = delay;
    socket->nb_transport_bw(payload, back, same);
    payload.release();
    return tlm::TLM_ACCEPTED;
  }
};

}  // namespace strangers
