#pragma once
// The NAND flash as a TLM-2.0 target. A payload carries a FlashExtension; BEGIN_REQ is answered with END_REQ, the completion
// comes back as BEGIN_RESP and is to be answered TLM_COMPLETED. Annotated delays carry the drive's local time.
// The initiator keeps the payload until then; after device().cut() no response comes, and it drops what is outstanding.
#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>

#include "base/signal_trace_module.hpp"
#include "base/timeline_module.hpp"
#include "bus/transactions_module.hpp"
#include "nand/nand_device.hpp"

namespace tessera {

class NandModule : public sc_core::sc_module, private NandClient {
 public:
  tlm_utils::simple_target_socket<NandModule> socket;

  /// `kept`: content bytes a page (SectorShape::kept). `timeline` is the drive's and must outlive the module.
  NandModule(sc_core::sc_module_name name, const NandConfig& config, std::uint32_t kept, std::uint64_t seed, TimelineModule& timeline);

  /// The block's signals, for a trace file of SystemC's.
  void trace(sc_core::sc_trace_file* file) const override { traces_.add(file, name()); }

  [[nodiscard]] NandDevice& device() { return device_; }
  [[nodiscard]] const NandDevice& device() const { return device_; }

 private:
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void done(FlashCommand& command, void* context, Picoseconds busy, Picoseconds now) override;

  TimelineModule& timeline_;
  NandDevice device_;
  mutable SignalTraces traces_{device_.signals()};
};

}  // namespace tessera
