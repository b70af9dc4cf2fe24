#pragma once
// The DRAM as a loosely timed TLM-2.0 target: b_transport adds the access time to the annotated delay and never waits.
// A payload with a DmaExtension is one burst of an extent, without it a metadata access. Content stays with the memory map
// of the controller: payloads need no data pointer.
#include <tlm_utils/simple_target_socket.h>

#include <systemc>
#include <tlm>

#include "base/signal_trace_module.hpp"
#include "base/timeline_module.hpp"
#include "bus/transactions_module.hpp"
#include "dram/dram_device.hpp"

namespace tessera {

class DramModule : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<DramModule> socket;

  DramModule(sc_core::sc_module_name name, const DramConfig& config, std::uint64_t seed = 1);

  /// The block's signals, for a trace file of SystemC's.
  void trace(sc_core::sc_trace_file* file) const override { traces_.add(file, name()); }

  [[nodiscard]] DramDevice& device() { return device_; }
  [[nodiscard]] const DramDevice& device() const { return device_; }

 private:
  /// Addresses beyond the capacity answer TLM_ADDRESS_ERROR_RESPONSE, other commands than read and write TLM_COMMAND_ERROR_RESPONSE,
  /// data that ECC could not correct TLM_GENERIC_ERROR_RESPONSE.
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);

  DramDevice device_;
  mutable SignalTraces traces_{device_.signals()};
};

}  // namespace tessera
