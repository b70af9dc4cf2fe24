#include "firmware/tables/paged_sector_map.hpp"
#include "firmware/tables/sector_map.hpp"

namespace tessera {

void SectorMapConfig::describe(ParameterVisitor& v) {
  v.enumeration("map", kind, {"array", "hash", "paged"},
                "sector map: an array over all sectors, a hash of the cached ones, or an array in pages on disk with some of them in DRAM");
  v.unused_where(kind != MapKind::paged, "map is not paged", [&] {
    v.field("map_cache", cache, {0, 1e12}, "DRAM for map pages (map = paged)");
  });
}

std::uint64_t SectorMapConfig::stored_sectors(std::uint64_t user_sectors, std::uint32_t sector_bytes) const {
  if (kind != MapKind::paged) return 0;
  const std::uint32_t entries = sector_bytes / sizeof(std::uint32_t);
  return PagedSectorMap::copies * ((user_sectors + entries - 1) / entries);
}

std::string SectorMapConfig::problem(std::uint32_t sector_bytes) const {
  if (kind != MapKind::paged || cache.value() >= sector_bytes) return {};
  return "map_cache of " + std::to_string(cache.value()) + " bytes holds no map page of " + std::to_string(sector_bytes) +
         " bytes (a larger map_cache, or map = hash)";
}

}  // namespace tessera
