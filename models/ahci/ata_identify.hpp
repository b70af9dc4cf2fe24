#pragma once
// IDENTIFY DEVICE (ACS-3, 7.12), 512 B, with what this drive is.
#include <cstdint>
#include <vector>

#include "ahci/ahci_config.hpp"

namespace tessera::ahci {

inline constexpr std::uint16_t most_trim_blocks = 8;  // of ranges in one DATA SET MANAGEMENT

inline constexpr std::uint32_t most_multiple = 16;  // blocks of a piece of READ and WRITE MULTIPLE

/// What the host sets, as after a power-on.
struct DeviceSettings {
  bool caches_writes = true;
  bool looks_ahead = true;
  std::uint32_t multiple = 0;         ///< blocks of a piece of READ and WRITE MULTIPLE; 0: these are refused
  std::uint8_t transfer_mode = 0x46;  ///< of DMA, as SET FEATURES has it: Ultra DMA 6
};

/// What changes while it runs.
struct DeviceState : DeviceSettings {
  std::uint64_t blocks = 0;
  std::uint32_t generation = 0;  ///< of the link, as it came up
  bool preserves = true;         ///< settings over a COMRESET
  bool smart = true;
};

[[nodiscard]] std::vector<std::byte> identify(const Config& config, const DeviceState& state);

/// Sets the last byte so that all bytes of a page add up to 0.
void put_checksum(std::vector<std::byte>& page);

}  // namespace tessera::ahci
