#pragma once
// The host interface as a SystemC module. Towards the host a target socket that any initiator may bind: a payload with a HostExtension is a
// command; any other is answered with a generic error response (a plain payload goes to a block target: block_target_module.hpp). Towards
// the controller an initiator on the bus: a command goes to the mailbox slot of its tag.
#include <systemc>

#include "base/signal_trace_module.hpp"
#include "base/timed_initiator_module.hpp"
#include "base/timed_target_module.hpp"
#include "bus/transactions_module.hpp"
#include "host/host_interface.hpp"

namespace tessera {

class HostInterfaceModule : public sc_core::sc_module,
                            public HostLinkUp,
                            private HostInterface::Downstream,
                            private HostInterface::Upstream,
                            private TimedTarget::Device,
                            private TimedInitiator::Client {
  TimedTarget target_;
  TimedInitiator initiator_;

 public:
  tlm::tlm_target_socket<32>& host;
  tlm::tlm_initiator_socket<32>& bus;

  HostInterfaceModule(sc_core::sc_module_name name, TimelineModule& drive, const HostConfig& config, std::uint32_t sector_bytes,
                      std::uint64_t seed);

  /// The block's signals, for a trace file of SystemC's.
  void trace(sc_core::sc_trace_file* file) const override { traces_.add(file, name()); }

  [[nodiscard]] HostInterface& core() { return core_; }
  [[nodiscard]] const HostInterface& core() const { return core_; }
  void power_off();

  /// Without sockets: commands of the core go to `controller`, which answers by calls (HostLinkUp).
  void reach(MailboxLink& controller) { controller_ = &controller; }
  /// Likewise, who is told of the end of commands that came to core() by calls.
  void answer_to(HostPortLinkUp& caller) { caller_ = &caller; }

  // HostLinkUp. A command that was lost with the power is known no more.
  void complete(HostRequest& request) override;
  void fetch(HostRequest& request) override;
  void send(HostRequest& request) override;

 private:
  [[nodiscard]] tlm::tlm_response_status refusal(const tlm::tlm_generic_payload& payload) const override;
  bool arrived(tlm::tlm_generic_payload& payload) override;
  void signalled(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) override;
  void answered(tlm::tlm_generic_payload& payload) override;
  void told(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) override;
  void arrived(HostRequest& request) override;
  void abort(HostRequest& request) override;
  void completed(HostRequest& request) override;

  HostInterface core_;
  mutable SignalTraces traces_{core_.signals()};
  PayloadPool<HostExtension> mailbox_payloads_;
  std::vector<MailboxSlot> slots_;                    // by tag
  std::vector<tlm::tlm_generic_payload*> commands_;   // of the host, by tag
  std::vector<tlm::tlm_generic_payload*> forwarded_;  // to the mailbox, by tag
  MailboxLink* controller_ = nullptr;                 // null: over the socket
  HostPortLinkUp* caller_ = nullptr;                  // likewise
  std::vector<const HostRequest*> handed_over_;       // to controller_, by tag
};

}  // namespace tessera
