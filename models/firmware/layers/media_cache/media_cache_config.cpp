#include "firmware/layers/media_cache/media_cache_config.hpp"

#include <algorithm>

namespace tessera::media_cache {

namespace {
constexpr std::uint64_t default_share = 100;             // of the drive: 1 %, as other layers' buffers
constexpr std::uint32_t most_default_entries = 181'000;  // of the ST8000AS0002
}  // namespace

void MediaCacheConfig::describe(ParameterVisitor& v) {
  v.field("cache", cache, {0, 1e15}, "persistent cache on the platters, a circular log; 0: 1 % of the drive");
  v.enumeration("cache_place", cache_place, {"inner", "middle", "outer"}, "where log, merge area and checkpoints lie");
  v.field("map_entries", map_entries, {0, 16'000'000},
          "extents of the map at which cleaning begins; 0: one a sector of the log, at most 181,000");
  v.field("packet", packet, {512, 16'777'216}, "longest write that one packet of the log takes");
  v.field("packet_writes", packet_writes, {1, 8}, "writes that a packet takes from the write cache, as far as they fit it");
  v.field("least_packet", least_packet, {0, 16'777'216},
          "what a packet takes of the log at least where its write did not come from the write cache");
  v.field(
      "synced_share", synced_share, {0, 16'777'216},
      "what such a write takes of the log beyond its own length, whatever that is; none goes to a band directly then; 0: no difference");
  v.field("verify_packets", verify_packets, "such a packet is read back before its write is complete");
  v.field("checkpoint_every", checkpoint_every, {1, 65536}, "writes to the log, of whatever size, after which the map is written down");
  v.field("checkpoint_shares", checkpoint_shares,
          "whether a write that may share a packet counts as its share of one, even where it has a packet to itself");
  v.field("checkpoint_piece", checkpoint_piece, {0, 1e9}, "most of the map that one write takes, a turn each; 0: a track");
  v.field("band_tracks", band_tracks, {1, 4096}, "tracks of a band");
  v.field("head_width", head_width, {2, 16}, "W: tracks that the write head covers; a band ends with W-1 guard tracks");
  v.field("merge_buffer", merge_buffer, {4096, 1e10}, "DRAM in which bands are merged: a band takes a phase for each part that fits");
  if (!with_zones) {
    v.enumeration("merge_to", merge_to, {"place", "spare", "either"},
                  "where a merged band is written: back to its place, from its first changed track on, after a copy; to a spare one of its "
                  "zone, which becomes its place; or whichever is less to write");
  }
  v.field("merge_tracks", merge_tracks, {1, MediaChain::max_steps},
          "tracks that a merge in the background reads or writes before it lets the host's commands in");
  v.field("merge_step", merge_step, {0, 1e13},
          "work of a merge after which the host's commands get in and room is given to the host for what the merge wins in that time; "
          "0: a merge is one piece");
  v.enumeration("collect_order", collect_order, {"log", "band"},
                "order in which a merge reads a band's extents: as they lie in the log, or by address, each on its own");
  v.field("bands_a_cleaning", bands_a_cleaning, {1, 1024}, "bands that a cleaning of the log takes");
  v.field(
      "stay_mark", stay_mark, {0, 75},
      "percent of what the log has in use up to which dead data inside it is reclaimed: its oldest live data is written to its head again "
      "instead of merged; 0: never");
  if (!with_zones)
    v.field("stream", stream, {0, 1e12},
            "adjacent data in the write cache that goes to a band directly where it destroys nothing; 0: never");
  v.enumeration("idle_cleaning", idle_cleaning, {"off", "on"}, "whether the log is cleaned when the host is idle");
  v.unused_where(idle_cleaning == IdleCleaning::off, "idle_cleaning is off", [&] {
    v.field("idle_after", idle_after, {0, 1e17}, "time without host commands after which it is");
    v.field("idle_period", idle_period, {0, 1e16}, "least time from the beginning of one idle cleaning to the next");
    v.field("idle_mark", idle_mark, {0, 100}, "percent of map or log in use at which idle cleaning ends");
  });
}

std::uint32_t MediaCacheConfig::sectors_of(Bytes size, std::uint32_t sector_bytes) {
  return static_cast<std::uint32_t>(std::max<std::uint64_t>(1, size.value() / sector_bytes));
}

std::uint64_t MediaCacheConfig::log_sectors(const DriveGeometry& geometry) const {
  return cache.value() != 0 ? cache.value() / geometry.sector_bytes : geometry.physical_sectors() / default_share;
}

std::uint32_t MediaCacheConfig::reserve(const DriveGeometry& geometry) const {
  return stepwise() ? band_tracks * longest_track(geometry) : 0;
}

std::uint32_t MediaCacheConfig::map_limit(const DriveGeometry& geometry) const {
  if (map_entries != 0) return map_entries;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(log_sectors(geometry), 1, most_default_entries));
}

}  // namespace tessera::media_cache
