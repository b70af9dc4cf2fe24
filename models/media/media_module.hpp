#pragma once
// The head-disk assembly on the disk channel: a TLM target around MediaDevice. A payload names its run by address and length
// (base/media_address.hpp) and comes with or without a MediaExtension. One step at a time for each arm: the END_REQ of
// another for a busy arm is kept back until then.
#include <deque>
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

class MediaModule : public sc_core::sc_module, public PoweredPart, public ReportingPart, public MediaLink, private TimedTarget::Device {
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
  void give_up(std::uint32_t arm) override { lanes_[arm].give_up(); }

  /// Power fails at the drive's local time: the step in flight ends as docs/models/media.md says and is never answered.
  void power_off() override;
  void power_on() override;
  void report(MetricSet& metrics, Picoseconds now) const override { device_.report(metrics, now); }

 private:
  /// What one arm has in hand.
  class Lane final : private TimelineListener {
   public:
    Lane(MediaModule& module, std::uint32_t arm) : module_(module), arm_(arm) {}
    [[nodiscard]] bool busy() const { return by_call_ || payload_ != nullptr; }
    void start(const MediaStep& step);
    void give_up();
    void begin(tlm::tlm_generic_payload& payload);
    void signalled(tlm::tlm_generic_payload& payload);
    void power_off();

   private:
    void on_time(std::uint64_t argument) override;
    void begin_step();
    void end_at(Picoseconds end);
    void call_over();
    void payload_over();
    void write_merged();

    MediaModule& module_;
    std::uint32_t arm_;
    MediaStep step_;                               // as the call or the payload says it
    tlm::tlm_generic_payload* payload_ = nullptr;  // that brought it
    bool by_call_ = false;                         // a call did
    bool merges_ = false;                          // it reads what a write leaves out
    Picoseconds begun_;                            // when
  };

  [[nodiscard]] tlm::tlm_response_status refusal(const tlm::tlm_generic_payload& payload) const override;
  bool arrived(tlm::tlm_generic_payload& payload) override;
  void signalled(tlm::tlm_generic_payload& payload, const tlm::tlm_phase& phase) override;
  void step_over();
  [[nodiscard]] std::uint32_t arm_of(const tlm::tlm_generic_payload& payload) const;

  MediaDevice device_;
  mutable SignalTraces traces_{device_.signals()};
  MediaAddressing addressing_;
  std::deque<Lane> lanes_;                    // by arm
  tlm::tlm_generic_payload* next_ = nullptr;  // whose END_REQ is kept back
  MediaLinkUp* controller_ = nullptr;         // who gives steps by calls; null: over the socket
};

}  // namespace tessera
