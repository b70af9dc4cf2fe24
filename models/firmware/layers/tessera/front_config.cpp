#include "firmware/layers/tessera/front_config.hpp"

#include "firmware/flash/flash_tier.hpp"
#include "firmware/flash/held_sectors.hpp"
#include "firmware/flash/oob.hpp"

namespace tessera::tiers {

void FrontConfig::describe_front(ParameterVisitor& v) {
  v.field("buffer", buffer, {0, 68'719'476'736.0}, "write buffer in DRAM that is dumped on power loss; 0: none");
  v.unused_where(!buffered(), "buffer is 0 B", [&] { describe_buffer(v); });
  v.enumeration("flash", flash, {"off", "on"}, "whether what leaves the buffer goes to flash");
  v.unused_where(!uses_flash(), "flash is off", [&] { describe_flash(v); });
}

void FrontConfig::describe_buffer(ParameterVisitor& v) {
  describe_edge_reads(v, edges);
  v.unused_where(edges == EdgeReads::before, "edges is before", [&] {
    v.field("make_way", make_way, "whether reads of the rest of sectors are given up when the host reads, and done later");
  });
  v.field("destage_after", destage_after, {1e6, 1e13}, "time without host commands after which the buffer is emptied below its high mark");
  v.field("trickle_mark", trickle_mark, {0, 100},
          "percent of the buffer dirty above which destages go on in the background, as fast as the flash");
  v.field("high_mark", high_mark, {1, 100}, "percent of the buffer dirty above which destaging begins");
  v.field("low_mark", low_mark, {0, 99}, "percent of the buffer dirty at which such destaging ends");
  v.field("destage_depth", destage_depth, {1, 64}, "destages under way at once");
  v.field("destage_run", destage_run, {4096, 67'108'864.0}, "most adjacent dirty data that one destage takes");
}

void FrontConfig::describe_flash(ParameterVisitor& v) {
  v.field("flash_run", flash_run, {1, 65536}, "sectors of the longest destage that goes to flash");
  v.field("flash_backlog", flash_backlog, {1, 1e6},
          "sectors on their way to flash above which background destages wait, and those of a buffer above its high mark go past it");
  v.field("flash_free", flash_free, {0, 90}, "percent of the flash blocks that evictions in idle time keep free");
  v.enumeration("copy_forward", copy_forward, {"off", "on"},
                "whether what was read since it was written stays in flash when its block is evicted");
  v.field("evict_after", evict_after, {0, 1e17}, "time without host commands after which flash blocks are evicted");
  describe_paired_pages(v, paired_pages);
  v.field("dump_tags", dump_tags,
          "the dump engine saves which sector each flash page holds, so that no older copy is taken for a page that becomes unreadable");
}

WriteCacheConfig FrontConfig::write_buffer() const {
  WriteCacheConfig config;
  config.capacity = buffer;
  config.durability = CacheDurability::plp;
  config.edges = edges;
  config.make_way = make_way;
  config.order = DestageOrder::positioning;
  config.trickle_mark = trickle_mark;
  config.high_mark = high_mark;
  config.low_mark = low_mark;
  config.destage_depth = destage_depth;
  config.largest_destage = destage_run;
  config.idle_after = destage_after;
  return config;
}

FlashTierConfig FrontConfig::flash_tier() const {
  return {flash_run, flash_backlog, flash_free, copy_forward, evict_after, paired_pages, dump_tags};
}

std::string FrontConfig::problem_before(const FormatPlan& plan, const DriveGeometry& geometry) const {
  if (uses_flash() && dump_tags && geometry.physical_sectors() > HeldSectors::most_sectors)
    return "the dumped table of flash pages names sectors in 4 bytes, fewer than this drive has: dump_tags = false goes without it";
  return buffered() ? write_buffer().problem(plan, geometry.sector_bytes) : std::string();
}

std::string FrontConfig::problem_with(const FlashShape& shape) const {
  if (!uses_flash()) return {};
  if (OobCodec::header_size > shape.subpage_oob_bytes())
    return "the tag of a page takes " + std::to_string(OobCodec::header_size) + " bytes of the out-of-band area; " +
           out_of_band_room(shape);
  if (shape.all_subpages() >= OobCodec::no_page - 1)
    return "page numbers of 4 bytes cannot name " + std::to_string(shape.all_subpages()) + " sectors in flash";
  if (shape.blocks >= FlashTier::least_blocks) return {};
  return "the flash tier needs at least " + std::to_string(FlashTier::least_blocks) + " flash blocks; there are " +
         std::to_string(shape.blocks);
}

std::vector<std::string> FrontConfig::warnings_of(const FlashShape& shape) const {
  return uses_flash() ? paired_pages_warnings(shape, paired_pages, false) : std::vector<std::string>{};
}

}  // namespace tessera::tiers
