#pragma once
// A host that keeps a number of transfers in flight: each answer brings the next request, in the same callback where the target is free.
#include <tlm_utils/simple_initiator_socket.h>

#include <deque>
#include <systemc>
#include <vector>

#include "module/strangers/strange_hosts.hpp"

namespace strangers {

class LoopHost : public sc_core::sc_module, private tlm::tlm_mm_interface {
 public:
  tlm_utils::simple_initiator_socket<LoopHost> socket{"socket"};
  unsigned answered = 0;
  unsigned failed = 0;
  sc_core::sc_time finished_at;

  /// `total` reads and writes of 4 to 16 KiB at scattered places in the first `span` bytes.
  LoopHost(sc_core::sc_module_name name, unsigned depth, unsigned total, std::uint64_t span)
      : sc_module(name), depth_(depth), total_(total), span_(span) {
    socket.register_nb_transport_bw(this, &LoopHost::nb_transport_bw);
    SC_HAS_PROCESS(LoopHost);
    SC_THREAD(run);
  }
  ~LoopHost() override {
    for (Payload* payload : all_) delete payload;
  }

 private:
  using Payload = tlm::tlm_generic_payload;

  void run() {
    data_.resize(depth_);
    for (unsigned i = 0; i < depth_; ++i) {
      auto* payload = new Payload(this);
      all_.push_back(payload);
      data_[i].resize(16'384);
      payload->set_data_ptr(data_[i].data());
      ready_.push_back(payload);
    }
    while (answered < total_) {
      while (!ready_.empty() && !requesting_ && sent_ < total_) send();
      wait(step_);
    }
    finished_at = sc_core::sc_time_stamp();
  }
  void send() {
    Payload& payload = *ready_.front();
    ready_.pop_front();
    seed_ = seed_ * 6364136223846793005U + 1442695040888963407U;
    const auto length = static_cast<unsigned>(4096 * (1 + (seed_ >> 60) % 4));
    payload.set_command((seed_ >> 40) % 3 == 0 ? tlm::TLM_READ_COMMAND : tlm::TLM_WRITE_COMMAND);
    payload.set_address((seed_ >> 20) % (span_ / 4096 - 4) * 4096);
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    payload.acquire();
    ++sent_;
    requesting_ = true;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    if (socket->nb_transport_fw(payload, phase, delay) == tlm::TLM_UPDATED) requesting_ = false;
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
      requesting_ = false;
      step_.notify(delay);
      return tlm::TLM_ACCEPTED;
    }
    ++answered;
    if (!payload.is_response_ok()) ++failed;
    ready_.push_back(&payload);
    payload.release();
    step_.notify(delay);
    return tlm::TLM_COMPLETED;
  }
  void free(Payload*) override {}  // used again

  unsigned depth_, total_;
  std::uint64_t span_;
  std::uint64_t seed_ = 1;
  unsigned sent_ = 0;
  bool requesting_ = false;
  std::vector<Payload*> all_;
  std::deque<Payload*> ready_;
  std::vector<std::vector<unsigned char>> data_;
  sc_core::sc_event step_;
};

}  // namespace strangers
