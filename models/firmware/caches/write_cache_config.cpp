#include "firmware/caches/write_cache.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera {

void describe_edge_reads(ParameterVisitor& visitor, EdgeReads& edges) {
  visitor.enumeration("edges", edges, {"before", "behind"},
                      "when blocks are read that a write leaves out of its first and last sector: before its acknowledgement, or when "
                      "the sector is read or leaves the cache (not with a journal)");
}

void WriteCacheConfig::describe(ParameterVisitor& visitor) {
  visitor.field("capacity", capacity, {0, 68'719'476'736.0}, "DRAM for written data; 0 means no write cache");
  const UnusedWhere without_cache(visitor, capacity.value() == 0, "firmware.write_cache.capacity is 0 B");
  visitor.field("yields", yields,
                "whether the cache gives way to a layer's own write buffer (sblock, hwsr, tessera, tessera-imr), so that no layer has two");
  visitor.enumeration(
      "durability", durability, {"plp", "journal", "volatile"},
      "plp: dumped on power loss; journal: logged on the platters before the acknowledgement; volatile: FLUSH and FUA only");
  visitor.enumeration("order", order, {"elevator", "first_come", "positioning"}, "order of destaging");
  {
    const UnusedWhere with_journal(visitor, durability == CacheDurability::journal, "firmware.write_cache.durability is journal");
    describe_edge_reads(visitor, edges);
  }
  visitor.field("high_mark", high_mark, {1, 100}, "percent of the capacity dirty above which destaging begins");
  visitor.field("low_mark", low_mark, {0, 99}, "percent of the capacity dirty at which such destaging ends");
  {
    const UnusedWhere in_other_order(visitor, order != DestageOrder::positioning, "firmware.write_cache.order is not positioning");
    visitor.field("destage_depth", destage_depth, {1, 4096}, "writes under way at once when the order is positioning");
  }
  visitor.field("largest_destage", largest_destage, {4096, 67'108'864.0}, "most adjacent dirty data that one write takes");
  visitor.field("idle_after", idle_after, {1e6, 1e13}, "time without host commands after which destaging begins below the high mark");
}

std::string WriteCacheConfig::problem(const FormatPlan& plan, std::uint32_t sector_bytes) const {
  if (capacity.value() == 0) return {};
  if (capacity.value() / sector_bytes < 2) return "write_cache.capacity must hold two sectors or more";
  if (low_mark >= high_mark) return "write_cache.low_mark must be below write_cache.high_mark";
  if (durability == CacheDurability::journal && regions_named(plan, "journal").empty())
    return "write_cache.durability = \"journal\" needs a journal region on the platters: set the layer's journal_tracks";
  return {};
}

}  // namespace tessera
