#pragma once
// The controller's address-mapped bus: decodes each transaction's address to DRAM, disk channel, NAND controller or the controller's own
// command mailbox, passes it on with the offset in that window, and carries answers back, delays and all. What goes to the DRAM occupies it
// (bus/interconnect.hpp); the latency of a register access is charged where that is made (controller.bus_latency).
//
// By the base protocol's exclusion rules a target has one request at a time that it has not ended, an initiator one such response; what
// comes meanwhile from or for another waits here, in order of the calls, and goes on with the instant at which it may as its delay.
#include <array>
#include <deque>
#include <systemc>

#include "base/direct_access_module.hpp"
#include "base/timeline_module.hpp"
#include "bus/address_map.hpp"
#include "bus/interconnect.hpp"
#include "bus/transactions_module.hpp"

namespace tessera {

class BusModule : public sc_core::sc_module {
 public:
  using Payload = tlm::tlm_generic_payload;
  template <sc_core::sc_port_policy policy>
  using FromInitiator = tlm::tlm_target_socket<32, tlm::tlm_base_protocol_types, 1, policy>;
  template <sc_core::sc_port_policy policy>
  using ToTarget = tlm::tlm_initiator_socket<32, tlm::tlm_base_protocol_types, 1, policy>;

  FromInitiator<sc_core::SC_ZERO_OR_MORE_BOUND> from_cpu;  ///< unbound where the controller is somebody else's
  FromInitiator<sc_core::SC_ONE_OR_MORE_BOUND> from_controller;
  FromInitiator<sc_core::SC_ONE_OR_MORE_BOUND> from_host;
  FromInitiator<sc_core::SC_ZERO_OR_MORE_BOUND> from_engines;    ///< bursts of DMA engines, where the DRAM takes such
  FromInitiator<sc_core::SC_ZERO_OR_MORE_BOUND> from_processor;  ///< for one beside the controller's own: may stay unbound
  ToTarget<sc_core::SC_ONE_OR_MORE_BOUND> to_dram;
  ToTarget<sc_core::SC_ONE_OR_MORE_BOUND> to_disk_channel;
  ToTarget<sc_core::SC_ZERO_OR_MORE_BOUND> to_nand;  ///< unbound on a drive without NAND
  ToTarget<sc_core::SC_ONE_OR_MORE_BOUND> to_mailbox;

  /// `flash_channels`: of the drive's NAND, each with a DMA engine, as the `arms` of its disk.
  BusModule(sc_core::sc_module_name name, const BusConfig& config, std::uint32_t flash_channels, std::uint32_t arms = 1);

  [[nodiscard]] Interconnect& interconnect() { return interconnect_; }
  [[nodiscard]] const Interconnect& interconnect() const { return interconnect_; }

  /// The power failed: what waits here is forgotten, and what the DRAM gave of direct memory access ends.
  void power_off();

 private:
  enum Initiator : int { cpu, controller, host, processor, engines, initiators };
  enum Target : int { dram, disk, nand, mailbox, targets };
  struct Waiting {
    Payload* payload;
    sc_core::sc_time since;
  };
  /// A socket as the exclusion rule sees it: requests of a target, responses of an initiator.
  struct Channel {
    const Payload* busy = nullptr;  ///< whose END_REQ or END_RESP is to come
    bool delayed = false;           ///< the last one came for another instant than its call's own:
    sc_core::sc_time free;          ///< this one
    std::deque<Waiting> waiting;
  };

  /// What an initiator's socket calls, and what a target's does.
  struct Entry final : tlm::tlm_fw_transport_if<> {
    BusModule& bus;
    int initiator;
    Entry(BusModule& module, int number) : bus(module), initiator(number) {}
    tlm::tlm_sync_enum nb_transport_fw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
      return bus.forward(initiator, payload, phase, delay);
    }
    void b_transport(Payload& payload, sc_core::sc_time& delay) override { bus.b_transport(payload, delay); }
    unsigned transport_dbg(Payload& payload) override { return bus.transport_dbg(payload); }
    bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi) override { return bus.get_direct_mem_ptr(payload, dmi); }
  };
  struct Exit final : tlm::tlm_bw_transport_if<> {
    BusModule& bus;
    int target;
    Exit(BusModule& module, int number) : bus(module), target(number) {}
    tlm::tlm_sync_enum nb_transport_bw(Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override {
      return bus.backward(target, payload, phase, delay);
    }
    void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override { bus.invalidate_direct_mem_ptr(target, first, last); }
  };

  void start_of_simulation() override;
  void b_transport(Payload& payload, sc_core::sc_time& delay);
  void to_memory(Payload& payload, sc_core::sc_time& delay);
  void to_register(Payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(Payload& payload);
  bool get_direct_mem_ptr(Payload& payload, tlm::tlm_dmi& dmi);
  void invalidate_direct_mem_ptr(int target, sc_dt::uint64 first, sc_dt::uint64 last);
  tlm::tlm_sync_enum forward(int initiator, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum backward(int target, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum send_request(int target, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum send_response(std::size_t initiator, Payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void request_ended(int target, const sc_core::sc_time& at);
  void response_ended(int initiator, const sc_core::sc_time& at);
  void begin_waiting(int target);
  void answer_waiting(std::size_t initiator);
  [[nodiscard]] tlm::tlm_fw_transport_if<>* target_of(const Payload& payload) const;
  [[nodiscard]] int initiator_of(int target, Payload& payload) const;

  Interconnect interconnect_;
  TimeMaker times_;
  std::array<Entry, initiators> entries_;
  std::array<Exit, targets> exits_;
  std::array<tlm::tlm_fw_transport_if<>*, targets> to_{};          // null where nobody is bound
  std::array<tlm::tlm_bw_transport_if<>*, initiators> back_to_{};  // likewise
  bool pointed_at_ = false;                                        // somebody may have a pointer into the DRAM
  bool routed_ = false;                                            // others than the controller have begun transactions with devices
  std::array<Channel, targets> requests_;
  std::array<Channel, initiators> responses_;
};

}  // namespace tessera
