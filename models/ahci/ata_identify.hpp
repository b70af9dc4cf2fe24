#pragma once
// IDENTIFY DEVICE (ACS-3, 7.12), 512 B, with what this drive is.
#include <cstdint>
#include <vector>

#include "ahci/ahci_config.hpp"

namespace tessera::ahci {

inline constexpr std::uint16_t most_trim_blocks = 8;  // of ranges in one DATA SET MANAGEMENT

/// What changes while it runs.
struct DeviceState {
  std::uint64_t blocks = 0;
  bool caches_writes = true;
  bool looks_ahead = true;
  bool smart = true;
};

[[nodiscard]] std::vector<std::byte> identify(const Config& config, const DeviceState& state);

/// Sets the last byte so that all bytes of a page add up to 0.
void put_checksum(std::vector<std::byte>& page);

}  // namespace tessera::ahci
