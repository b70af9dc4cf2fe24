#pragma once
// The firmware's code: where each named operation's lies, and what its fetch takes. Every time that an operation is charged, its code is
// fetched from end to end once, through the code cache, or out of the TCM. Without a code cache, code in the DRAM costs nothing: it runs as
// from memory of one cycle. Firmware on a processor of its own fetches its code there, and nothing here.
//
// Not modelled: code between the named operations, branches inside one, and that it would be fetched again for a loop larger than the cache
// (such a cache is refused).
#include <array>
#include <optional>

#include "controller/cpu_cache.hpp"
#include "controller/memory_controller.hpp"

namespace tessera {

class CodeMemory {
 public:
  /// InputError where the code cache cannot hold the code of one operation.
  CodeMemory(Executor& executor, MemoryController& memory, CpuLink& bus, const CpuConfig& config, Bytes dram);

  /// Whether fetches take time.
  [[nodiscard]] bool modelled() const { return cache_.has_value() || in_tcm_; }
  /// Reserves the code's place; at every power-on, before the firmware is loaded.
  void power_on();
  void power_off();

  /// The core that runs fetches the operation's code.
  void fetch(CpuOperation operation);

  void report(MetricSet& metrics) const;

 private:
  Executor& executor_;
  MemoryController& memory_;
  std::array<std::uint64_t, cpu_operations> sizes_;
  std::array<DramAddress, cpu_operations> begins_;
  std::optional<CpuCache> cache_;
  bool in_tcm_;
};

}  // namespace tessera
