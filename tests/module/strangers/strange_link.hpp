#pragma once
// A host interface as somebody else writes it: commands take three microseconds over its link, whatever their size, and it keeps as many
// under way as the host sends.
#include <tlm_utils/peq_with_cb_and_phase.h>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <map>
#include <systemc>

#include "base/timeline_module.hpp"
#include "bus/bus_module.hpp"

namespace strangers {

class Link : public sc_core::sc_module, private tlm::tlm_mm_interface {
 public:
  tlm_utils::simple_target_socket<Link> host{"host"};
  tlm_utils::simple_initiator_socket<Link> bus{"bus"};
  unsigned commands = 0;

  explicit Link(sc_core::sc_module_name name) : sc_module(name), events_(this, &Link::event) {
    host.register_nb_transport_fw(this, &Link::from_host);
    bus.register_nb_transport_bw(this, &Link::from_bus);
  }

 private:
  using Payload = tlm::tlm_generic_payload;
  static constexpr std::uint64_t room = 512 * 1024;  // of the drive's buffer, for each tag

  struct Command : tlm::tlm_extension<Command> {
    Payload* host = nullptr;
    tessera::MailboxSlot slot;
    tessera::HostExtension request;
    tlm_extension_base* clone() const override { return nullptr; }
    void copy_from(const tlm_extension_base&) override {}
    void free() override {}
  };

  tlm::tlm_sync_enum from_host(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_REQ) return tlm::TLM_COMPLETED;
    payload.acquire();
    const sc_core::sc_time crossing(3, sc_core::SC_US);
    events_.notify(payload, tlm::BEGIN_REQ, delay + crossing);
    phase = tlm::END_REQ;
    return tlm::TLM_UPDATED;
  }
  tlm::tlm_sync_enum from_bus(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
    if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
    events_.notify(payload, tlm::BEGIN_RESP, delay);
    return tlm::TLM_ACCEPTED;
  }

  void event(Payload& payload, const tlm::tlm_phase& phase) {
    if (phase == tlm::BEGIN_REQ)
      hand_over(payload);
    else
      answer(payload);
  }

  void hand_over(Payload& from) {
    ++commands;
    tessera::HostRequest& request = *from.get_extension<tessera::HostExtension>()->request;
    request.place = request.tag * room;
    Command& command = commands_[request.tag];
    command.host = &from;
    command.request.request = &request;
    command.slot = {request.blocks.first.value(), request.blocks.count, static_cast<std::uint8_t>(request.op), request.force_unit_access};
    auto* payload = new Payload(this);
    payload->acquire();
    payload->set_command(tlm::TLM_WRITE_COMMAND);
    payload->set_address((std::uint64_t{3} << 56) + request.tag * sizeof command.slot);
    payload->set_data_ptr(reinterpret_cast<unsigned char*>(&command.slot));
    payload->set_data_length(sizeof command.slot);
    payload->set_streaming_width(sizeof command.slot);
    payload->set_extension(&command);
    payload->set_extension<tessera::HostExtension>(&command.request);
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    bus->nb_transport_fw(*payload, phase, delay);
  }

  void answer(Payload& payload) {
    Command& command = *payload.get_extension<Command>();
    command.host->set_response_status(payload.get_response_status());
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    bus->nb_transport_fw(payload, phase, delay);
    command.request.request->life.account(tessera::LifePhase::link, tessera::from_sc_time(sc_core::sc_time_stamp()));
    phase = tlm::BEGIN_RESP;
    host->nb_transport_bw(*command.host, phase, delay);
    command.host->release();
    payload.clear_extension<Command>();
    payload.clear_extension<tessera::HostExtension>();
    payload.release();
  }
  void free(Payload* payload) override { delete payload; }

  tlm_utils::peq_with_cb_and_phase<Link> events_;
  std::map<unsigned, Command> commands_;  // by tag
};

}  // namespace strangers
