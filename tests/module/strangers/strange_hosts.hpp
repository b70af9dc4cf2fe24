#pragma once
// Initiators as somebody else writes them: a host that blocks, a host that keeps several transfers in flight with delays and END_RESP of
// its own, and a processor that looks into the drive.
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>

#include <functional>
#include <systemc>
#include <vector>

namespace strangers {

/// The bytes that the tests write at an address.
inline unsigned char pattern(std::uint64_t address, unsigned salt) {
  return static_cast<unsigned char>((address * 2654435761U >> 7) + address / 512 * 37 + (address >> 20) * 29 + salt * 101);
}

/// Writes and reads with b_transport from a thread of its own.
class BlockingHost : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<BlockingHost> socket{"socket"};
  std::function<void(BlockingHost&)> program;
  bool finished = false;
  bool stops = true;  ///< the simulation, when it has finished
  sc_core::sc_time finished_at;
  unsigned pointers_lost = 0;

  /// Not `with_process`: others call its transfers from theirs.
  explicit BlockingHost(sc_core::sc_module_name name, bool with_process = true) : sc_module(name) {
    socket.register_invalidate_direct_mem_ptr(this, &BlockingHost::lose_pointer);
    if (!with_process) return;
    SC_HAS_PROCESS(BlockingHost);
    SC_THREAD(run);
  }

  tlm::tlm_response_status transport(tlm::tlm_command command, std::uint64_t address, unsigned char* data, unsigned length) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(address);
    payload.set_data_ptr(data);
    payload.set_data_length(length);
    payload.set_streaming_width(length);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    wait(delay);
    return payload.get_response_status();
  }
  tlm::tlm_response_status write(std::uint64_t address, unsigned length, unsigned salt) {
    std::vector<unsigned char> data(length);
    for (unsigned i = 0; i < length; ++i) data[i] = pattern(address + i, salt);
    return transport(tlm::TLM_WRITE_COMMAND, address, data.data(), length);
  }
  /// Whether the drive holds what write() with this salt put there.
  bool holds(std::uint64_t address, unsigned length, unsigned salt) {
    std::vector<unsigned char> data(length);
    if (transport(tlm::TLM_READ_COMMAND, address, data.data(), length) != tlm::TLM_OK_RESPONSE) return false;
    for (unsigned i = 0; i < length; ++i)
      if (data[i] != pattern(address + i, salt)) return false;
    return true;
  }

 private:
  void lose_pointer(sc_dt::uint64, sc_dt::uint64) { ++pointers_lost; }
  void run() {
    program(*this);
    finished = true;
    finished_at = sc_core::sc_time_stamp();
    if (stops) sc_core::sc_stop();
  }
};

/// Sends every request with a delay of its own, in crossing order, takes responses into an event queue with a time to think, and ends each
/// with END_RESP.
class QueueingHost : public sc_core::sc_module, private tlm::tlm_mm_interface {
 public:
  struct Transfer {
    tlm::tlm_command command;
    std::uint64_t address;
    unsigned length;
    double delay_us;
    std::vector<unsigned char> data;
    tlm::tlm_response_status response = tlm::TLM_INCOMPLETE_RESPONSE;
    sc_core::sc_time answered{};
  };
  tlm_utils::simple_initiator_socket<QueueingHost> socket{"socket"};
  std::vector<Transfer> transfers;
  std::size_t finished = 0;
  bool stops = true;  ///< the simulation, when all are finished

  explicit QueueingHost(sc_core::sc_module_name name) : sc_module(name), responses_(this, &QueueingHost::response) {
    socket.register_nb_transport_bw(this, &QueueingHost::nb_transport_bw);
    SC_HAS_PROCESS(QueueingHost);
    SC_THREAD(run);
  }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Index : tlm::tlm_extension<Index> {
    std::size_t value = 0;
    tlm_extension_base* clone() const override { return new Index(*this); }
    void copy_from(const tlm_extension_base& other) override { *this = static_cast<const Index&>(other); }
  };

  void run() {
    for (std::size_t i = 0; i < transfers.size(); ++i) {
      Transfer& transfer = transfers[i];
      auto* payload = new Payload(this);
      payload->acquire();
      payload->set_command(transfer.command);
      payload->set_address(transfer.address);
      payload->set_data_ptr(transfer.data.data());
      payload->set_data_length(transfer.length);
      payload->set_streaming_width(transfer.length);
      auto* index = new Index;
      index->value = i;
      payload->set_extension(index);
      tlm::tlm_phase phase = tlm::BEGIN_REQ;
      sc_core::sc_time delay(transfer.delay_us, sc_core::SC_US);
      const tlm::tlm_sync_enum answer = socket->nb_transport_fw(*payload, phase, delay);
      if (answer == tlm::TLM_ACCEPTED)
        wait(end_req_);
      else
        wait(delay);
      if (answer == tlm::TLM_COMPLETED) end(*payload);
    }
  }
  tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_REQ) {
      end_req_.notify(delay);
    } else {
      delay += sc_core::sc_time(700, sc_core::SC_NS);  // it thinks
      responses_.notify(payload, phase, delay);
    }
    return tlm::TLM_ACCEPTED;
  }
  void response(Payload& payload, const tlm::tlm_phase&) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->nb_transport_fw(payload, phase, delay);
    end(payload);
  }
  void end(Payload& payload) {
    Transfer& transfer = transfers[payload.get_extension<Index>()->value];
    transfer.response = payload.get_response_status();
    transfer.answered = sc_core::sc_time_stamp();
    payload.release();
    if (++finished == transfers.size() && stops) sc_core::sc_stop();
  }
  void free(Payload* payload) override { delete payload; }

  tlm_utils::peq_with_cb_and_phase<QueueingHost> responses_;
  sc_core::sc_event end_req_;
};

}  // namespace strangers
