#include "firmware/layout/conventional_layout.hpp"

#include <algorithm>

namespace tessera {

ConventionalLayout::ConventionalLayout(const DriveGeometry& geometry, const FormatPlan& regions, const MediaPort& media, Reserve reserve)
    : surfaces_(geometry.surfaces) {
  for (const Region& region : regions) {
    for (const GeometryZone& zone : geometry.zones) {
      const std::uint64_t first = std::max<std::uint64_t>(zone.first_radius, region.first);
      const std::uint64_t end = std::min<std::uint64_t>(zone.first_radius + zone.radii, region.first + region.count);
      if (first < end) add_segment(geometry, zone, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(end), media, reserve);
    }
  }
  if (reserve == Reserve::as_zoned && geometry.exported_sectors != 0) sectors_ = std::min(sectors_, geometry.exported_sectors);
}

void ConventionalLayout::add_segment(const DriveGeometry& geometry, const GeometryZone& zone, std::uint32_t first_radius,
                                     std::uint32_t end_radius, const MediaPort& media, Reserve reserve) {
  Segment segment;
  segment.first = sectors_;
  segment.first_radius = first_radius;
  segment.radii = end_radius - first_radius;
  const std::uint32_t surfaces = geometry.surfaces;
  const std::uint64_t nominal = std::uint64_t{segment.radii} * surfaces * zone.sectors_per_track;
  segment.sectors_per_track = FixedDivisor(zone.sectors_per_track);

  std::uint64_t at = 0;
  for (std::uint32_t radius = first_radius; radius < end_radius; ++radius) {
    for (std::uint32_t surface = 0; surface < surfaces; ++surface) {
      segment.slips.add(at, zone.sectors_per_track, media.sectors_on({surface, radius}));
      at += zone.sectors_per_track;
    }
  }

  std::uint64_t spare = 0;
  if (reserve == Reserve::as_zoned) {
    if (first_radius == 0) segment.offset += geometry.reserved_sectors;
    if (end_radius == zone.first_radius + zone.radii) spare = zone.spare_sectors;
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
  const std::uint64_t radius = surfaces_.quotient(track);
  const std::uint64_t index = place.nominal - track * per_track;
  const std::uint64_t left = std::min(per_track - place.shortfall - index, segment.end - run.first.value());
  return {{static_cast<std::uint32_t>(track - radius * surfaces_.divisor()), segment.first_radius + static_cast<std::uint32_t>(radius)},
          static_cast<std::uint32_t>(index),
          static_cast<std::uint32_t>(std::min<std::uint64_t>(run.count, left))};
}

bool ConventionalLayout::keep_on_track(LogicalSector first, EarlySectors& early) const {
  const std::uint32_t in_front = piece({first, 1}).first;
  const std::uint64_t numbered = first.value() - segment_of(first).first;
  const auto left = static_cast<std::uint32_t>(std::min<std::uint64_t>({early.place.count, in_front, numbered}));
  early.place = early.place.part(early.place.count - left, left);
  return left != 0;
}

std::optional<LogicalSector> ConventionalLayout::logical(PhysicalSector sector) const {
  for (const Segment& segment : segments_) {
    if (sector.track.radius < segment.first_radius || sector.track.radius >= segment.first_radius + segment.radii) continue;
    const std::uint64_t track = (sector.track.radius - segment.first_radius) * surfaces_.divisor() + sector.track.surface;
    const std::uint64_t offset = segment.slips.offset(track * segment.sectors_per_track.divisor() + sector.index);
    const std::uint64_t number = segment.first + offset - segment.offset;
    if (offset < segment.offset || number >= std::min(segment.end, sectors_)) return std::nullopt;
    return LogicalSector(number);
  }
  return std::nullopt;
}

}  // namespace tessera
