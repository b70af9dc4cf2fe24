#pragma once
// The parameters of the layer `host-aware`: zones over a media cache. Defaults are those of the ST8000AS0022 where a source says them; what
// is ours is marked.
#include <cstdint>
#include <string>

#include "firmware/layers/media_cache/media_cache_config.hpp"

namespace tessera::host_aware {

struct HostAwareConfig {
  HostAwareConfig() { cache.with_zones = true; }

  Bytes zone{std::uint64_t{256} << 20};  // 2^19 blocks of 512 B, as Linux reports of an ST8000AS0022
  std::uint32_t zones = 0;
  std::uint32_t conventional_zones = 1;  // ours; 64 on that drive
  std::uint32_t optimal_open = 128;      // ours
  std::uint32_t log_radii = 4;           // ours
  media_cache::MediaCacheConfig cache;

  [[nodiscard]] std::uint32_t zone_sectors(std::uint32_t sector_bytes) const {
    return static_cast<std::uint32_t>(zone.value() / sector_bytes);
  }

  void describe(ParameterVisitor& v) {
    v.field("zone", zone, {512, 68e9}, "size of a zone: a whole number of sectors, and no less than a band");
    v.field("zones", zones, {0, 4e9}, "zones in all, conventional ones included; 0: as many as fit the drive");
    v.field("conventional_zones", conventional_zones, {0, 1 << 20}, "first zones, conventional, on unshingled tracks");
    v.field("optimal_open", optimal_open, {1, 1 << 20},
            "zones that are open at once before the drive closes the one written to the longest time ago; of as many a boot looks for the "
            "write pointer");
    v.field("log_radii", log_radii, {1, 65536}, "conventional tracks a surface for the log of the write pointers");
    cache.describe(v);
  }
};

}  // namespace tessera::host_aware
