#include "firmware/layers/imr_dtm/pseudo_tracks.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera::dtm {

namespace {

/// The radii that a region and a zone of the geometry have in common.
struct Radii {
  std::uint32_t first = 0;
  std::uint32_t end = 0;
  [[nodiscard]] bool empty() const { return first >= end; }
};

Radii common(const Region& region, const GeometryZone& zone) {
  return {static_cast<std::uint32_t>(std::max<std::uint64_t>(zone.first_radius, region.first)),
          static_cast<std::uint32_t>(std::min<std::uint64_t>(zone.first_radius + zone.radii, region.first + region.count))};
}

/// Pseudo-tracks are cut from sector 0 of a track on, wherever its numbers begin.
FormatPlan from_sector_0(FormatPlan regions) {
  for (Region& region : regions) region.staggered = false;
  return regions;
}

}  // namespace

PseudoTracks::Lengths PseudoTracks::lengths(const MediaPort& media, const DriveGeometry& geometry, const Region& region,
                                            const GeometryZone& zone) {
  const Radii radii = common(region, zone);
  Lengths longest;
  for (std::uint32_t radius = radii.first; radius < radii.end; ++radius) {
    std::uint32_t& length = (radius - region.first) % 2 == 0 ? longest.bottom : longest.top;
    for (std::uint32_t surface = 0; surface < geometry.surfaces; ++surface) length = std::max(length, media.sectors_on({surface, radius}));
  }
  return longest;
}

/// Pairs of a bottom and a top whose pseudo-tracks a zone can have.
std::uint32_t PseudoTracks::pairs_of_a_zone(const MediaPort& media, const DriveGeometry& geometry, const FormatPlan& regions,
                                            std::uint32_t zone_tracks) {
  std::uint32_t pairs = zone_tracks / 2;
  for (const Region& region : regions) {
    for (const GeometryZone& zone : geometry.zones) {
      const Lengths longest = lengths(media, geometry, region, zone);
      if (longest.bottom == 0 || longest.top == 0) continue;
      const std::uint64_t shorter = std::min(longest.bottom, longest.top);
      pairs = std::min(pairs, static_cast<std::uint32_t>(zone_tracks * shorter / (longest.bottom + longest.top)));
    }
  }
  return std::max<std::uint32_t>(pairs, 1);
}

PseudoTracks::PseudoTracks(const MediaPort& media, const DriveGeometry& geometry, const FormatPlan& regions, std::uint32_t zone_tracks)
    : order_(geometry, from_sector_0(regions), media, pairs_of_a_zone(media, geometry, regions, zone_tracks), InterlacedOrder::zig_zag) {
  const std::uint32_t pairs = pairs_of_a_zone(media, geometry, regions, zone_tracks);
  for (const Region& region : regions)
    for (const GeometryZone& zone : geometry.zones) add_zones(media, geometry, region, zone, pairs);
}

/// In the order of InterlacedLayout: the groups of radii, of each the surfaces, of each the tracks of its first radius' kind first.
void PseudoTracks::add_zones(const MediaPort& media, const DriveGeometry& geometry, const Region& region, const GeometryZone& zone,
                             std::uint32_t pairs) {
  const Radii radii = common(region, zone);
  if (radii.empty()) return;
  const Lengths longest = lengths(media, geometry, region, zone);
  const std::uint32_t length = longest.top == 0      ? longest.bottom
                               : longest.bottom == 0 ? longest.top
                                                     : std::min(longest.bottom, longest.top);
  const bool bottoms_first = (radii.first - region.first) % 2 == 0;
  std::uint64_t next = end_;
  for (std::uint32_t first = radii.first; first < radii.end; first += 2 * pairs) {
    const std::uint32_t end = std::min(radii.end, first + 2 * pairs);
    for (std::uint32_t surface = 0; surface < geometry.surfaces; ++surface) {
      std::uint64_t leading = 0;
      std::uint64_t trailing = 0;
      for (std::uint32_t radius = first; radius < end; ++radius)
        ((radius - first) % 2 == 0 ? leading : trailing) += media.sectors_on({surface, radius});
      PseudoZone made;
      made.first = next;
      made.base = count();
      made.length = length;
      made.bottoms_at = bottoms_first ? next : next + leading;
      made.tops_at = bottoms_first ? next + leading : next;
      made.bottoms = static_cast<std::uint32_t>((bottoms_first ? leading : trailing) / length);
      made.tops = static_cast<std::uint32_t>((bottoms_first ? trailing : leading) / length);
      TESSERA_CHECK(made.count() <= most, "a zone has more pseudo-tracks than a byte can tell apart");
      next += leading + trailing;
      zones_.push_back(made);
    }
  }
  end_ = next;
}

PseudoTracks::Home PseudoTracks::home_of(PhysicalSector sector) const {
  const std::optional<LogicalSector> at = order_.logical(sector);
  TESSERA_CHECK(at.has_value(), "a sector lies outside the zones");
  const auto after = std::ranges::upper_bound(zones_, at->value(), {}, &PseudoZone::first);
  const PseudoZone& zone = *std::prev(after);
  const bool bottom = zone.bottoms_at < zone.tops_at ? at->value() < zone.tops_at : at->value() >= zone.bottoms_at;
  const std::uint64_t offset = at->value() - (bottom ? zone.bottoms_at : zone.tops_at);
  const auto index = static_cast<std::uint32_t>(offset / zone.length);
  Home home;
  home.zone = static_cast<std::uint32_t>(&zone - zones_.data());
  home.offset = static_cast<std::uint32_t>(offset % zone.length);
  home.rest = zone.length - home.offset;
  if (index < (bottom ? zone.bottoms : zone.tops)) home.pseudo = index + (bottom ? 0 : zone.bottoms);
  return home;
}

PhysicalRun PseudoTracks::piece(std::uint32_t zone, std::uint32_t place, std::uint32_t offset, std::uint32_t count) const {
  const PseudoZone& of = zones_[zone];
  const std::uint64_t start =
      place < of.bottoms ? of.bottoms_at + std::uint64_t{place} * of.length : of.tops_at + std::uint64_t{place - of.bottoms} * of.length;
  return order_.piece({LogicalSector(start + offset), std::min(count, of.length - offset)});
}

std::uint32_t PseudoTracks::zone_of(std::uint64_t pseudo) const {
  const auto after = std::ranges::upper_bound(zones_, pseudo, {}, &PseudoZone::base);
  return static_cast<std::uint32_t>(std::prev(after) - zones_.begin());
}

}  // namespace tessera::dtm
