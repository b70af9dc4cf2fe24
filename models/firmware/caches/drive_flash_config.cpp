#include "firmware/caches/drive_flash_config.hpp"

namespace tessera {

void DriveFlashConfig::describe(ParameterVisitor& visitor) {
  visitor.field("capacity", capacity, {0, 1.1e12},
                "flash that caches what the host reads, in whole blocks, the last ones of the flash; 0 means no flash cache");
  const UnusedWhere without_cache(visitor, capacity.value() == 0, "firmware.flash_cache.capacity is 0 B");
  visitor.enumeration(
      "admit", admit, {"second_read", "every_read"},
      "sectors that go to flash when they were read from the platters: those that were read from there not long ago, or all");
  {
    const UnusedWhere without_history(visitor, admit == FlashAdmission::every_read, "firmware.flash_cache.admit is every_read");
    visitor.field("history", history, {1, 1000},
                  "sectors read from the platters last that are remembered, in percent of those that the cache can hold");
  }
  visitor.field("largest_read", largest_read, {512, 67'108'864.0},
                "longest read of which sectors go to flash; longer ones leave it as it is");
  visitor.field("parallel", parallel, {1, 64}, "flash blocks that are filled side by side; consecutive blocks lie on different dies");
}

std::string DriveFlashConfig::problem(const FlashShape& flash) const {
  if (!used()) return {};
  const std::uint64_t wanted = blocks(flash);
  const std::string of = "firmware.flash_cache.capacity is " + std::to_string(wanted) + " flash blocks";
  if (wanted > flash.blocks) return of + "; nand.blocks is " + std::to_string(flash.blocks);
  if (wanted < least_blocks) return of + "; a flash cache needs at least " + std::to_string(least_blocks);
  const std::uint64_t sectors = wanted * flash.block_subpages();
  constexpr std::uint64_t most_sectors = std::uint64_t{1} << 31;
  if (sectors >= most_sectors)
    return of + ", " + std::to_string(sectors) + " sectors; its table names fewer than " + std::to_string(most_sectors);
  return {};
}

}  // namespace tessera
