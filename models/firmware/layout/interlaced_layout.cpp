#include "firmware/layout/interlaced_layout.hpp"

#include <algorithm>

namespace tessera {

namespace {

/// Sectors of the tracks [radius, end) step 2 that have no slipped defect: those of the longest.
std::uint32_t nominal_length(const MediaPort& media, std::uint32_t radius, std::uint32_t end, std::uint32_t surfaces) {
  std::uint32_t longest = 0;
  for (; radius < end; radius += 2) {
    for (std::uint32_t surface = 0; surface < surfaces; ++surface) longest = std::max(longest, media.sectors_on({surface, radius}));
  }
  return longest;
}

}  // namespace

InterlacedLayout::InterlacedLayout(const DriveGeometry& geometry, const FormatPlan& regions, const MediaPort& media,
                                   std::uint32_t group_tracks, InterlacedOrder order)
    : surfaces_(geometry.surfaces), order_(order) {
  TESSERA_CHECK(group_tracks >= 1, "an interlaced numbering needs groups of one track or more");
  for (const Region& region : regions) {
    for (const GeometryZone& zone : geometry.zones) {
      const auto first = static_cast<std::uint32_t>(std::max<std::uint64_t>(zone.first_radius, region.first));
      const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(zone.first_radius + zone.radii, region.first + region.count));
      if (first >= end) continue;
      const std::uint32_t leading = nominal_length(media, first, end, geometry.surfaces);
      const std::uint32_t trailing = nominal_length(media, first + 1, end, geometry.surfaces);
      const std::uint32_t group = std::min(2 * group_tracks, end - first);
      const std::uint32_t whole = (end - first) / group * group;
      add_segment(first, whole, group, leading, trailing, media);
      if (first + whole < end) add_segment(first + whole, end - first - whole, end - first - whole, leading, trailing, media);
    }
  }
}

void InterlacedLayout::add_segment(std::uint32_t first_radius, std::uint32_t radii, std::uint32_t group_radii, std::uint32_t leading_length,
                                   std::uint32_t trailing_length, const MediaPort& media) {
  Segment segment;
  segment.first = sectors_;
  segment.first_radius = first_radius;
  segment.radii = radii;
  segment.group_radii = group_radii;
  segment.leading = (group_radii + 1) / 2;
  segment.leading_sectors = std::uint64_t{segment.leading} * leading_length;
  const std::uint64_t group = segment.leading_sectors + std::uint64_t{group_radii - segment.leading} * trailing_length;
  const std::uint64_t nominal = group * (radii / group_radii) * surfaces_.divisor();
  segment.group = FixedDivisor(group);
  segment.leading_track = FixedDivisor(leading_length);
  segment.trailing_track = FixedDivisor(std::max<std::uint32_t>(trailing_length, 1));

  for (std::uint64_t at = 0; at < nominal;) {
    const Position found = position(segment, at);
    segment.slips.add(at, found.sectors, media.sectors_on(found.track));
    at += found.sectors;
  }
  segment.end = segment.first + (nominal - segment.slips.missing());
  sectors_ = segment.end;
  segments_.push_back(std::move(segment));
}

const InterlacedLayout::Segment& InterlacedLayout::segment_of(LogicalSector sector) const {
  TESSERA_CHECK(sector.value() < sectors_, "a logical sector lies outside its layout");
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), sector.value(),
                                      [](std::uint64_t value, const Segment& segment) { return value < segment.first; });
  return *std::prev(after);
}

InterlacedLayout::Position InterlacedLayout::position(const Segment& segment, std::uint64_t nominal) const {
  const std::uint64_t group = segment.group.quotient(nominal);
  const std::uint64_t band = surfaces_.quotient(group);  // groups at one radius, one for each surface
  std::uint64_t rest = nominal - group * segment.group.divisor();
  const bool leading = rest < segment.leading_sectors;
  if (!leading) rest -= segment.leading_sectors;
  const FixedDivisor& length = leading ? segment.leading_track : segment.trailing_track;
  std::uint64_t track = length.quotient(rest);
  const std::uint64_t index = rest - track * length.divisor();
  if (!leading && order_ == InterlacedOrder::serpentine) track = segment.group_radii - segment.leading - 1 - track;
  const std::uint64_t radius = segment.first_radius + band * segment.group_radii + 2 * track + (leading ? 0 : 1);
  return {{static_cast<std::uint32_t>(group - band * surfaces_.divisor()), static_cast<std::uint32_t>(radius)},
          static_cast<std::uint32_t>(index),
          static_cast<std::uint32_t>(length.divisor())};
}

PhysicalRun InterlacedLayout::piece(LogicalRun run) const {
  const Segment& segment = segment_of(run.first);
  SlipTable::Place place{run.first.value() - segment.first, 0};
  if (!segment.slips.empty()) [[unlikely]]
    place = segment.slips.place(place.nominal);
  const Position found = position(segment, place.nominal);
  return {found.track, found.index, std::min(run.count, found.sectors - place.shortfall - found.index)};
}

std::optional<LogicalSector> InterlacedLayout::logical(PhysicalSector sector) const {
  for (const Segment& segment : segments_) {
    if (sector.track.radius < segment.first_radius || sector.track.radius >= segment.first_radius + segment.radii) continue;
    const std::uint32_t offset = sector.track.radius - segment.first_radius;
    const std::uint64_t group = std::uint64_t{offset / segment.group_radii} * surfaces_.divisor() + sector.track.surface;
    const std::uint32_t in_group = offset % segment.group_radii;
    const bool leading = in_group % 2 == 0;
    std::uint64_t track = in_group / 2;
    if (!leading && order_ == InterlacedOrder::serpentine) track = segment.group_radii - segment.leading - 1 - track;
    const std::uint64_t length = (leading ? segment.leading_track : segment.trailing_track).divisor();
    const std::uint64_t nominal = group * segment.group.divisor() + (leading ? 0 : segment.leading_sectors) + track * length + sector.index;
    return LogicalSector(segment.first + segment.slips.offset(nominal));
  }
  return std::nullopt;
}

}  // namespace tessera
