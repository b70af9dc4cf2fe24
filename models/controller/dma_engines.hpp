#pragma once
// The DMA engines of disk and flash: what a device moves crosses bus and DRAM, and lies where the firmware's buffer lies.
//
// Host data and the firmware's own sectors have addresses. Headers and out-of-band bytes follow the data of their command in the same
// extent; without data they go through the head of the staging buffer.
#include <cstdint>
#include <vector>

#include "base/timeline.hpp"
#include "bus/interconnect.hpp"
#include "controller/device_links.hpp"
#include "controller/memory_controller.hpp"

namespace tessera {

class DmaEngines final : public DmaPort {
 public:
  DmaEngines(Timeline& timeline, MemoryController& memory, const Interconnect& bus)
      : DmaPort(memory.traffic() != nullptr), timeline_(timeline), memory_(memory), bus_(bus) {}

  DmaGrant disk_moved(const MediaStep& step, Picoseconds passing, std::uint32_t arm) override;
  DmaGrant flash_moves(const FlashCommand& command, const FlashLane& lane) override;
  void disk_starts(const MediaStep& step, Picoseconds from, Picoseconds passing, Bytes ahead, std::uint32_t arm) override;
  void disk_gave_up(std::uint32_t arm) override;
  [[nodiscard]] bool disk_done(std::uint32_t arm, TimelineListener& listener, std::uint64_t argument, Picoseconds earliest) override;
  [[nodiscard]] bool flash_done(const FlashLane& lane, TimelineListener& listener, std::uint64_t argument, Picoseconds earliest) override;
  void withdraw(const TimelineListener& listener) override;

 private:
  [[nodiscard]] DmaGrant price(const DmaTransfer& transfer) const;
  [[nodiscard]] DmaTransfer transfer_of(const MediaStep& step, Picoseconds passing, std::uint32_t arm) const;
  [[nodiscard]] std::uint64_t& last_of(BusInitiator engine);

  Timeline& timeline_;
  MemoryController& memory_;
  const Interconnect& bus_;
  std::vector<std::uint64_t> last_;  // extent that is moved in bursts, by engine; 0: none
};

}  // namespace tessera
