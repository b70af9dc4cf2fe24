#pragma once
// Where somebody else's processor meets the drive: a socket for its loads and stores, and two pins.
//
// Addresses are those of the machine (firmware/hal/register_map.hpp). A register takes 4 or 8 aligned bytes, the DRAM any number. An access
// takes effect at kernel time plus its annotated delay; b_transport returns when it has ended. transport_dbg reaches the DRAM's bytes. So
// does direct memory access, without the bus's other traffic in its way: payloads hint at it where the DRAM gives it and nobody has to look
// at payloads; it ends with the power.
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <systemc>

#include "base/timed_target_module.hpp"
#include "bus/protocol_checker_module.hpp"
#include "bus/transaction_recorder_module.hpp"
#include "machine/external_firmware.hpp"

namespace tessera {

class ProcessorPortModule : public sc_core::sc_module, public ProcessorPins, private TimedTarget::Device, private TimelineListener {
  TimelineModule& drive_;
  TimedTarget target_;
  std::unique_ptr<TransactionRecorderModule> recorder_;  // in front of the target, or null
  std::unique_ptr<ProtocolCheckerModule> checker_;       // in front of that, or null

 public:
  tlm::tlm_target_socket<32>& socket;
  sc_core::sc_out<bool> interrupt;  ///< of the lines of the interrupt controller that are pending and enabled
  sc_core::sc_out<bool> reset;      ///< 1: the processor is to stand still, and begins anew when it falls

  /// `dram`: its bytes. `check_protocol`: whoever is bound is held against the rules of the base protocol, and so is the port.
  /// `transactions`: who records its accesses, or null.
  ProcessorPortModule(sc_core::sc_module_name name, TimelineModule& drive, std::span<std::byte> dram, bool check_protocol,
                      FtrWriter* transactions = nullptr);

  /// As of the timeline's now(); `firmware` lives until power_off().
  void power_on(ExternalFirmware& firmware);
  /// An access under way ends with a generic error, as do those that come without power.
  void power_off();

  /// Gives direct memory access from an address of the DRAM on, in addresses of the DRAM, as get_direct_mem_ptr does.
  using DirectMemory = std::function<bool(DramAddress, tlm::tlm_command, tlm::tlm_dmi&)>;
  /// Without it nobody gets any.
  void reach_directly(DirectMemory memory) { direct_memory_ = std::move(memory); }
  /// The DRAM's addresses `first` to `last` may not be reached directly any more.
  void withdraw_direct(std::uint64_t first, std::uint64_t last);

  // ProcessorPins
  void set_interrupt(bool pending) override { set(interrupt, pending); }
  void end_access(Picoseconds at) override;

 private:
  using Pin = sc_core::sc_out<bool>;
  struct Change {
    Picoseconds at;
    Pin* pin;
    bool level;
  };

  [[nodiscard]] tlm::tlm_response_status refusal(const tlm::tlm_generic_payload& payload) const override;
  bool arrived(tlm::tlm_generic_payload& payload) override;
  unsigned debug(tlm::tlm_generic_payload& payload) override;
  bool direct(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  void answer(tlm::tlm_generic_payload& payload);
  [[nodiscard]] bool hints();
  void on_time(std::uint64_t) override;
  /// Of the bytes that are asked for, from the address on.
  [[nodiscard]] std::span<std::byte> in_dram(const tlm::tlm_generic_payload& payload) const;
  void set(Pin& pin, bool level);
  void drive_pins();

  std::span<std::byte> dram_;
  DirectMemory direct_memory_;
  std::optional<bool> hints_;                    // payloads of the DRAM hint at direct access; to be asked for
  bool given_ = false;                           // somebody may have a pointer
  ExternalFirmware* firmware_ = nullptr;         // null: no power
  tlm::tlm_generic_payload* in_hand_ = nullptr;  // that has not ended
  std::deque<Change> changes_;                   // that kernel time has yet to reach
  sc_core::sc_event change_;
};

}  // namespace tessera
