#pragma once
// Parameters of the controller: CPU, interrupts, disk channel, buffers.
#include "base/parameter.hpp"
#include "controller/cpu_config.hpp"

namespace tessera {

/// Order in which the disk channel serves the queued chains.
enum class SchedulingPolicy : std::uint32_t {
  first_come,
  c_look,               ///< one-way elevator by radius
  shortest_seek,        ///< by radial distance; the one distance policy that `expected` timing allows
  shortest_positioning  ///< by seek and rotation together (SPTF)
};

/// Which host reads go before others that wait for the disk.
enum class ReadPriority : std::uint32_t {
  none,          ///< none: one order for all that the host waits for
  over_updates,  ///< before steps of writes that read from the platters first: read-modify-writes
  over_all       ///< before all else: writes, and cleanings that somebody waits for
};

struct ControllerConfig : CpuConfig {
  Picoseconds bus_latency{20'000};  // 20 ns: ten bus cycles at the core clock for decode and posting of a register write
  SchedulingPolicy scheduling = SchedulingPolicy::first_come;
  ReadPriority read_priority = ReadPriority::over_updates;
  std::uint32_t yields_to = 3;                          // measured: docs/layers/imr-rmw.md, "Backup slots"
  Picoseconds age_limit{500'000'000'000};               // 0.5 s, well past any single service time
  std::uint32_t age_interval = 8;                       // as Linux's deadline scheduler: a batch by position before the next by age
  Picoseconds age_pause{};                              // none: the papers' queues count chains alone
  Picoseconds background_age_limit{5'000'000'000'000};  // 5 s: the papers' idle work is starved no longer
  Bytes staging_buffer{std::uint64_t{8} << 20};
  Bytes disk_fifo{std::uint64_t{16} << 10};  // four sectors: what lies between head and bus

  void describe(ParameterVisitor& visitor);
};

}  // namespace tessera
