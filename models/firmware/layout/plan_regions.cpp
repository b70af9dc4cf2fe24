#include "firmware/layout/plan_regions.hpp"

#include <algorithm>

namespace tessera {

FormatPlan regions_named(const FormatPlan& plan, std::string_view name) {
  FormatPlan named;
  for (const Region& region : plan) {
    if (region.name == name || region.name.starts_with(std::string(name) + "_")) named.push_back(region);
  }
  return named;
}

std::uint64_t sectors_in(const FormatPlan& regions, const DriveGeometry& geometry) {
  std::uint64_t sectors = 0;
  for (const Region& region : regions)
    sectors += region.count * geometry.zone_of(static_cast<std::uint32_t>(region.first)).radius_sectors(0, geometry.surfaces);
  return sectors;
}

std::uint64_t radii_holding(const DriveGeometry& geometry, std::uint32_t radius, std::uint64_t sectors) {
  const std::uint64_t at_radius = geometry.zone_of(radius).radius_sectors(0, geometry.surfaces);
  return (sectors + at_radius - 1) / at_radius + 1;
}

std::uint32_t longest_track(const DriveGeometry& geometry) {
  std::uint32_t longest = 0;
  for (const GeometryZone& zone : geometry.zones) longest = std::max(longest, zone.sectors_per_track);
  return longest;
}

std::uint32_t radii_for(const DriveGeometry& geometry, std::uint64_t sectors) {
  std::uint32_t shortest = geometry.zones.front().fewest_sectors();
  for (const GeometryZone& zone : geometry.zones) shortest = std::min(shortest, zone.fewest_sectors());
  const std::uint64_t a_radius = std::uint64_t{shortest} * geometry.surfaces;
  return static_cast<std::uint32_t>((sectors + a_radius - 1) / a_radius);
}

DriveGeometry without_outermost(DriveGeometry geometry, std::uint32_t radii) {
  while (!geometry.zones.empty() && geometry.zones.front().radii <= radii) {
    radii -= geometry.zones.front().radii;
    geometry.zones.erase(geometry.zones.begin());
  }
  if (!geometry.zones.empty()) {
    geometry.zones.front().first_radius += radii;
    geometry.zones.front().radii -= radii;
  }
  return geometry;
}

std::uint32_t outermost_radii_for(const DriveGeometry& geometry, std::uint64_t sectors) {
  std::uint32_t radii = 0;
  for (const GeometryZone& zone : geometry.zones) {
    const std::uint64_t a_radius = zone.radius_sectors(0, geometry.surfaces);
    const std::uint64_t needed = (sectors + a_radius - 1) / a_radius;
    if (needed <= zone.radii) return radii + static_cast<std::uint32_t>(needed);
    radii += zone.radii;
    sectors -= zone.radii * a_radius;
  }
  return radii + 1;
}

FormatPlan plan_around(std::uint64_t radii, const Region& data, const FormatPlan& reserved, ReservedPlace place) {
  std::uint64_t taken = 0;
  for (const Region& region : reserved) taken += region.count;
  if (taken >= radii) return {};

  const std::uint64_t left = radii - taken;
  // An even number of data radii in front keeps bottoms on even radii in front and whole pairs behind.
  const std::uint64_t in_front = taken == 0 || place == ReservedPlace::inner ? left : place == ReservedPlace::outer ? 0 : left / 4 * 2;
  FormatPlan plan;
  std::uint64_t next = 0;
  const auto append = [&](Region region, std::uint64_t count) {
    if (count == 0) return;
    region.first = next;
    region.count = count;
    next += count;
    plan.push_back(std::move(region));
  };
  Region outer = data;
  Region inner = data;
  if (in_front != 0 && in_front != left) {
    outer.name += "_outer";
    inner.name += "_inner";
  }
  append(outer, in_front);
  for (const Region& region : reserved) append(region, region.count);
  append(inner, left - in_front);
  return plan;
}

}  // namespace tessera
