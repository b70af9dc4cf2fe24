#pragma once
// Parameters of the controller's processor: cores, costs of firmware's operations, interrupt lines.
#include <array>

#include "base/line_cache.hpp"
#include "base/parameter.hpp"
#include "firmware/ports/cpu_port.hpp"

namespace tessera {

/// Where the costs of operations come from that a description does not name.
enum class CostSource : std::uint32_t {
  measured,   ///< what they took in firmware images (measured_costs.def)
  estimated,  ///< ours, of before there were images: neither published nor measured
  none        ///< code takes no time
};

/// Core cycles of firmware's operations at full speed of its memory: what the DRAM adds is priced where it is accessed.
struct CpuCosts {
  explicit CpuCosts(CostSource from = CostSource::measured);

  CostSource source;
  std::array<std::uint64_t, cpu_operations> cycles;  ///< those of `source`, but for what was set since

  [[nodiscard]] std::uint64_t& operator[](CpuOperation operation) { return cycles[static_cast<std::size_t>(operation)]; }
  void describe(ParameterVisitor& visitor);
};

/// Where an interrupt comes from. A line interrupts once for what has gathered on it.
enum class InterruptLine : std::uint8_t { host, disk, flash, timer, count_ };
inline constexpr std::size_t interrupt_lines = static_cast<std::size_t>(InterruptLine::count_);

struct InterruptLineConfig {
  std::uint32_t priority = 0;   ///< of what it makes ready; smaller runs first
  std::uint32_t coalesce = 1;   ///< interrupts when so many wait
  Picoseconds coalesce_time{};  ///< or when the first has waited so long

  void describe(ParameterVisitor& visitor);
};

/// What a core does. With one core it does all; two: core 0 has host and media, core 1 translation; three: one each; four: a second one for
/// translation.
enum class CpuRole : std::uint8_t {
  host,         ///< takes commands in, sends completions
  translation,  ///< runs the translation layer's tasks
  media,        ///< writes descriptors for disk and flash, takes their interrupts
};

/// Tightly coupled memory beside the core. Defaults: 128 KiB as each Cortex-R5 of a Zynq UltraScale+ has (UG1085, "Tightly coupled
/// memories"); ports of 64 bits that answer in a single cycle (Cortex-R5 technical reference manual DDI 0460D, "TCM interface").
struct TcmConfig {
  Bytes size{128 << 10};
  std::uint32_t latency = 1;
  std::uint32_t width = 8;

  void describe(ParameterVisitor& visitor);
};

/// Bytes of code that firmware's operations run through. Source of all: estimates of ours, an instruction for each cycle of the estimated
/// costs and 3 B an instruction (Thumb-2 has 2 and 4), in whole lines of 32 B. What costs nothing by these estimates has no code either.
struct CodeSizes {
  std::uint64_t command = 864;
  std::uint64_t completion = 384;
  std::uint64_t interrupt = 256;
  std::uint64_t reap = 128;
  std::uint64_t task_switch = 128;
  std::uint64_t submit = 256;
  std::uint64_t array = 64;
  std::uint64_t hash = 192;
  std::uint64_t tree_level = 64;
  std::uint64_t list_element = 32;

  /// By operation.
  [[nodiscard]] std::array<std::uint64_t, cpu_operations> table() const;
  void describe(ParameterVisitor& visitor);
};

struct CpuConfig {
  Hertz clock{500'000'000};
  std::uint32_t cores = 1;
  CpuCosts costs;
  CodeSizes code;
  Picoseconds interrupt_latency{500'000};  // 0.5 us: vectored interrupt into a running firmware scheduler
  InterruptLineConfig host_interrupt;
  InterruptLineConfig disk_interrupt;
  InterruptLineConfig flash_interrupt;
  InterruptLineConfig timer_interrupt;
  TcmConfig tcm;
  CacheConfig data_cache;
  CacheConfig code_cache;
  /// Firmware runs on a processor of its own: it takes interrupts and entries of rings there, and pays for them there. No parameter.
  bool served_elsewhere = false;

  [[nodiscard]] const InterruptLineConfig& line(InterruptLine line) const;
  void describe(ParameterVisitor& visitor);
};

}  // namespace tessera
