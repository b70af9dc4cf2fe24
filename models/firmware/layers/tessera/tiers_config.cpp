#include "firmware/layers/tessera/tiers_config.hpp"

#include <algorithm>

#include "firmware/layers/media_cache/media_cache_plan.hpp"
#include "firmware/layers/tessera/held_sectors.hpp"

namespace tessera::tiers {

namespace {
constexpr std::uint64_t default_share = 32;              // of the drive: 3 %, as the flash of the drive `common` is
constexpr std::uint64_t most_default_entries = 524'288;  // 21 MiB of DRAM
}  // namespace

void TiersConfig::describe(ParameterVisitor& v) {
  v.field("buffer", buffer, {0, 68'719'476'736.0}, "write buffer in DRAM that is dumped on power loss; 0: none");
  describe_edge_reads(v, edges);
  v.field("make_way", make_way, "whether reads of the rest of sectors are given up when the host reads, and done later");
  v.field("destage_after", destage_after, {1e6, 1e13}, "time without host commands after which the buffer is emptied below its high mark");
  v.field("trickle_mark", trickle_mark, {0, 100},
          "percent of the buffer dirty above which destages go on in the background, as fast as the flash");
  v.field("high_mark", high_mark, {1, 100}, "percent of the buffer dirty above which destaging begins");
  v.field("low_mark", low_mark, {0, 99}, "percent of the buffer dirty at which such destaging ends");
  v.field("destage_depth", destage_depth, {1, 64}, "destages under way at once");
  v.field("destage_run", destage_run, {4096, 67'108'864.0}, "most adjacent dirty data that one destage takes");
  v.enumeration("flash", flash, {"off", "on"}, "whether what leaves the buffer goes to flash");
  v.field("flash_run", flash_run, {1, 65536}, "sectors of the longest destage that goes to flash");
  v.field("flash_backlog", flash_backlog, {1, 1e6},
          "sectors on their way to flash above which background destages wait, and those of a buffer above its high mark go to the log");
  v.field("flash_free", flash_free, {0, 90}, "percent of the flash blocks that evictions in idle time keep free");
  v.enumeration("copy_forward", copy_forward, {"off", "on"},
                "whether what was read since it was written stays in flash when its block is evicted");
  v.field("evict_after", evict_after, {0, 1e17}, "time without host commands after which flash blocks are evicted");
  describe_paired_pages(v, paired_pages);
  v.field("dump_tags", dump_tags,
          "the dump engine saves which sector each flash page holds, so that no older copy is taken for a page that becomes unreadable");
  v.field("log", log, {0, 1e15}, "log of packets on conventional tracks; 0: a thirty-second of the drive");
  v.field("map_entries", map_entries, {0, 16'000'000},
          "extents of the log's map at which cleaning begins; 0: one a sector of the log, at most 524,288");
  v.field("packet_writes", packet_writes, {1, 8}, "destages that a packet of the log takes");
  v.field("checkpoint_every", checkpoint_every, {1, 65536}, "destages to the log after which its map is written down");
  v.field("band_tracks", band_tracks, {1, 4096}, "tracks of a band");
  v.field("head_width", head_width, {2, 16}, "W: tracks that the write head covers; a band ends with W-1 guard tracks");
  v.field("merge_buffer", merge_buffer, {4096, 1e10}, "DRAM in which bands are merged: a band takes a phase for each part that fits");
  v.field("bands_a_cleaning", bands_a_cleaning, {1, 1024}, "bands that a cleaning of the log takes");
  v.field("stream", stream, {0, 1e12}, "adjacent data that goes to a band directly where it destroys nothing; 0: never");
  v.enumeration("idle_cleaning", idle_cleaning, {"off", "on"}, "whether the log is cleaned when the host is idle");
  v.field("idle_after", idle_after, {0, 1e17}, "time without host commands after which it is");
  v.field("idle_mark", idle_mark, {0, 100}, "percent of log or map in use at which idle cleaning ends");
}

WriteCacheConfig TiersConfig::write_buffer() const {
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

FlashTierConfig TiersConfig::flash_tier() const {
  return {flash_run, flash_backlog, flash_free, copy_forward, evict_after, paired_pages, dump_tags};
}

media_cache::MediaCacheConfig TiersConfig::bands(const DriveGeometry& geometry) const {
  media_cache::MediaCacheConfig config;
  config.cache = log.value() != 0 ? log : Bytes(geometry.physical_sectors() / default_share * geometry.sector_bytes);
  const std::uint64_t entries = std::clamp<std::uint64_t>(config.log_sectors(geometry), 1, most_default_entries);
  config.map_entries = map_entries != 0 ? map_entries : static_cast<std::uint32_t>(entries);
  config.packet_writes = packet_writes;
  config.checkpoint_every = checkpoint_every;
  config.band_tracks = band_tracks;
  config.head_width = head_width;
  config.merge_buffer = merge_buffer;
  config.bands_a_cleaning = bands_a_cleaning;
  config.stream = stream;
  config.idle_cleaning = idle_cleaning;
  config.idle_after = idle_after;
  config.idle_mark = idle_mark;
  return config;
}

FormatPlan TiersConfig::plan(const DriveGeometry& geometry, std::string& problem) const {
  FormatPlan plan = media_cache::plan_media_cache(bands(geometry), geometry, problem);
  if (uses_flash() && dump_tags && geometry.physical_sectors() > HeldSectors::most_sectors)
    problem = "the dumped table of flash pages names sectors in 4 bytes, fewer than this drive has: dump_tags = false goes without it";
  if (problem.empty() && buffered()) problem = write_buffer().problem(plan, geometry.sector_bytes);
  return problem.empty() ? plan : FormatPlan{};
}

}  // namespace tessera::tiers
