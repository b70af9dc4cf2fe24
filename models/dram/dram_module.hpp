#pragma once
// The DRAM as a loosely timed TLM-2.0 target: b_transport adds the access time to the annotated delay and never waits. A payload with a
// DmaExtension is one burst of an extent, without it a metadata access. The bytes exist: a data pointer other than null is read or written;
// transport_dbg and direct memory access, to which payloads hint, reach them without time. What the
// firmware keeps in the DRAM lies there under its address.
#include <systemc>
#include <tlm>

#include "base/direct_access_module.hpp"
#include "base/drive_part.hpp"
#include "base/signal_trace_module.hpp"
#include "base/timeline_module.hpp"
#include "bus/transactions_module.hpp"
#include "dram/dram_device.hpp"
#include "dram/sparse_memory.hpp"

namespace tessera {

class DramModule : public sc_core::sc_module, public PoweredPart, public ReportingPart, private tlm::tlm_fw_transport_if<> {
 public:
  tlm::tlm_target_socket<32> socket;

  DramModule(sc_core::sc_module_name name, const DramConfig& config, std::uint64_t seed = 1, TimelineModule* drive = nullptr);

  /// The block's signals, for a trace file of SystemC's.
  void trace(sc_core::sc_trace_file* file) const override { traces_.add(file, name()); }

  [[nodiscard]] DramDevice& device() { return device_; }
  [[nodiscard]] const DramDevice& device() const { return device_; }
  [[nodiscard]] std::span<std::byte> bytes() const { return memory_.bytes(); }

  void power_off() override;
  void power_on() override;
  void report(MetricSet& metrics, Picoseconds now) const override { device_.report(metrics, now); }

 private:
  /// Addresses beyond the capacity answer TLM_ADDRESS_ERROR_RESPONSE, other commands than read and write TLM_COMMAND_ERROR_RESPONSE,
  /// byte enables and streaming as TLM has it, data that ECC could not correct TLM_GENERIC_ERROR_RESPONSE.
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) override;
  /// The same at once, with the access time as the delay of TLM_COMPLETED.
  tlm::tlm_sync_enum nb_transport_fw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
  unsigned transport_dbg(tlm::tlm_generic_payload& payload) override;
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) override;
  [[nodiscard]] tlm::tlm_response_status refusal(const tlm::tlm_generic_payload& payload) const;
  void move_bytes(tlm::tlm_generic_payload& payload, std::size_t length);
  Picoseconds priced(const tlm::tlm_generic_payload& payload, DmaExtension& dma, Picoseconds now);

  TimelineModule* drive_;
  TimeMaker times_;
  DramDevice device_;
  SparseMemory memory_;
  mutable SignalTraces traces_{device_.signals()};
};

}  // namespace tessera
