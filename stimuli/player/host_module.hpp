#pragma once
// The host's end of the link: turns a player's requests into TLM transactions, and completions into calls.
#include <functional>
#include <systemc>

#include "base/timed_initiator_module.hpp"
#include "bus/transactions_module.hpp"
#include "host/host_interface_module.hpp"
#include "stimuli/player/host_front.hpp"

namespace tessera {

class HostModule : public sc_core::sc_module, public HostFront, private TimedInitiator::Client, private HostPortLinkUp {
  TimelineModule& drive_;
  TimedInitiator initiator_;

 public:
  tlm::tlm_initiator_socket<32>& socket;

  HostModule(sc_core::sc_module_name name, TimelineModule& drive);

  /// Without the socket, where nobody else's part is on the way (DriveModule::direct_host()).
  void reach(HostInterfaceModule& drive);

  void issue(HostRequest& request) override;
  void abort(HostRequest& request) override;
  void set_receiver(std::function<void(HostRequest&)> receiver) override { receiver_ = std::move(receiver); }
  void power_lost() override { initiator_.power_off(); }

 private:
  void answered(tlm::tlm_generic_payload& payload) override;
  void completed(HostRequest& request) override { receiver_(request); }

  HostInterface* interface_ = nullptr;  // null: over the socket
  PayloadPool<HostExtension> payloads_;
  std::function<void(HostRequest&)> receiver_;
};

}  // namespace tessera
