#include "firmware/caches/drive_flash_config.hpp"

#include "firmware/flash/flash_tier.hpp"
#include "firmware/flash/held_sectors.hpp"
#include "firmware/flash/oob.hpp"

namespace tessera {

void DriveFlashConfig::describe(ParameterVisitor& visitor) {
  visitor.field("capacity", capacity, {0, 1.1e12}, "flash in front of the layer, in whole blocks; 0 means no flash cache");
  const UnusedWhere without_cache(visitor, capacity.value() == 0, "firmware.flash_cache.capacity is 0 B");
  visitor.enumeration(
      "use", use, {"reads", "writes", "both"},
      "reads: what the host reads again is read from flash; writes: a persistent cache, in front of layers that use no flash "
      "themselves; both: each has its part");
  visitor.unused_where(use != FlashCacheUse::both, "firmware.flash_cache.use is not both", [&] {
    visitor.field("write_share", write_share, {1, 99}, "percent of the cache's blocks that hold writes");
  });
  visitor.unused_where(use == FlashCacheUse::writes, "firmware.flash_cache.use is writes", [&] { describe_reads(visitor); });
  visitor.unused_where(use == FlashCacheUse::reads, "firmware.flash_cache.use is reads", [&] { describe_writes(visitor); });
}

void DriveFlashConfig::describe_reads(ParameterVisitor& visitor) {
  visitor.enumeration(
      "admit", admit, {"second_read", "every_read"},
      "sectors that go to flash when they were read from the platters: those that were read from there not long ago, or all");
  visitor.unused_where(admit == FlashAdmission::every_read, "firmware.flash_cache.admit is every_read", [&] {
    visitor.field("history", history, {1, 1000},
                  "sectors read from the platters last that are remembered, in percent of those that the cache can hold");
  });
  visitor.field("largest_read", largest_read, {512, 67'108'864.0},
                "longest read of which sectors go to flash; longer ones leave it as it is");
  visitor.field("parallel", parallel, {1, 64}, "flash blocks that are filled side by side; consecutive blocks lie on different dies");
}

void DriveFlashConfig::describe_writes(ParameterVisitor& visitor) {
  visitor.field("largest_write", largest_write, {512, 67'108'864.0}, "longest write that goes to flash; longer ones go to the platters");
  visitor.field("free_share", free_share, {0, 90}, "percent of the blocks for writes that evictions in idle time keep free");
  visitor.field("evict_after", evict_after, {0, 1e17}, "time without host commands after which such blocks are evicted");
  visitor.field("dump_tags", dump_tags,
                "the dump engine saves which sector each page holds, so that no older copy is taken for a page that becomes unreadable");
  describe_paired_pages(visitor, paired_pages);
}

tiers::FlashTierConfig DriveFlashConfig::write_tier(std::uint32_t sector_bytes) const {
  constexpr std::uint32_t backlog = 8;  // as the layer `tessera`: 10 ms of one die of the papers' flash
  return {static_cast<std::uint32_t>(largest_write.value() / sector_bytes),
          backlog,
          free_share,
          tiers::CopyForward::on,
          evict_after,
          paired_pages,
          dump_tags};
}

std::string DriveFlashConfig::problem(const FlashShape& flash, const DriveGeometry& geometry) const {
  if (!used()) return {};
  const std::uint64_t wanted = blocks(flash);
  const std::string of = "firmware.flash_cache.capacity is " + std::to_string(wanted) + " flash blocks";
  if (wanted > flash.blocks) return of + "; nand.blocks is " + std::to_string(flash.blocks);
  if (caches_reads() && read_blocks(flash) < least_blocks)
    return of + ", " + std::to_string(read_blocks(flash)) + " for reads; a flash read cache needs at least " + std::to_string(least_blocks);
  const std::uint64_t sectors = wanted * flash.block_subpages();
  constexpr std::uint64_t most_sectors = std::uint64_t{1} << 31;
  if (sectors >= most_sectors)
    return of + ", " + std::to_string(sectors) + " sectors; its table names fewer than " + std::to_string(most_sectors);
  return caches_writes() ? write_problem(flash, geometry) : std::string();
}

std::string DriveFlashConfig::write_problem(const FlashShape& flash, const DriveGeometry& geometry) const {
  if (OobCodec::header_size > flash.subpage_oob_bytes())
    return "the tag of a page of the flash cache takes " + std::to_string(OobCodec::header_size) + " bytes of the out-of-band area; " +
           out_of_band_room(flash);
  if (write_blocks(flash) < tiers::FlashTier::least_blocks)
    return "firmware.flash_cache has " + std::to_string(write_blocks(flash)) + " flash blocks for writes; it needs at least " +
           std::to_string(tiers::FlashTier::least_blocks);
  if (dump_tags && geometry.physical_sectors() > tiers::HeldSectors::most_sectors)
    return "the dumped table of flash pages names sectors in 4 bytes, fewer than this drive has: firmware.flash_cache.dump_tags = false "
           "goes without it";
  return {};
}

}  // namespace tessera
