#pragma once
// Between the drive and a cycle-accurate DRAM simulator such as DRAMSys 5: a blocking access of the drive becomes bursts of a line each,
// several of which are under way, by the four phases of the base protocol; bursts of the drive's own pass between them. The adapter keeps
// the bytes, as such simulators are faster without.
//
// With DRAMSys: `adapter.to.bind(dramsys.tSocket)`, and DramPart{.socket = adapter.from, .bytes = adapter.bytes, .waits = true, .power =
// &adapter, .bursts = {Bytes(64), 8}}.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <systemc>
#include <vector>

#include "tessera/base/byte_enables.hpp"
#include "tessera/base/drive_part.hpp"

class BurstAdapter : public sc_core::sc_module, public tessera::PoweredPart, private tlm::tlm_mm_interface {
 public:
  tlm_utils::simple_target_socket<BurstAdapter> from{"from"};
  tlm_utils::simple_initiator_socket<BurstAdapter> to{"to"};
  std::vector<std::byte> bytes;
  unsigned most_under_way = 0;  ///< that there ever were

  BurstAdapter(sc_core::sc_module_name name, std::size_t size, unsigned line = 64, unsigned outstanding = 16)
      : sc_module(name), bytes(size), line_(line), outstanding_(outstanding) {
    from.register_b_transport(this, &BurstAdapter::b_transport);
    from.register_nb_transport_fw(this, &BurstAdapter::nb_transport_fw);
    from.register_transport_dbg(this, &BurstAdapter::debug);
    to.register_nb_transport_bw(this, &BurstAdapter::nb_transport_bw);
    SC_HAS_PROCESS(BurstAdapter);
    SC_METHOD(end_response);
    sensitive << response_came_;
    dont_initialize();
    SC_METHOD(pass_waiting);
    sensitive << ended_;
    dont_initialize();
  }
  void power_off() override { std::fill(bytes.begin(), bytes.end(), std::byte{0}); }
  void power_on() override {}

 private:
  using Payload = tlm::tlm_generic_payload;
  /// How many bursts of its access are under way.
  struct Access : tlm::tlm_extension<Access> {
    unsigned* left = nullptr;
    tlm_extension_base* clone() const override { return new Access(*this); }
    void copy_from(const tlm_extension_base& other) override { left = static_cast<const Access&>(other).left; }
  };

  void b_transport(Payload& access, sc_core::sc_time& delay) {
    wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    if (!move(access)) return access.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    unsigned left = 0;
    const std::uint64_t end = access.get_address() + access.get_data_length();
    for (std::uint64_t at = access.get_address() / line_ * line_; at < end; at += line_) send(access.get_command(), at, left);
    while (left != 0) wait(ended_);
    access.set_response_status(tlm::TLM_OK_RESPONSE);
  }
  void send(tlm::tlm_command command, std::uint64_t at, unsigned& left) {
    while (requesting_ != nullptr || under_way_ == outstanding_) wait(ended_);
    Payload& burst = take();
    burst.set_command(command);
    burst.set_address(at);
    burst.set_data_length(line_);
    burst.set_streaming_width(line_);
    burst.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
    burst.get_extension<Access>()->left = &left;
    ++left;
    most_under_way = std::max(most_under_way, ++under_way_);
    requesting_ = &burst;
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = to->nb_transport_fw(burst, phase, delay);
    if (answer == tlm::TLM_UPDATED && phase == tlm::END_REQ) {
      wait(delay);
      requesting_ = nullptr;
    }
    while (requesting_ != nullptr) wait(ended_);
  }
  /// A phase of the drive's own bursts: a request waits for the END_REQ of the one before.
  tlm::tlm_sync_enum nb_transport_fw(Payload& burst, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return to->nb_transport_fw(burst, phase, delay);
    move(burst);
    waiting_.push_back(&burst);
    ended_.notify(delay);
    return tlm::TLM_ACCEPTED;
  }
  void pass_waiting() {
    while (requesting_ == nullptr && !waiting_.empty()) {
      Payload& burst = *waiting_.front();
      waiting_.pop_front();
      requesting_ = &burst;
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      const tlm::tlm_sync_enum answer = to->nb_transport_fw(burst, phase, delay);
      if (answer == tlm::TLM_ACCEPTED) continue;
      if (answer == tlm::TLM_COMPLETED) phase = tlm::BEGIN_RESP;
      requesting_ = nullptr;
      const bool to_end = answer == tlm::TLM_UPDATED && phase == tlm::BEGIN_RESP;
      if (from->nb_transport_bw(burst, phase, delay) != tlm::TLM_COMPLETED || !to_end) continue;
      phase = tlm::END_RESP;
      to->nb_transport_fw(burst, phase, delay);
    }
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& burst, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (requesting_ == &burst) requesting_ = nullptr;  // by END_REQ, or by a response that implies it
    if (burst.get_extension<Access>() == nullptr) {
      ended_.notify(delay);
      const tlm::tlm_sync_enum answer = from->nb_transport_bw(burst, phase, delay);
      if (answer != tlm::TLM_COMPLETED || phase != tlm::BEGIN_RESP) return answer;
      phase = tlm::END_RESP;  // of the ways in which the base protocol ends a response, the one that DRAMSys knows in a return
      return tlm::TLM_UPDATED;
    }
    if (phase == tlm::BEGIN_RESP) {
      responding_ = &burst;
      response_came_.notify(delay);
    }
    ended_.notify(delay);
    return tlm::TLM_ACCEPTED;
  }
  void end_response() {
    Payload& burst = *responding_;
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    --*burst.get_extension<Access>()->left;
    --under_way_;
    to->nb_transport_fw(burst, phase, delay);
    burst.release();
    ended_.notify(sc_core::SC_ZERO_TIME);
  }
  unsigned debug(Payload& access) { return move(access) ? access.get_data_length() : 0; }
  bool move(const Payload& access) {
    if (access.get_address() + access.get_data_length() > bytes.size()) return false;
    std::byte* const own = bytes.data() + access.get_address();
    auto* const data = reinterpret_cast<std::byte*>(access.get_data_ptr());
    if (data == nullptr || data == own) return true;  // the drive works on `bytes` itself
    const auto enables = tessera::enables_of(access);
    access.is_read() ? enables.copy(data, own, access.get_data_length()) : enables.copy(own, data, access.get_data_length());
    return true;
  }
  Payload& take() {
    if (free_.empty()) {
      free_.push_back(all_.emplace_back(new Payload(this)).get());
      free_.back()->set_extension(new Access);
    }
    Payload& burst = *free_.back();
    free_.pop_back();
    burst.acquire();
    return burst;
  }
  void free(Payload* burst) override { free_.push_back(burst); }

  unsigned line_, outstanding_, under_way_ = 0;
  Payload* requesting_ = nullptr;  // whose END_REQ is to come
  Payload* responding_ = nullptr;
  sc_core::sc_event response_came_, ended_;
  std::vector<std::unique_ptr<Payload>> all_;
  std::vector<Payload*> free_;
  std::deque<Payload*> waiting_;  // of the drive's own
};
