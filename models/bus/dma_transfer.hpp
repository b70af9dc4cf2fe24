#pragma once
// One extent that a DMA engine moves between its device and the DRAM, and what bus and DRAM make of it.
#include <cstdint>

#include "base/address.hpp"
#include "base/units.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera {

/// Who uses the bus. Each flash channel has an engine of its own: `flash`, and the values behind it.
enum class BusInitiator : std::uint32_t { cpu, copy, host, disk, flash };
[[nodiscard]] constexpr BusInitiator flash_engine(std::uint32_t channel) {
  return static_cast<BusInitiator>(static_cast<std::uint32_t>(BusInitiator::flash) + channel);
}

struct DmaTransfer {
  BusInitiator engine = BusInitiator::copy;
  DramAddress address;
  Bytes bytes;
  Access access = Access::read;
  Picoseconds pace{};    ///< the device moves it in no less; 0: as fast as it may
  Picoseconds since{};   ///< for so long the device has been moving it when the transfer is priced
  bool checked = false;  ///< its words are looked at elsewhere (DramLink::move)
};

struct DmaGrant {
  Picoseconds end;
  Bytes behind;  ///< the most that a transfer with a pace was behind it
};

}  // namespace tessera
