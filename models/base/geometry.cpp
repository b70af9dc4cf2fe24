#include "base/geometry.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera {

std::uint32_t GeometryZone::fewest_sectors() const {
  return surface_sectors.empty() ? sectors_per_track : *std::ranges::min_element(surface_sectors);
}

std::uint64_t GeometryZone::radius_sectors(std::uint32_t first, std::uint32_t surfaces) const {
  if (surface_sectors.empty()) return std::uint64_t{surfaces} * sectors_per_track;
  std::uint64_t sum = 0;
  for (std::uint32_t surface = first; surface < first + surfaces; ++surface) sum += surface_sectors[surface];
  return sum;
}

const GeometryZone& DriveGeometry::zone_of(std::uint32_t radius) const {
  const auto after =
      std::upper_bound(zones.begin(), zones.end(), radius, [](std::uint32_t r, const GeometryZone& zone) { return r < zone.first_radius; });
  TESSERA_CHECK(after != zones.begin() && radius < radii(), "a radius lies outside the geometry");
  return *std::prev(after);
}

std::uint64_t DriveGeometry::physical_sectors() const {
  std::uint64_t sum = 0;
  for (const GeometryZone& zone : zones) sum += zone.radii * zone.radius_sectors(0, surfaces);
  return sum;
}

}  // namespace tessera
