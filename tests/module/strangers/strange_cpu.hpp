#pragma once
// Two processors as somebody else writes them: a part between the controller's CPU and the bus, and a CPU stub with a process of its own
// that takes the whole controller's place.
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <algorithm>
#include <cstring>
#include <systemc>
#include <vector>

#include "bus/bus_module.hpp"

namespace strangers {

/// Counts what the CPU sends to memory and registers; may take time for it, by annotation or by waiting.
class CpuPort : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<CpuPort> from{"from"};
  tlm_utils::simple_initiator_socket<CpuPort> to{"to"};
  unsigned memory_accesses = 0, registers = 0;
  sc_core::sc_time annotated, waited;

  explicit CpuPort(sc_core::sc_module_name name) : sc_module(name) { from.register_b_transport(this, &CpuPort::b_transport); }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    ++(payload.get_address() < (std::uint64_t{1} << 56) ? memory_accesses : registers);
    delay += annotated;
    if (waited != sc_core::SC_ZERO_TIME) {
      wait(delay + waited);
      delay = sc_core::SC_ZERO_TIME;
    }
    to->b_transport(payload, delay);
  }
};

/// Serves one host command after the other: looks into the mailbox's slot, takes a microsecond to think, and moves the sectors between host
/// and platters by itself, track by track. Sectors that a write covers in part are read first.
class CpuStub : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<CpuStub> mailbox{"mailbox"};
  tlm_utils::simple_initiator_socket<CpuStub> bus{"bus"};
  unsigned reads = 0, writes = 0;

  /// Lays data on the first `sectors_used` sectors of each track; tracks begin `track_stride` sectors apart.
  CpuStub(sc_core::sc_module_name name, std::uint64_t sectors_used, std::uint64_t track_stride)
      : sc_module(name), used_(sectors_used), stride_(track_stride), arrivals_("arrivals") {
    mailbox.register_nb_transport_fw(this, &CpuStub::nb_transport_fw);
    SC_HAS_PROCESS(CpuStub);
    SC_THREAD(work);
  }

 private:
  using Payload = tlm::tlm_generic_payload;
  static constexpr std::uint64_t sector = 4096;

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      response_over_.notify(delay);
      return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    arrivals_.notify(payload, delay);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }

  void work() {
    for (;;) {
      Payload* payload = arrivals_.get_next_transaction();
      if (payload == nullptr) {
        wait(arrivals_.get_event());
        continue;
      }
      wait(1, sc_core::SC_US);
      serve(*payload);
      payload->set_response_status(tlm::TLM_OK_RESPONSE);
      tlm::tlm_phase phase = tlm::BEGIN_RESP;
      sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
      if (mailbox->nb_transport_bw(*payload, phase, delay) != tlm::TLM_COMPLETED) wait(response_over_);
      payload->release();
    }
  }

  void serve(Payload& payload) {
    tessera::MailboxSlot slot;
    std::memcpy(&slot, payload.get_data_ptr(), sizeof slot);
    auto& content = payload.get_extension<tessera::HostExtension>()->request->content;
    const std::uint64_t begin = slot.first_block * 512;
    const std::uint64_t end = begin + std::uint64_t{slot.blocks} * 512;
    for (std::uint64_t at = begin / sector * sector; at < end; at += sector) {
      const std::uint64_t first = std::max(at, begin);
      const std::uint64_t last = std::min(at + sector, end);
      std::byte* const host = content.data() + (first - begin);
      const bool write = slot.op == static_cast<std::uint8_t>(tessera::HostOp::write);
      if (!write || last - first < sector) move(tlm::TLM_READ_COMMAND, at / sector);
      if (write) {
        std::memcpy(buffer_ + (first - at), host, last - first);
        move(tlm::TLM_WRITE_COMMAND, at / sector);
      } else {
        std::memcpy(host, buffer_ + (first - at), last - first);
      }
    }
  }

  void move(tlm::tlm_command command, std::uint64_t number) {
    ++(command == tlm::TLM_READ_COMMAND ? reads : writes);
    Payload payload;
    payload.set_command(command);
    payload.set_address((std::uint64_t{1} << 56) + (number / used_ * stride_ + number % used_) * sector);
    payload.set_data_ptr(reinterpret_cast<unsigned char*>(buffer_));
    payload.set_data_length(sector);
    payload.set_streaming_width(sector);
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    bus->b_transport(payload, delay);
    wait(delay);
  }

  std::uint64_t used_, stride_;
  tlm_utils::peq_with_get<Payload> arrivals_;
  sc_core::sc_event response_over_;
  std::byte buffer_[sector];
};

}  // namespace strangers
