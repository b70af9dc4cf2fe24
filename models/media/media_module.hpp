#pragma once
// The head-disk assembly on the disk channel: a TLM target around MediaDevice. A payload names its run by address and length
// (base/media_address.hpp) and comes with or without a MediaExtension. One step at a time: the END_REQ of the next is kept back until then.
#include <systemc>
#include <tlm>

#include "base/drive_part.hpp"
#include "base/media_address.hpp"
#include "base/signal_trace_module.hpp"
#include "base/timed_target_module.hpp"
#include "bus/direct_links.hpp"
#include "bus/transactions_module.hpp"
#include "media/media_device.hpp"

namespace tessera {

class MediaModule : public sc_core::sc_module,
                    public PoweredPart,
                    public ReportingPart,
                    public MediaLink,
                    private TimelineListener,
                    private TimedTarget::Device {
  TimelineModule& drive_;
  TimedTarget target_;

 public:
  tlm::tlm_target_socket<32>& socket;

  MediaModule(sc_core::sc_module_name name, TimelineModule& drive, const MediaConfig& config, const FormatPlan& plan, ContentMode content,
              std::uint64_t seed);

  /// The block's signals, for a trace file of SystemC's.
  void trace(sc_core::sc_trace_file* file) const override { traces_.add(file, name()); }

  [[nodiscard]] MediaDevice& device() { return device_; }
  [[nodiscard]] const MediaDevice& device() const { return device_; }
  [[nodiscard]] const MediaAddressing& addressing() const { return addressing_; }

  /// Without the socket: steps come by calls, and their ends go to `controller`.
  void answer_to(MediaLinkUp& controller) { controller_ = &controller; }
  void start(const MediaStep& step) override;
  void give_up() override;

  /// Power fails at the drive's local time: the step in flight ends as docs/models/media.md says and is never answered.
  void power_off() override;
  void power_on() override;
  void report(MetricSet& metrics, Picoseconds now) const override { device_.report(metrics, now); }

 private:
  [[nodiscard]] tlm::tlm_response_status refusal(const tlm::tlm_generic_payload& payload) const override;
  bool arrived(tlm::tlm_generic_payload& payload) override;
  void signalled(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) override;
  void on_time(std::uint64_t argument) override;
  void begin(tlm::tlm_generic_payload& payload);
  void step_over();

  MediaDevice device_;
  mutable SignalTraces traces_{device_.signals()};
  MediaAddressing addressing_;
  MediaStep step_;                               // in flight, as the payload says it
  tlm::tlm_generic_payload* payload_ = nullptr;  // in flight
  tlm::tlm_generic_payload* next_ = nullptr;     // whose END_REQ is kept back
  MediaLinkUp* controller_ = nullptr;            // who gives steps by calls; null: over the socket
  bool by_call_ = false;                         // one of those is in flight
  Picoseconds begun_;                            // when
};

}  // namespace tessera
