#include "firmware/layers/tessera/tiers_config.hpp"

#include <algorithm>

#include "firmware/layers/media_cache/media_cache_plan.hpp"

namespace tessera::tiers {

namespace {
constexpr std::uint64_t default_share = 32;              // of the drive: 3 %, as the flash of the drive `common` is
constexpr std::uint64_t most_default_entries = 524'288;  // 21 MiB of DRAM
}  // namespace

void TiersConfig::describe(ParameterVisitor& v) {
  describe_front(v);
  v.field("log", log, {0, 1e15}, "log of packets on conventional tracks; 0: a thirty-second of the drive");
  v.field("map_entries", map_entries, {0, 16'000'000},
          "extents of the log's map at which cleaning begins; 0: one a sector of the log, at most 524,288");
  v.field("packet_writes", packet_writes, {1, 8}, "destages that a packet of the log takes");
  v.field("checkpoint_every", checkpoint_every, {1, 65536}, "destages to the log after which its map is written down");
  v.field("band_tracks", band_tracks, {1, 4096}, "tracks of a band");
  v.field("head_width", head_width, {2, 16}, "W: tracks that the write head covers; a band ends with W-1 guard tracks");
  v.field("merge_buffer", merge_buffer, {4096, 1e10}, "DRAM in which bands are merged: a band takes a phase for each part that fits");
  v.enumeration("merge_to", merge_to, {"place", "spare", "either"},
                "where a merged band is written: back to its place, from its first changed track on, after a copy; to a spare one of its "
                "zone, which becomes its place; or whichever is less to write");
  v.field("merge_tracks", merge_tracks, {1, MediaChain::max_steps},
          "tracks that a merge in the background reads or writes before it lets the host's commands in");
  v.field("bands_a_cleaning", bands_a_cleaning, {1, 1024}, "bands that a cleaning of the log takes");
  v.field("stay_mark", stay_mark, {0, 75},
          "percent of what the log has in use up to which its oldest is written to its head again instead of merged; above, that of "
          "bands that have little there; 0: all is merged");
  v.field("clean_mark", clean_mark, {1, 100},
          "percent of log or map in use above which bands are cleaned between the host's commands, without waiting for it to be idle; "
          "100: never");
  v.field("stream", stream, {0, 1e12}, "adjacent data that goes to a band directly where it destroys nothing; 0: never");
  v.enumeration("idle_cleaning", idle_cleaning, {"off", "on"}, "whether the log is cleaned when the host is idle");
  v.unused_where(idle_cleaning == media_cache::IdleCleaning::off, "idle_cleaning is off", [&] {
    v.field("idle_after", idle_after, {0, 1e17}, "time without host commands after which it is");
    v.field("idle_mark", idle_mark, {0, 100}, "percent of log or map in use at which idle cleaning ends");
  });
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
  config.merge_to = merge_to;
  config.merge_tracks = merge_tracks;
  config.bands_a_cleaning = bands_a_cleaning;
  config.stay_mark = stay_mark;
  config.clean_mark = clean_mark;
  config.stream = stream;
  config.idle_cleaning = idle_cleaning;
  config.idle_after = idle_after;
  config.idle_mark = idle_mark;
  return config;
}

FormatPlan TiersConfig::plan(const DriveGeometry& geometry, std::string& problem) const {
  FormatPlan plan = media_cache::plan_media_cache(bands(geometry), geometry, problem);
  if (problem.empty()) problem = problem_before(plan, geometry);
  return problem.empty() ? plan : FormatPlan{};
}

}  // namespace tessera::tiers
