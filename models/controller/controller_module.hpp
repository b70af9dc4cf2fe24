#pragma once
// The controller as a SystemC module: the core's device links become TLM transactions over the bus, and the devices' answers
// become interrupts to the core.
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include <systemc>

#include "base/signal_trace_module.hpp"
#include "base/timeline_module.hpp"
#include "bus/transactions_module.hpp"
#include "controller/controller.hpp"

namespace tessera {

class ControllerModule : public sc_core::sc_module, private MediaLink, private FlashLink, private DramLink, private HostLinkUp {
 public:
  tlm_utils::simple_initiator_socket<ControllerModule> bus;   ///< to DRAM, disk channel and NAND
  tlm_utils::simple_target_socket<ControllerModule> mailbox;  ///< host commands

  /// `catalogue` is null on a drive without NAND.
  ControllerModule(sc_core::sc_module_name name, TimelineModule& drive, const ControllerConfig& config, const Positioning& positioning,
                   const TrackCapacity& tracks, const FlashCatalogue* catalogue, SectorShape shape, Bytes dram_capacity, Bytes host_buffer,
                   std::uint32_t tags, Controller::Image image);

  /// The block's signals, for a trace file of SystemC's.
  void trace(sc_core::sc_trace_file* file) const override { traces_.add(file, name()); }

  [[nodiscard]] Controller& core() { return core_; }
  [[nodiscard]] const Controller& core() const { return core_; }
  /// The power failed at the drive's local time.
  void power_off();

 private:
  void start(const MediaStep& step) override;
  void start(FlashCommand& command) override;
  Picoseconds access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds at) override;
  Picoseconds dma(DramAddress address, Bytes bytes, Access access, Picoseconds at) override;
  void move(DramAddress address, Bytes bytes, Access access, Picoseconds at) override;
  void complete(HostRequest& request) override;
  Picoseconds dram_transaction(tlm::tlm_generic_payload& payload, DramAddress address, std::uint64_t bytes, Access access, Picoseconds at);
  void report_failed(tlm::tlm_generic_payload& payload, DramAddress address, Bytes bytes);
  tlm::tlm_sync_enum command(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum interrupt(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);

  TimelineModule& drive_;
  Controller core_;
  mutable SignalTraces traces_{core_.signals()};
  PayloadPool<MediaExtension> media_payloads_;
  PayloadPool<FlashExtension> flash_payloads_;
  PayloadPool<DmaExtension> dma_payloads_;
  tlm::tlm_generic_payload access_payload_;                 // metadata accesses block: one payload serves them all
  std::vector<DramAddress> failed_words_;                   // that the DRAM could not correct in the DMA in hand
  std::vector<tlm::tlm_generic_payload*> commands_;         // host payloads by tag, with a reference of ours
  std::vector<tlm::tlm_generic_payload*> device_payloads_;  // in flight at media and NAND
};

}  // namespace tessera
