#pragma once
// The registers as a TLM-2.0 target for firmware that runs in the simulator's process, and that firmware's loads and stores as
// transactions. Loosely timed: an access takes effect in its call and adds nothing to the annotated delay, for the controller's control
// path prices it.
#include <systemc>
#include <tlm>

#include "base/direct_access_module.hpp"
#include "base/timeline_module.hpp"
#include "machine/register_bus.hpp"

namespace tessera {

/// 4 or 8 aligned bytes at the address of a register (firmware/hal/register_map.hpp). Anything else than a plain read or write of so many
/// answers with TLM's error response; wrong use of a register is a FirmwareFault. Without power: TLM_GENERIC_ERROR_RESPONSE.
class RegisterTargetModule : public sc_core::sc_module, private tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_target_socket<32> socket;

  explicit RegisterTargetModule(sc_core::sc_module_name name);
  /// Null: nobody's, without power.
  void connect(RegisterFile* registers) { registers_ = registers; }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  /// Reading some has an effect.
  unsigned transport_dbg(tlm::tlm_generic_payload&) override { return 0; }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) override { return deny_direct_access(dmi); }
  [[nodiscard]] tlm::tlm_response_status refusal(const tlm::tlm_generic_payload& payload) const;

  RegisterFile* registers_ = nullptr;
};

class RegisterInitiatorModule : public sc_core::sc_module, public RegisterBus, private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_initiator_socket<32> bus;

  RegisterInitiatorModule(sc_core::sc_module_name name, const TimelineModule& drive, RegisterTargetModule& target);

  void connect(RegisterFile* registers) override { target_.connect(registers); }
  [[nodiscard]] std::uint64_t load(std::uint64_t address) override;
  void store(std::uint64_t address, std::uint64_t value) override;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) override {}  // it asks for no direct access
  void send(tlm::tlm_command command, std::uint64_t address);

  const TimelineModule& drive_;
  RegisterTargetModule& target_;
  tlm::tlm_generic_payload payload_;  // its accesses block: one serves them all
  std::uint64_t value_ = 0;
};

}  // namespace tessera
