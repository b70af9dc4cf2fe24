#pragma once
// The controller as a SystemC module: the core's device links become TLM transactions over the bus, and the devices' answers
// become interrupts to the core. Its CPU is a module of its own in it, with a socket of its own to the bus.
#include <memory>
#include <systemc>

#include "base/media_address.hpp"
#include "base/signal_trace_module.hpp"
#include "base/timed_initiator_module.hpp"
#include "base/timed_target_module.hpp"
#include "bus/transactions_module.hpp"
#include "controller/burst_engines_module.hpp"
#include "controller/controller.hpp"
#include "controller/cpu_module.hpp"
#include "controller/memory_initiator_module.hpp"

namespace tessera {

/// What the controller is told of the parts behind its bus, at elaboration.
struct ControllerSurroundings {
  const Positioning& positioning;
  const TrackCapacity& tracks;
  MediaAddressing media;
  const FlashCatalogue* flash;  ///< null on a drive without NAND
  Interconnect& interconnect;   ///< of the bus
  MemoryMap memory;
  MemoryAtBus dram;
  bool cpu_watched = false;  ///< somebody else's part stands between the CPU and the bus: registers cross there too
  std::uint32_t tags;
};

class ControllerModule : public sc_core::sc_module,
                         private MediaLink,
                         private FlashLink,
                         private DramLink,
                         private HostLinkUp,
                         public MailboxLink,
                         private TimedInitiator::Client,
                         private TimedTarget::Device {
  TimelineModule& drive_;
  TimedInitiator initiator_;
  TimedTarget target_;

 public:
  tlm::tlm_initiator_socket<32>& bus;   ///< of DMA engines and channels: to DRAM, disk channel and NAND
  tlm::tlm_target_socket<32>& mailbox;  ///< host commands

  ControllerModule(sc_core::sc_module_name name, TimelineModule& drive, const ControllerConfig& config,
                   const ControllerSurroundings& surroundings, SectorShape shape, Controller::Image image);
  ~ControllerModule() override;

  /// The block's signals, for a trace file of SystemC's.
  void trace(sc_core::sc_trace_file* file) const override { traces_.add(file, name()); }

  [[nodiscard]] CpuModule& cpu() { return cpu_; }
  /// Towards a DRAM that takes bursts; null for any other.
  [[nodiscard]] BurstEnginesModule* burst_engines() { return burst_engines_.get(); }
  [[nodiscard]] const BurstEnginesModule* burst_engines() const { return burst_engines_.get(); }
  [[nodiscard]] Controller& core() { return core_; }
  [[nodiscard]] const Controller& core() const { return core_; }
  /// The power failed at the drive's local time.
  void power_off();

  /// Without the socket: steps of the disk channel go to `media`, flash commands to `flash`, and `host` gives commands by calls.
  void reach(MediaLink& media) { direct_media_ = &media; }
  void reach(FlashLink& flash) { direct_flash_ = &flash; }
  void answer_to(HostLinkUp& host) { direct_host_ = &host; }
  // MailboxLink
  void arrived(HostRequest& request) override { core_.arrived(request); }
  void abort(HostRequest& request) override { core_.abort(request); }

 private:
  void start(const MediaStep& step) override;
  void start(FlashCommand& command) override;
  DmaGrant dma(const DmaTransfer& transfer, Picoseconds at) override;
  void move(DramAddress address, Bytes bytes, Access access, Picoseconds at) override;
  [[nodiscard]] ExtentTraffic* traffic() override { return burst_engines_.get(); }
  [[nodiscard]] std::span<std::byte> bytes() override { return memory_.bytes(); }
  void complete(HostRequest& request) override;
  void fetch(HostRequest& request) override { direct_host_ != nullptr ? direct_host_->fetch(request) : ask_for_data(request); }
  void send(HostRequest& request) override { direct_host_ != nullptr ? direct_host_->send(request) : ask_for_data(request); }
  void ask_for_data(HostRequest& request);
  void give_up(std::uint32_t arm) override;
  Picoseconds extent(MemoryInitiator& from, DramAddress address, Bytes bytes, Access access, Picoseconds at);
  void report_failed(DramAddress address, Bytes bytes);
  void answered(tlm::tlm_generic_payload& payload) override;
  [[nodiscard]] std::uint32_t arm_of(const tlm::tlm_generic_payload& payload) const;
  void step_answered(const tlm::tlm_generic_payload& payload, const MediaExtension& extension);
  void command_answered(const tlm::tlm_generic_payload& payload, const FlashExtension& extension);
  bool arrived(tlm::tlm_generic_payload& payload) override;
  void signalled(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) override;

  const Positioning& positioning_;
  MediaAddressing media_;
  SectorShape shape_;
  FlashShape flash_;
  MemoryInitiator memory_;
  CpuModule cpu_;
  std::unique_ptr<BurstEnginesModule> burst_engines_;
  Controller core_;
  mutable SignalTraces traces_{core_.signals()};
  PayloadPool<MediaExtension> media_payloads_;
  PayloadPool<FlashExtension> flash_payloads_;
  tlm::tlm_generic_payload dma_payload_;  // extents block: one payload serves them all
  DmaExtension dma_extension_;
  std::vector<DramAddress> failed_words_;            // that the DRAM could not correct in the DMA in hand
  std::vector<tlm::tlm_generic_payload*> commands_;  // host payloads by tag
  std::vector<Picoseconds> step_sent_;               // by arm: when the media was given the step in hand
  MediaLink* direct_media_ = nullptr;                // null: over the socket
  FlashLink* direct_flash_ = nullptr;                // likewise
  HostLinkUp* direct_host_ = nullptr;                // likewise
};

}  // namespace tessera
