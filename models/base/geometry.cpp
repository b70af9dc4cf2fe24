#include "base/geometry.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera {

const GeometryZone& DriveGeometry::zone_of(std::uint32_t radius) const {
  const auto after =
      std::upper_bound(zones.begin(), zones.end(), radius, [](std::uint32_t r, const GeometryZone& zone) { return r < zone.first_radius; });
  TESSERA_CHECK(after != zones.begin() && radius < radii(), "a radius lies outside the geometry");
  return *std::prev(after);
}

std::uint64_t DriveGeometry::physical_sectors() const {
  std::uint64_t sum = 0;
  for (const GeometryZone& zone : zones) sum += std::uint64_t{zone.radii} * surfaces * zone.sectors_per_track;
  return sum;
}

}  // namespace tessera
