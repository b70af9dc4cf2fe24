#pragma once
// Parameters of the host interface.
#include "base/parameter.hpp"

namespace tessera {

struct HostConfig {
  BytesPerSecond link_rate{600'000'000};  // SATA 3: 6 Gbit/s less 8b/10b coding
  std::uint32_t tags = 32;                // native command queueing
  Bytes buffer{std::uint64_t{16} << 20};
  Picoseconds command_overhead{1'000'000};     // 1 us: command and set-up frames with their turn-arounds
  Picoseconds completion_overhead{1'000'000};  // 1 us: status frame
  // Old drives whose published overheads differ by what came before; added to command_overhead and completion_overhead.
  Picoseconds read_overhead;
  Picoseconds write_overhead_after_read;
  Picoseconds write_overhead_after_write;
  Picoseconds read_completion_overhead;

  Picoseconds timeout{120 * ps_per_second};  // four times the 30 s after which Linux gives a SCSI command up (sd.h, SD_TIMEOUT)

  void describe(ParameterVisitor& visitor);
};

}  // namespace tessera
