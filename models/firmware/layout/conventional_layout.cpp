#include "firmware/layout/conventional_layout.hpp"

#include <algorithm>

namespace tessera {

namespace {

/// An arm's share of the sectors that a zone keeps back, by its surfaces.
std::uint64_t spares_of(const GeometryZone& zone, const ArmSurfaces& arm, std::uint32_t surfaces) {
  const auto before = [&](std::uint64_t surface) { return zone.spare_sectors * surface / surfaces; };
  return before(arm.first + arm.count) - before(arm.first);
}

}  // namespace

ConventionalLayout::ConventionalLayout(const DriveGeometry& geometry, const FormatPlan& regions, const MediaPort& media, Reserve reserve) {
  const std::uint64_t most = reserve == Reserve::as_zoned && geometry.exported_sectors != 0 ? geometry.exported_sectors : ~std::uint64_t{0};
  for (const ArmSurfaces& arm : geometry.all_arms()) {
    for (const Region& region : regions) {
      for (const GeometryZone& zone : geometry.zones) {
        const std::uint64_t first = std::max<std::uint64_t>(zone.first_radius, region.first);
        const std::uint64_t end = std::min<std::uint64_t>(zone.first_radius + zone.radii, region.first + region.count);
        if (first < end)
          add_segment(geometry, zone, {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end)}, arm, media, reserve);
      }
    }
    arm_ends_.push_back(std::min(sectors_, most));
  }
  sectors_ = std::min(sectors_, most);
}

void ConventionalLayout::add_segment(const DriveGeometry& geometry, const GeometryZone& zone, Radii radii, const ArmSurfaces& arm,
                                     const MediaPort& media, Reserve reserve) {
  Segment segment;
  segment.first = sectors_;
  segment.first_radius = radii.first;
  segment.radii = radii.end - radii.first;
  segment.first_surface = arm.first;
  segment.surfaces = FixedDivisor(arm.count);
  const std::uint64_t nominal = std::uint64_t{segment.radii} * arm.count * zone.sectors_per_track;
  segment.sectors_per_track = FixedDivisor(zone.sectors_per_track);

  std::uint64_t at = 0;
  for (std::uint32_t radius = radii.first; radius < radii.end; ++radius) {
    for (std::uint32_t surface = arm.first; surface < arm.first + arm.count; ++surface) {
      segment.slips.add(at, zone.sectors_per_track, media.sectors_on({surface, radius}));
      at += zone.sectors_per_track;
    }
  }

  std::uint64_t spare = 0;
  if (reserve == Reserve::as_zoned) {
    if (radii.first == 0 && arm.first == 0) segment.offset += geometry.reserved_sectors;
    if (radii.end == zone.first_radius + zone.radii) spare = spares_of(zone, arm, geometry.surfaces);
  }
  const std::uint64_t good = nominal - segment.slips.missing();
  const std::uint64_t kept_back = std::min(good, segment.offset + spare);
  segment.end = segment.first + (good - kept_back);
  sectors_ = segment.end;
  if (segment.first < segment.end) segments_.push_back(std::move(segment));
}

const ConventionalLayout::Segment& ConventionalLayout::segment_of(LogicalSector sector) const {
  TESSERA_CHECK(sector.value() < sectors_, "a logical sector lies outside its layout");
  if (segments_.size() == 1) return segments_.front();
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), sector.value(),
                                      [](std::uint64_t value, const Segment& segment) { return value < segment.first; });
  return *std::prev(after);
}

PhysicalRun ConventionalLayout::piece(LogicalRun run) const {
  const Segment& segment = segment_of(run.first);
  SlipTable::Place place{run.first.value() - segment.first + segment.offset, 0};
  if (!segment.slips.empty()) [[unlikely]]
    place = segment.slips.place(place.nominal);

  const std::uint64_t per_track = segment.sectors_per_track.divisor();
  const std::uint64_t track = segment.sectors_per_track.quotient(place.nominal);
  const std::uint64_t radius = segment.surfaces.quotient(track);
  const std::uint64_t index = place.nominal - track * per_track;
  const std::uint64_t left = std::min(per_track - place.shortfall - index, segment.end - run.first.value());
  return {{segment.first_surface + static_cast<std::uint32_t>(track - radius * segment.surfaces.divisor()),
           segment.first_radius + static_cast<std::uint32_t>(radius)},
          static_cast<std::uint32_t>(index),
          static_cast<std::uint32_t>(std::min<std::uint64_t>(run.count, left))};
}

bool ConventionalLayout::keep_on_track(LogicalSector first, EarlySectors& early) const {
  const std::uint32_t in_front = piece({first, 1}).first;
  const std::uint64_t numbered = first.value() - segment_of(first).first;
  return early.limit(static_cast<std::uint32_t>(std::min<std::uint64_t>(in_front, numbered)));
}

std::optional<LogicalSector> ConventionalLayout::logical(PhysicalSector sector) const {
  for (const Segment& segment : segments_) {
    if (sector.track.radius < segment.first_radius || sector.track.radius >= segment.first_radius + segment.radii) continue;
    const std::uint64_t surfaces = segment.surfaces.divisor();
    if (sector.track.surface < segment.first_surface || sector.track.surface >= segment.first_surface + surfaces) continue;
    const std::uint64_t track = (sector.track.radius - segment.first_radius) * surfaces + (sector.track.surface - segment.first_surface);
    const std::uint64_t offset = segment.slips.offset(track * segment.sectors_per_track.divisor() + sector.index);
    const std::uint64_t number = segment.first + offset - segment.offset;
    if (offset < segment.offset || number >= std::min(segment.end, sectors_)) return std::nullopt;
    return LogicalSector(number);
  }
  return std::nullopt;
}

}  // namespace tessera
