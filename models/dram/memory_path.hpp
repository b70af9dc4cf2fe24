#pragma once
// From CPU and DMA engines over the bus to the DRAM without sockets: calls between our own parts, for a drive on which nobody else's part
// and no protocol checker stands on the way. The times are those of the payloads that cross the sockets (BusModule::to_memory(),
// DramModule::b_transport()); tests/python/test_protocol.py demands the same results both ways from every layer.
#include <algorithm>
#include <span>

#include "bus/interconnect.hpp"
#include "dram/dram_device.hpp"
#include "dram/table_access.hpp"

namespace tessera {

/// A DRAM that can fail is not on it: its errors come back in payloads.
class MemoryPath {
 public:
  MemoryPath() = default;
  MemoryPath(Interconnect& bus, DramDevice& dram) : bus_(&bus), dram_(&dram) {}

  [[nodiscard]] bool open() const { return dram_ != nullptr; }

  /// A single access crosses the bus first.
  Picoseconds access(DramAddress address, std::uint32_t bytes, Access access, Picoseconds at) const {
    return dram_->access(address, bytes, access, bus_->access(Bytes(bytes), at));
  }

  /// A run of single accesses during which nobody else gets at bus or DRAM: gives what they take together.
  [[nodiscard]] Picoseconds access(std::span<const TableAccess> run) const;

  /// Bus and DRAM work side by side: an extent ends when both have moved all of it.
  [[nodiscard]] DmaGrant dma(const DmaTransfer& transfer, Picoseconds at) const {
    const DmaGrant over = bus_->transfer(transfer, at);
    const DmaGrant moved = dram_->dma(transfer, at);
    return {std::max(over.end, moved.end), std::max(over.behind, moved.behind)};
  }

 private:
  Interconnect* bus_ = nullptr;
  DramDevice* dram_ = nullptr;
};

}  // namespace tessera
