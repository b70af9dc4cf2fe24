#pragma once
// The host's end of the link: turns a player's requests into TLM transactions, and completions into calls.
#include <tlm_utils/simple_initiator_socket.h>

#include <functional>
#include <systemc>

#include "base/timeline_module.hpp"
#include "bus/transactions_module.hpp"
#include "stimuli/player/player.hpp"

namespace tessera {

class HostModule : public sc_core::sc_module, public HostLink {
 public:
  tlm_utils::simple_initiator_socket<HostModule> socket;

  HostModule(sc_core::sc_module_name name, TimelineModule& drive);

  void issue(HostRequest& request) override;
  void abort(HostRequest& request) override;
  /// Who is told of completions from now on: one source of requests at a time uses the link.
  void set_receiver(std::function<void(HostRequest&)> receiver) { receiver_ = std::move(receiver); }
  /// The drive lost its power: its transactions are never answered.
  void power_lost();

 private:
  tlm::tlm_sync_enum answered(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  TimelineModule& drive_;
  PayloadPool<HostExtension> payloads_;
  std::vector<tlm::tlm_generic_payload*> outstanding_;
  std::function<void(HostRequest&)> receiver_;
};

}  // namespace tessera
