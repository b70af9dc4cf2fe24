#pragma once
// The NAND flash as a TLM-2.0 target. A payload names its page or block by address (bus/transactions_module.hpp); without a FlashExtension
// it reads or programs the page, or as many of its sectors as it has data for. Any number of commands at once. A device error is a status
// of the command, and a generic error response.
#include <systemc>
#include <tlm>

#include "base/drive_part.hpp"
#include "base/signal_trace_module.hpp"
#include "base/timed_target_module.hpp"
#include "bus/direct_links.hpp"
#include "bus/transactions_module.hpp"
#include "nand/nand_device.hpp"

namespace tessera {

class NandModule : public sc_core::sc_module,
                   public PoweredPart,
                   public ReportingPart,
                   public FlashLink,
                   private NandClient,
                   private TimedTarget::Device {
  TimelineModule& drive_;
  TimedTarget target_;

 public:
  tlm::tlm_target_socket<32>& socket;

  /// `shape`: of the drive's sectors. `drive` must outlive the module.
  NandModule(sc_core::sc_module_name name, const NandConfig& config, SectorShape shape, std::uint64_t seed, TimelineModule& drive);

  /// The block's signals, for a trace file of SystemC's.
  void trace(sc_core::sc_trace_file* file) const override { traces_.add(file, name()); }

  [[nodiscard]] NandDevice& device() { return device_; }
  [[nodiscard]] const NandDevice& device() const { return device_; }

  /// Without the socket: commands come by calls, and their ends go to `controller`.
  void answer_to(FlashLinkUp& controller) { controller_ = &controller; }
  void start(FlashCommand& command) override;

  /// Power fails at the drive's local time: what is in flight ends as docs/models/nand.md says and is never answered.
  void power_off() override;
  void power_on() override {}
  void report(MetricSet& metrics, Picoseconds now) const override { device_.report(metrics, now); }

 private:
  [[nodiscard]] tlm::tlm_response_status refusal(const tlm::tlm_generic_payload& payload) const override;
  bool arrived(tlm::tlm_generic_payload& payload) override;
  static void spread(FlashExtension& extension, DataSpan data);
  void done(FlashCommand& command, void* context, Picoseconds busy, Picoseconds now) override;

  SectorShape shape_;
  NandDevice device_;
  mutable SignalTraces traces_{device_.signals()};
  std::vector<tlm::tlm_generic_payload*> in_flight_;
  FlashLinkUp* controller_ = nullptr;  // who gives commands by calls
};

}  // namespace tessera
