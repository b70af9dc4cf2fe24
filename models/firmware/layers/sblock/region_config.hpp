#pragma once
// The parameters of the regions of S-blocks. Defaults are those of the HWSR paper (sections III and IV); what it leaves open is marked.
#include <cstdint>

#include "base/parameter.hpp"

namespace tessera::sblock {

/// How far a collection goes that has to make room: the paper says neither when it starts nor when it ends.
enum class Collection : std::uint32_t {
  incremental,  ///< until the write has its slots
  whole_log     ///< once round the log: whatever is live lies together afterwards, and all dead slots are won at once
};

struct RegionConfig {
  std::uint32_t region_tracks = 20;  // S_reg: "a segment has 20 tracks"
  std::uint32_t overlap = 8;         // kappa of section III-B
  double spare = 0.1;                // beta of figure 13
  std::uint32_t spare_slots = 0;
  Collection collection = Collection::incremental;
  std::uint64_t regions = 0;
  std::uint32_t log_radii = 4;  // ours
  // ours: behind a checkpoint each region is noted again, 12 ms; it takes 9 ms of a boot where it was written. docs/reliability.md has the
  // trade
  std::uint64_t checkpoint_every = 1024;
  bool checkpoint = true;  // ours: the paper says nothing of power cuts; set by the layer's crash_safe

  /// `checkpoints`: whether the table has any, with what the layer says of crash_safe.
  void describe(ParameterVisitor& v, bool checkpoints) {
    v.field("region_tracks", region_tracks, {1, 65536}, "S_reg: tracks of a region, its guards not counted");
    v.field("overlap", overlap, {2, 64}, "kappa: tracks that the write head covers; as wide are the internal guard and the one at the end");
    v.unused_where(spare_slots != 0, "spare_slots is not 0", [&] {
      v.field("spare", spare, {0, 0.9}, "beta: share of a region's S-blocks kept free for cleaning; at least two S-blocks");
    });
    v.field("spare_slots", spare_slots, {0, 65534}, "S-blocks of a region kept free, by number, two or more; 0: by their share, `spare`");
    v.enumeration("collection", collection, {"incremental", "whole_log"},
                  "a region without room is collected until the write fits, or once round its log");
    v.field("regions", regions, {0, 4e9}, "regions of user data; 0: as many as fit the drive");
    v.unused_where(!checkpoints, "there are no checkpoints of the table (paper, crash_safe)", [&] {
      v.field("log_radii", log_radii, {1, 65536}, "conventional tracks a surface, amid the regions, for checkpoints of the table");
      v.field("checkpoint_every", checkpoint_every, {1, 1e12},
              "S-blocks written, by cleaning as well, between two checkpoints of the table");
    });
  }
};

}  // namespace tessera::sblock
