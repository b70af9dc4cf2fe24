// What a flash cache over shingled bands lets one choose, and what it asks of a drive.
#include "firmware/flash/flash_cache_layer.hpp"

namespace tessera {

void FlashCacheConfig::describe_cache(ParameterVisitor& v) {
  describe_bands(v);
  map.describe(v);
  v.field("parallel", parallel, {1, 256}, "blocks that are filled side by side; consecutive blocks lie on different dies");
  v.enumeration("free_list", free_list, {"fifo", "lifo", "lowest"}, "order in which free blocks are handed out");
  v.field("paper", paper, "as published: merges are in place, and no watermark is logged");
  v.unused_where(paper, "paper is true", [&] {
    v.field("crash_safe", crash_safe, "merge into a spare band and log a watermark before the first erase; off: rewrite bands in place");
  });
  describe_merging(v);
}

FormatPlan FlashCacheConfig::plan(const DriveGeometry& geometry, std::string& problem) const {
  problem = map.problem(geometry.sector_bytes);
  if (!problem.empty()) return {};
  const std::uint64_t most_sectors = bands != 0 ? bands * band_sectors : geometry.physical_sectors();
  return plan_cached_bands(*this, geometry, map.stored_sectors(most_sectors, geometry.sector_bytes), problem);
}

std::string FlashCacheConfig::check_flash(const std::string& layer, const FlashShape& shape, std::uint64_t least) const {
  if (OobCodec::header_size > shape.subpage_oob_bytes())
    return "the tag of a cached page takes " + std::to_string(OobCodec::header_size) + " bytes of the out-of-band area; " +
           out_of_band_room(shape);
  if (shape.all_subpages() >= OobCodec::no_page - 1)
    return "page numbers of 4 bytes cannot name " + std::to_string(shape.all_subpages()) + " sectors in flash";
  if (std::string unfit = checkpoint.problem(shape); !unfit.empty()) return unfit;
  if (shape.blocks >= least) return {};
  return layer + " needs at least " + std::to_string(least) + " flash blocks; there are " + std::to_string(shape.blocks);
}

}  // namespace tessera
