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
        // A region's border may cut a unit of tracks: what is left of one is a unit of its own.
        const std::uint64_t unit = geometry.units_of(zone).radii;
        const auto whole_from = [&](std::uint64_t radius) { return zone.first_radius + (radius - zone.first_radius) / unit * unit; };
        for (std::uint64_t at = first; at < end;) {
          std::uint64_t to = std::min(end, whole_from(at) + unit);
          if (whole_from(at) == at && whole_from(end) > at) to = whole_from(end);
          add_segment(geometry, zone, {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(to)}, arm, media, reserve);
          at = to;
        }
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
  const std::uint64_t nominal = segment.radii * zone.radius_sectors(arm.first, arm.count);
  segment.sectors_per_track = FixedDivisor(zone.sectors_per_track);
  segment.in_units = geometry.track_order != TrackOrder::cylinder || !zone.surface_sectors.empty();
  if (segment.in_units) {
    segment.units = geometry.units_of(zone);
    segment.first_unit = (radii.first - zone.first_radius) / segment.units.radii;
    segment.units.radii = std::min(segment.units.radii, segment.radii);
    for (std::uint32_t surface = arm.first; surface < arm.first + arm.count; ++surface)
      segment.by_surface.push_back(zone.sectors_on(surface));
    segment.unit_sectors = FixedDivisor(segment.units.radii * zone.radius_sectors(arm.first, arm.count));
  }
  count_slips(segment, media);

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

/// Goes over the tracks in their order.
void ConventionalLayout::count_slips(Segment& segment, const MediaPort& media) {
  if (media.uniform()) return;
  const std::uint64_t tracks = segment.radii * segment.surfaces.divisor();
  std::uint64_t at = 0;
  for (std::uint64_t i = 0; i < tracks; ++i) {
    const Place place = place_of(segment, at);
    segment.slips.add(at, place.sectors, media.sectors_on(place.track));
    at += place.sectors;
  }
}

ConventionalLayout::Place ConventionalLayout::place_of(const Segment& segment, std::uint64_t nominal) {
  const std::uint64_t surfaces = segment.surfaces.divisor();
  if (!segment.in_units) {
    const std::uint64_t per_track = segment.sectors_per_track.divisor();
    const std::uint64_t track = segment.sectors_per_track.quotient(nominal);
    const std::uint64_t radius = segment.surfaces.quotient(track);
    return {{segment.first_surface + static_cast<std::uint32_t>(track - radius * surfaces),
             segment.first_radius + static_cast<std::uint32_t>(radius)},
            track * per_track,
            static_cast<std::uint32_t>(per_track)};
  }
  const TrackUnits& units = segment.units;
  const auto unit = static_cast<std::uint32_t>(segment.unit_sectors.quotient(nominal));
  std::uint64_t first = unit * segment.unit_sectors.divisor();
  for (std::uint32_t turn = 0;; ++turn) {
    const std::uint32_t surface = units.turned_surface(segment.first_unit + unit, turn, static_cast<std::uint32_t>(surfaces));
    const std::uint64_t per_track = segment.by_surface[surface];
    if (nominal >= first + units.radii * per_track) {
      first += units.radii * per_track;
      continue;
    }
    const auto step = static_cast<std::uint32_t>((nominal - first) / per_track);
    return {{segment.first_surface + surface, segment.first_radius + unit * units.radii + units.turned_radius(step, surface, units.radii)},
            first + step * per_track,
            static_cast<std::uint32_t>(per_track)};
  }
}

/// The other way round.
std::uint64_t ConventionalLayout::first_of(const Segment& segment, PhysicalTrack track) {
  const auto surfaces = static_cast<std::uint32_t>(segment.surfaces.divisor());
  const std::uint32_t surface = track.surface - segment.first_surface;
  const std::uint32_t radius = track.radius - segment.first_radius;
  if (!segment.in_units) return (std::uint64_t{radius} * surfaces + surface) * segment.sectors_per_track.divisor();
  const TrackUnits& units = segment.units;
  const std::uint32_t unit = radius / units.radii;
  std::uint64_t first = unit * segment.unit_sectors.divisor();
  for (std::uint32_t turn = 0; turn < units.turned_surface(segment.first_unit + unit, surface, surfaces); ++turn)
    first += std::uint64_t{units.radii} * segment.by_surface[units.turned_surface(segment.first_unit + unit, turn, surfaces)];
  return first + std::uint64_t{units.turned_radius(radius - unit * units.radii, surface, units.radii)} * segment.by_surface[surface];
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

  const Place on = place_of(segment, place.nominal);
  const std::uint64_t index = place.nominal - on.first;
  const std::uint64_t left = std::min(on.sectors - place.shortfall - index, segment.end - run.first.value());
  return {on.track, static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(std::min<std::uint64_t>(run.count, left))};
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
    const std::uint64_t offset = segment.slips.offset(first_of(segment, sector.track) + sector.index);
    const std::uint64_t number = segment.first + offset - segment.offset;
    if (offset < segment.offset || number >= std::min(segment.end, sectors_)) return std::nullopt;
    return LogicalSector(number);
  }
  return std::nullopt;
}

}  // namespace tessera
