#pragma once
// The parameters of the layer `zoned`. Defaults are those of drives as sold where a source says them; what is ours is marked.
#include <cstdint>

#include "base/parameter.hpp"
#include "base/units.hpp"

namespace tessera::zoned {

struct ZonedConfig {
  Bytes zone{std::uint64_t{256} << 20};  // every zoned disk sold: 2^19 blocks of 512 B
  std::uint32_t zones = 0;
  double conventional = 0.01;          // 1 %: 524 of 52,156 zones (HGST Ultrastar Hs14), 64 of 29,808 would be less (ST8000AS0022)
  std::uint32_t max_open = 128;        // MAXIMUM NUMBER OF OPEN SEQUENTIAL WRITE REQUIRED ZONES, Ultrastar Hs14
  std::uint32_t max_active = 1 << 20;  // ZBC has no such limit
  bool unrestricted_reads = true;      // URSWRZ, as on these drives
  std::uint32_t head_width = 2;        // ours
  std::uint32_t log_radii = 4;         // ours
  std::uint32_t read_only_zones = 0;
  std::uint32_t offline_zones = 0;
  Bytes write_cache;                            // 0: none
  Bytes cache_run{std::uint64_t{4} << 20};      // ours: four streams then come out as on a host-managed disk of 15 TB, 150 MB/s
  std::uint32_t cache_depth = 32;               // ours, as the queue of a link: so do random writes, 160 a second
  Picoseconds cache_idle_after{5'000'000'000};  // as firmware.write_cache.idle_after

  [[nodiscard]] std::uint32_t zone_sectors(std::uint32_t sector_bytes) const {
    return static_cast<std::uint32_t>(zone.value() / sector_bytes);
  }

  void describe(ParameterVisitor& v) {
    v.field("zone", zone, {512, 68e9}, "size of a zone, and of a band: a whole number of sectors");
    v.field("zones", zones, {0, 4e9}, "zones in all, conventional ones included; 0: as many as fit the drive");
    v.field("conventional", conventional, {0, 0.9},
            "share of the zones that are conventional, on unshingled tracks; at least one zone unless 0");
    v.field("max_open", max_open, {1, 1 << 20}, "sequential zones that may be open at once");
    v.field("max_active", max_active, {1, 1 << 20}, "sequential zones that may be open or closed at once");
    v.field("unrestricted_reads", unrestricted_reads,
            "URSWRZ: reads beyond a write pointer bring zeros; off: they are refused, and so are reads across the end of a zone");
    v.field("head_width", head_width, {2, 16}, "W: tracks that the write head covers; a zone ends with W-1 guard tracks");
    v.field("log_radii", log_radii, {1, 65536}, "conventional tracks a surface, amid the zones, for the log of the zones' conditions");
    v.field("read_only_zones", read_only_zones, {0, 1 << 20},
            "last zones but the offline ones, read only from the start: to test hosts with");
    v.field("offline_zones", offline_zones, {0, 1 << 20}, "last zones, offline from the start: to test hosts with");
    v.field("write_cache", write_cache, {0, 68'719'476'736.0},
            "volatile DRAM for writes to sequential zones: only FLUSH and FUA make them durable; 0: writes are on the platters when they "
            "complete");
    const UnusedWhere without_cache(v, write_cache.value() == 0, "layers.zoned.write_cache is 0 B");
    v.field("cache_run", cache_run, {512, 1e9},
            "data of one zone that the write cache gathers before it writes it, and most that it writes while other zones wait");
    v.field("cache_depth", cache_depth, {1, 256}, "zones that the write cache writes at once");
    v.field("cache_idle_after", cache_idle_after, {1e6, 1e13},
            "time without host commands after which the write cache writes whatever it holds");
  }
};

}  // namespace tessera::zoned
