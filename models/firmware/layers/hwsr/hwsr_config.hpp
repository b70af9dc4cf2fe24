#pragma once
// The parameters of HWSR. Defaults are the paper's section IV; what it leaves open is marked.
#include <cstdint>

#include "firmware/buffer/buffer_config.hpp"
#include "firmware/layout/wave_layout.hpp"

namespace tessera::hwsr {

struct HwsrConfig {
  BufferConfig caches;
  std::uint32_t region_tracks = 20;  // "a segment has 20 tracks"
  std::uint32_t overlap = 8;         // figure 8(a); "typically 4-8"
  WaveVariant layout = WaveVariant::physical;
  std::uint32_t track_sectors = 0;          // S_T of equation 5; the paper's drive has 8192, its disk's tracks fewer
  ReadOrder read_order = ReadOrder::track;  // ours: the paper has no reads of several segments
  double spare = 0.3;                       // beta of figure 8(b)

  [[nodiscard]] WaveShape shape(std::uint32_t sector_bytes) const {
    return {region_tracks, overlap, caches.block_sectors(sector_bytes), layout, track_sectors};
  }

  void describe(ParameterVisitor& v) {
    caches.describe(v);
    v.field("region_tracks", region_tracks, {1, 64}, "T: tracks of a region, and blocks of a segment");
    v.field("overlap", overlap, {1, 64}, "kappa: tracks that the write head covers, and tracks of a guard");
    v.enumeration("layout", layout, {"physical", "paper_linear"},
                  "physical: shingled, guards, no skew; paper_linear: equation 5 on conventional tracks, as the paper emulated it");
    v.field("track_sectors", track_sectors, {0, 1'048'576},
            "S_T of layout = \"paper_linear\": sectors of a track of the layout, a multiple of the block; 0: those of the medium's tracks");
    v.enumeration("read_order", read_order, {"segment", "track"},
                  "how a read of several segments goes: segment: one after the other; track: each track once for all of them");
    v.field("spare", spare, {0, 0.99}, "beta: spare share of the S-block disk that the reported ratio of utilisations compares with");
  }
};

}  // namespace tessera::hwsr
