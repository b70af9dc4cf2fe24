#pragma once
// The parameters that all layers with a conventional buffer in front of zones share. Defaults are those of the Amphisbaena
// paper (section 6.1); what it leaves open is marked.
#include <algorithm>
#include <cstdint>

#include "base/parameter.hpp"
#include "base/units.hpp"
#include "firmware/tables/sector_map.hpp"

namespace tessera {

struct ZoneConfig {
  Bytes zone{std::uint64_t{256} << 20};
  std::uint64_t zones = 0;
  std::uint32_t head_width = 2;   // ours
  std::uint32_t spare_zones = 1;  // ours: where a zone is rewritten before its old place is given up
  Bytes buffer{0};                // "1% of the maximum access range of the trace": to be set with the trace
  Bytes merge_buffer{0};
  std::uint32_t log_radii = 4;     // ours
  std::uint32_t hole_maps = 1024;  // ours: a bitmap for every zone of a drive would not fit its DRAM
  SectorMapConfig map{MapKind::hash};
  bool paper = false;
  bool crash_safe = true;

  /// Zones are rewritten where they lie, as in the paper: a power cut in the middle of it loses the zone.
  [[nodiscard]] bool in_place() const { return paper || !crash_safe; }
  [[nodiscard]] std::uint32_t spares() const { return in_place() ? 0 : spare_zones; }
  [[nodiscard]] std::uint32_t zone_sectors(std::uint32_t sector_bytes) const {
    return static_cast<std::uint32_t>(zone.value() / sector_bytes);
  }
  /// Sectors of one round of a write-back.
  [[nodiscard]] std::uint32_t round_sectors(std::uint32_t sector_bytes) const {
    const std::uint64_t whole = merge_buffer.value() / sector_bytes;
    return whole == 0 ? zone_sectors(sector_bytes) : static_cast<std::uint32_t>(std::min<std::uint64_t>(whole, zone_sectors(sector_bytes)));
  }

  void describe(ParameterVisitor& v) {
    v.field("zone", zone, {512, 68e9}, "size of a shingled zone");
    v.field("zones", zones, {0, 4e9}, "zones of user data; 0: as many as fit the drive");
    v.field("head_width", head_width, {2, 16}, "W: tracks that the write head covers; a zone ends with W-1 guard tracks");
    v.unused_where(in_place(), "zones are rewritten in place (paper, crash_safe)", [&] {
      v.field("spare_zones", spare_zones, {1, 1024}, "zones kept for read-modify-writes when crash_safe is on");
    });
    v.field("buffer", buffer, {0, 1e15}, "conventional buffer in front of the zones; 0: 1 % of the user capacity");
    v.field("merge_buffer", merge_buffer, {0, 1e12}, "DRAM for writing back: zone/buffer rounds; 0: a whole zone");
    v.unused_where(in_place(), "zones are rewritten in place (paper, crash_safe)", [&] {
      v.field("log_radii", log_radii, {1, 65536}, "conventional tracks a surface, amid the zones, for the log of the zones' states");
    });
    v.field("hole_maps", hole_maps, {0, 4e9}, "bitmaps of zones with padding; in a zone without one, padding counts as data");
    map.describe(v);
    v.field("paper", paper, "as published: zones are rewritten in place, and nothing is logged");
    v.unused_where(paper, "paper is true", [&] {
      v.field("crash_safe", crash_safe, "rewrite a zone into a spare one and log it before the buffer is freed; off: in place");
    });
  }
};

}  // namespace tessera
