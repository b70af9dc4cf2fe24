#pragma once
// The DMA engines of disk and flash: what a device moves crosses bus and DRAM, and lies where the firmware's buffer lies.
//
// Host data and the firmware's own sectors have addresses. Headers and out-of-band bytes follow the data of their command in the same
// extent; without data they go through the head of the staging buffer.
#include <cstdint>

#include "base/timeline.hpp"
#include "bus/interconnect.hpp"
#include "controller/device_links.hpp"
#include "controller/memory_controller.hpp"

namespace tessera {

class DmaEngines final : public DmaPort {
 public:
  DmaEngines(Timeline& timeline, MemoryController& memory, const Interconnect& bus) : timeline_(timeline), memory_(memory), bus_(bus) {}

  DmaGrant disk_moved(const MediaStep& step, Picoseconds passing, std::uint32_t arm) override;
  DmaGrant flash_moves(const FlashCommand& command, const FlashLane& lane) override;

 private:
  [[nodiscard]] DmaGrant price(const DmaTransfer& transfer) const;

  Timeline& timeline_;
  MemoryController& memory_;
  const Interconnect& bus_;
};

}  // namespace tessera
