#pragma once
// What an NVMe controller is set up with.
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "bus/host_controller.hpp"

namespace tessera::nvme {

struct Config {
  std::string serial = "TESSERA0001";
  std::string model = "Tessera";
  std::string revision = "0.1";
  std::uint16_t io_queues = 16;         ///< pairs, 1 to 63
  std::uint16_t queue_entries = 1024;   ///< most of a queue, 2 to 65,536 (0 for that)
  std::uint16_t vectors = 17;           ///< of MSI-X; 0: the line
  std::uint8_t transfer_pages = 8;      ///< MDTS: the largest transfer is 2^this memory pages of 4 KiB
  bool volatile_cache = true;           ///< what the drive acknowledges may be lost without a flush
  bool zeros_after_trim = false;        ///< what was trimmed reads as zeros; otherwise as that, or as before
  std::vector<Bytes> namespaces;        ///< sizes, one after another; empty: one of the whole drive
  std::function<DriveHealth()> health;  ///< as of now; none: a drive like new
  std::function<Picoseconds()> now;     ///< simulated time
};

}  // namespace tessera::nvme
