#pragma once
// The controller's CPU between the firmware and the bus: whatever of its loads, stores and line fills is not served by TCM or caches leaves
// through `bus`, as a plain payload. Registers do where somebody else's part stands in the way; otherwise the bus is charged for them in
// place, which gives the same times (tests/module/strangers) and saves a call for each.
#include <functional>

#include "controller/device_links.hpp"
#include "controller/memory_initiator_module.hpp"

namespace tessera {

class CpuModule : public sc_core::sc_module, public CpuLink, private tlm::tlm_bw_transport_if<> {
 public:
  tlm::tlm_initiator_socket<32> bus;

  /// `uncorrectable` is called for what the DRAM could not correct, before the access returns.
  CpuModule(sc_core::sc_module_name name, TimelineModule& drive, const MemoryAtBus& dram, bool carries_registers,
            std::function<void(DramAddress, Bytes)> uncorrectable);

  /// Where its bursts to rings in the DRAM leave.
  [[nodiscard]] MemoryInitiator& memory() { return memory_; }

  Picoseconds access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds at) override;
  [[nodiscard]] MemoryPath direct() const override { return memory_.direct(); }
  [[nodiscard]] bool carries_registers() const override { return carries_registers_; }
  Picoseconds access_register(DeviceRegister which, Access access, Picoseconds at) override;

  /// Asks the DRAM, over the bus, for direct memory access on behalf of a processor in the CPU's place; `dmi` has addresses of the DRAM.
  bool direct(DramAddress address, tlm::tlm_command access, tlm::tlm_dmi& dmi);
  /// Who is told of addresses of the DRAM that may not be reached directly any more.
  void on_invalidated(std::function<void(std::uint64_t first, std::uint64_t last)> listener) { invalidated_ = std::move(listener); }

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload&, tlm::tlm_phase&, sc_core::sc_time&) override;
  void invalidate_direct_mem_ptr(sc_dt::uint64 first, sc_dt::uint64 last) override {
    if (invalidated_) invalidated_(first, last);
  }

  MemoryInitiator memory_;
  bool carries_registers_;
  std::function<void(DramAddress, Bytes)> uncorrectable_;
  std::function<void(std::uint64_t, std::uint64_t)> invalidated_;
  tlm::tlm_generic_payload payload_;  // its accesses block: one serves them all
  std::array<std::byte, register_bytes> register_{};
};

}  // namespace tessera
