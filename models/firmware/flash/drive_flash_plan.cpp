// Flash in front of a layer: what it asks of a drive, and how its tier for writes is set up.
#include "firmware/caches/drive_flash_config.hpp"
#include "firmware/flash/flash_tier.hpp"
#include "firmware/flash/held_sectors.hpp"
#include "firmware/flash/oob.hpp"

namespace tessera {

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

std::uint64_t DriveFlashConfig::needed_blocks() const {
  return (caches_reads() ? least_blocks : 0) + (caches_writes() ? tiers::FlashTier::least_blocks : 0);
}

std::string DriveFlashConfig::problem(const FlashShape& flash, const DriveGeometry& geometry) const {
  if (!used()) return {};
  const std::uint64_t wanted = blocks(flash);
  const std::string of = "firmware.flash_cache.capacity is " + std::to_string(wanted) + " flash blocks";
  if (wanted > flash.blocks) return of + "; nand.blocks is " + std::to_string(flash.blocks);
  if (wanted < needed_blocks()) {
    const char* const what = !caches_writes() ? "one for reads" : !caches_reads() ? "one for writes" : "one for reads and writes";
    return of + "; " + what + " needs at least " + std::to_string(needed_blocks());
  }
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
  if (dump_tags && geometry.physical_sectors() > tiers::HeldSectors::most_sectors)
    return "the dumped table of flash pages names sectors in 4 bytes, fewer than this drive has: firmware.flash_cache.dump_tags = false "
           "goes without it";
  return {};
}

}  // namespace tessera
