#pragma once
// The host interface as a SystemC module. Towards the host a target socket that any initiator may bind: a payload with a
// HostExtension and a memory manager, BEGIN_REQ answered END_REQ, completion as BEGIN_RESP. Any other payload, and b_transport, is answered
// with a generic error response: what a command means is in the extension. Towards the controller an initiator on the bus.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <systemc>

#include "base/signal_trace_module.hpp"
#include "base/timeline_module.hpp"
#include "bus/transactions_module.hpp"
#include "host/host_interface.hpp"

namespace tessera {

class HostInterfaceModule : public sc_core::sc_module, private HostInterface::Downstream, private HostInterface::Upstream {
 public:
  tlm_utils::simple_target_socket<HostInterfaceModule> host;
  tlm_utils::simple_initiator_socket<HostInterfaceModule> bus;

  HostInterfaceModule(sc_core::sc_module_name name, TimelineModule& drive, const HostConfig& config, std::uint32_t sector_bytes,
                      std::uint64_t seed);

  /// The block's signals, for a trace file of SystemC's.
  void trace(sc_core::sc_trace_file* file) const override { traces_.add(file, name()); }

  [[nodiscard]] HostInterface& core() { return core_; }
  [[nodiscard]] const HostInterface& core() const { return core_; }
  void power_off();

 private:
  tlm::tlm_sync_enum issue(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void refuse(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  tlm::tlm_sync_enum answered(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void arrived(HostRequest& request) override;
  void abort(HostRequest& request) override;
  void completed(HostRequest& request) override;

  TimelineModule& drive_;
  HostInterface core_;
  mutable SignalTraces traces_{core_.signals()};
  std::vector<tlm::tlm_generic_payload*> payloads_;  // by tag, with a reference of ours
};

}  // namespace tessera
