#pragma once
// The head-disk assembly on the disk channel: a TLM target around MediaDevice. Base protocol of bus/transactions_module.hpp:
// BEGIN_REQ is answered END_REQ at once, BEGIN_RESP comes at the step's end and expects TLM_COMPLETED; one step at a time.
#include <tlm_utils/simple_target_socket.h>
#include <systemc>
#include <tlm>

#include "base/signal_trace_module.hpp"
#include "base/timeline_module.hpp"
#include "bus/transactions_module.hpp"
#include "media/media_device.hpp"

namespace tessera {

class MediaModule : public sc_core::sc_module, private TimelineListener {
 public:
  tlm_utils::simple_target_socket<MediaModule> socket;

  MediaModule(sc_core::sc_module_name name, TimelineModule& drive, const MediaConfig& config, const FormatPlan& plan, ContentMode content,
              std::uint64_t seed);

  /// The block's signals, for a trace file of SystemC's.
  void trace(sc_core::sc_trace_file* file) const override { traces_.add(file, name()); }

  [[nodiscard]] MediaDevice& device() { return device_; }
  [[nodiscard]] const MediaDevice& device() const { return device_; }

  /// Power fails at the drive's local time: the step in flight ends as docs/models/media.md says and is never answered.
  void power_off();
  void power_on();

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void on_time(std::uint64_t argument) override;

  TimelineModule& drive_;
  MediaDevice device_;
  mutable SignalTraces traces_{device_.signals()};
  tlm::tlm_generic_payload* payload_ = nullptr;  // in flight; the initiator holds it until the answer or the power cut
};

}  // namespace tessera
