#pragma once
// Parameters of the host interface.
#include <string>
#include <vector>

#include "base/parameter.hpp"
#include "host/frame_config.hpp"

namespace tessera {

enum class WriteData : std::uint32_t {
  with_command,  ///< follows the command: the firmware sees it when all of it is there
  on_request     ///< crosses the link once the drive has taken the command, while the arm may already move
};

enum class LinkProtocol : std::uint32_t {
  ideal,  ///< a fixed cost for command and status, and the data at the link's rate
  sata,   ///< Serial ATA with native command queueing
  sas     ///< serial attached SCSI
};

struct HostConfig {
  LinkProtocol link = LinkProtocol::ideal;
  BytesPerSecond link_rate{600'000'000};  // SATA 3: 6 Gbit/s less 8b/10b coding
  BytesPerSecond write_rate;              // 0: link_rate; slower on old buses, as it was published of them
  std::uint32_t tags = 32;                // native command queueing
  Bytes buffer{std::uint64_t{16} << 20};
  Bytes window;                                // 0: all of the buffer
  Picoseconds command_overhead{1'000'000};     // 1 us: command and set-up frames with their turn-arounds
  Picoseconds completion_overhead{1'000'000};  // 1 us: status frame
  Picoseconds turnaround{133'333};             // 20 dwords at 6 Gbit/s: as long as Serial ATA lets a side take to answer HOLD
  FrameConfig frames;
  WriteData write_data = WriteData::with_command;
  Picoseconds write_data_delay;
  bool stream_reads = false;
  double read_water_mark = 0;
  std::uint32_t read_lag = 0;            // blocks
  Picoseconds read_completion_overhead;  // of old drives for which it was published, as a write's
  Picoseconds write_completion_overhead;

  Picoseconds timeout{120 * ps_per_second};  // four times the 30 s after which Linux gives a SCSI command up (sd.h, SD_TIMEOUT)

  // Faults of the link, and what the host does about a drive that does not answer.
  std::uint32_t crc_errors_per_million = 0;
  std::vector<NumberRow> crc_errors;    ///< frame from 1, failures
  std::vector<NumberRow> link_outages;  ///< ms since power-on, ms
  Picoseconds command_timeout;
  Picoseconds abort_timeout{10 * ps_per_second};  // as Linux has it (scsi_host.h, SCSI_DEFAULT_EH_TIMEOUT)
  Picoseconds retry_delay{3'000'000'000};         // 3 ms, as Linux waits before it sends a command anew (scsi_lib.c, SCSI_QUEUE_DELAY)
  std::uint32_t command_retries = 5;              // as Linux does (sd.h, SD_MAX_RETRIES)

  void describe(ParameterVisitor& visitor);

  /// What one command may hold of the buffer, in whole sectors.
  [[nodiscard]] Bytes window_of(Bytes sector) const;
  /// A sentence why no drive has this link, or nothing.
  [[nodiscard]] std::string problem() const;
};

}  // namespace tessera
