#pragma once
// A NAND as somebody might write it who has read the TLM-2.0 manual and docs/guide/parts.md: TLM_ACCEPTED, a payload event queue, a process
// of its own that serves one command after the other, END_REQ and BEGIN_RESP by its own clock.
#include <tlm_utils/peq_with_get.h>
#include <tlm_utils/simple_target_socket.h>

#include <array>
#include <cstring>
#include <map>
#include <systemc>
#include <vector>

#include "base/timeline_module.hpp"
#include "bus/transactions_module.hpp"
#include "platforms/drive/drive_parts_module.hpp"

namespace strangers {

class Nand : public sc_core::sc_module, public tessera::FlashCatalogue {
 public:
  tlm_utils::simple_target_socket<Nand> socket{"socket"};
  unsigned reads = 0, programs = 0, erases = 0;
  tessera::SignalScope signals;

  Nand(sc_core::sc_module_name name, tessera::FlashShape shape) : sc_module(name), shape_(shape), arrivals_("arrivals") {
    socket.register_nb_transport_fw(this, &Nand::nb_transport_fw);
    SC_HAS_PROCESS(Nand);
    SC_THREAD(work);
  }

  tessera::FlashShape shape() const override { return shape_; }
  bool is_bad(tessera::NandBlock) const override { return false; }

 private:
  using Payload = tlm::tlm_generic_payload;
  struct Page {
    std::vector<unsigned char> data;
    std::vector<std::byte> oob;
  };

  tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase == tlm::END_RESP) {
      response_over_.notify(delay);
      return tlm::TLM_COMPLETED;
    }
    payload.acquire();
    arrivals_.notify(payload, delay);
    return tlm::TLM_ACCEPTED;
  }

  void work() {
    for (;;) {
      Payload* payload = arrivals_.get_next_transaction();
      if (payload == nullptr) {
        wait(arrivals_.get_event());
        continue;
      }
      wait(300, sc_core::SC_NS);  // command and address cycles
      send(*payload, tlm::END_REQ);
      serve(*payload);
      if (!send(*payload, tlm::BEGIN_RESP)) wait(response_over_);
      payload->release();
    }
  }

  /// Whether the initiator has ended the response.
  bool send(Payload& payload, tlm::tlm_phase phase) {
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    const tlm::tlm_sync_enum answer = socket->nb_transport_bw(payload, phase, delay);
    if (answer == tlm::TLM_COMPLETED) wait(delay);
    return answer == tlm::TLM_COMPLETED;
  }

  void serve(Payload& payload) {
    page_.set(payload.get_address() / shape_.page_bytes, tessera::from_sc_time(sc_core::sc_time_stamp()));
    busy_.set(1, tessera::from_sc_time(sc_core::sc_time_stamp()));
    carry_out(payload);
    busy_.set(0, tessera::from_sc_time(sc_core::sc_time_stamp()));
  }

  void carry_out(Payload& payload) {
    auto* extension = payload.get_extension<tessera::FlashExtension>();
    const std::uint64_t number = payload.get_address() / shape_.page_bytes;
    if (payload.is_write()) {
      wait(600, sc_core::SC_US);
      ++programs;
      Page& page = pages_[number];
      const unsigned char* data = payload.get_data_ptr();
      page.data.assign(data, data + payload.get_data_length());
      page.oob.assign(extension->command.oob.begin(), extension->command.oob.end());
    } else if (extension->command.op == tessera::FlashOp::erase) {
      wait(2, sc_core::SC_MS);
      ++erases;
      pages_.erase(pages_.lower_bound(number), pages_.lower_bound(number + shape_.pages_per_block));
    } else {
      wait(60, sc_core::SC_US);
      ++reads;
      read(payload, *extension, number);
    }
    payload.set_response_status(tlm::TLM_OK_RESPONSE);
  }

  void read(Payload& payload, tessera::FlashExtension& extension, std::uint64_t number) {
    const auto page = pages_.find(number);
    auto& oob = extension.command.oob;
    std::fill(oob.begin(), oob.end(), std::byte{0xff});
    if (page == pages_.end()) {
      if (payload.is_read()) std::memset(payload.get_data_ptr(), 0xff, payload.get_data_length());
      extension.command.status = tessera::Status::blank;
      return;
    }
    if (payload.is_read()) std::memcpy(payload.get_data_ptr(), page->second.data.data(), payload.get_data_length());
    std::copy_n(page->second.oob.begin(), std::min(oob.size(), page->second.oob.size()), oob.begin());
  }

  tessera::FlashShape shape_;
  tessera::Signal busy_ = signals.bit("busy");
  tessera::Signal page_ = signals.part("array").number("page", 32);
  tlm_utils::peq_with_get<Payload> arrivals_;
  sc_core::sc_event response_over_;
  std::map<std::uint64_t, Page> pages_;
};

}  // namespace strangers
