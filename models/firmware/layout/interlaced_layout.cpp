#include "firmware/layout/interlaced_layout.hpp"

#include <algorithm>

#include "firmware/layout/stagger.hpp"

namespace tessera {

namespace {

/// Sectors of the tracks [radius, end) step 2 that have no slipped defect: those of the longest.
std::uint32_t nominal_length(const MediaPort& media, std::uint32_t radius, std::uint32_t end, std::uint32_t surfaces) {
  std::uint32_t longest = 0;
  if (media.uniform()) end = std::min(end, radius + 1);
  for (; radius < end; radius += 2) {
    for (std::uint32_t surface = 0; surface < surfaces; ++surface) longest = std::max(longest, media.sectors_on({surface, radius}));
  }
  return longest;
}

}  // namespace

InterlacedLayout::InterlacedLayout(const DriveGeometry& geometry, const FormatPlan& regions, const MediaPort& media,
                                   std::uint32_t group_tracks, InterlacedOrder order)
    : media_(media), surfaces_(geometry.surfaces), order_(order) {
  TESSERA_CHECK(group_tracks >= 1, "an interlaced numbering needs groups of one track or more");
  for (const Region& region : regions) {
    const TrackSwitches* const switches = region.staggered && !region.skewed && geometry.switches.any() ? &geometry.switches : nullptr;
    staggered_ = staggered_ || switches != nullptr;
    for (const GeometryZone& zone : geometry.zones) {
      const auto first = static_cast<std::uint32_t>(std::max<std::uint64_t>(zone.first_radius, region.first));
      const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(zone.first_radius + zone.radii, region.first + region.count));
      if (first >= end) continue;
      const std::uint32_t leading = nominal_length(media, first, end, geometry.surfaces);
      const std::uint32_t trailing = nominal_length(media, first + 1, end, geometry.surfaces);
      const std::uint32_t group = std::min(2 * group_tracks, end - first);
      const std::uint32_t whole = (end - first) / group * group;
      add_segment(first, whole, group, leading, trailing, media, switches);
      if (first + whole < end) add_segment(first + whole, end - first - whole, end - first - whole, leading, trailing, media, switches);
    }
  }
}

void InterlacedLayout::add_segment(std::uint32_t first_radius, std::uint32_t radii, std::uint32_t group_radii, std::uint32_t leading_length,
                                   std::uint32_t trailing_length, const MediaPort& media, const TrackSwitches* switches) {
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
  segment.band = FixedDivisor(group * surfaces_.divisor());
  segment.leading_track = FixedDivisor(leading_length);
  segment.trailing_track = FixedDivisor(std::max<std::uint32_t>(trailing_length, 1));
  segment.staggered = switches != nullptr;
  if (switches != nullptr) segment.stagger = stagger_of(segment, *switches);

  const auto alike = [&](std::uint32_t radius, std::uint32_t length) {
    for (std::uint32_t surface = 0; surface < surfaces_.divisor(); ++surface)
      if (media.sectors_on({surface, radius}) != length) return false;
    return true;
  };
  const bool none_short =
      media.uniform() && alike(first_radius, leading_length) && (group_radii == 1 || alike(first_radius + 1, trailing_length));
  for (std::uint64_t at = none_short ? nominal : 0; at < nominal;) {
    const Position found = position(segment, at);
    segment.slips.add(at, found.sectors, media.sectors_on(found.track));
    at += found.sectors;
  }
  segment.end = segment.first + (nominal - segment.slips.missing());
  sectors_ = segment.end;
  segments_.push_back(std::move(segment));
}

/// In the order in which a group's tracks are numbered, and then the groups.
InterlacedLayout::Stagger InterlacedLayout::stagger_of(const Segment& segment, const TrackSwitches& switches) const {
  const auto surfaces = static_cast<std::uint32_t>(surfaces_.divisor());
  const std::uint32_t trailing_tracks = segment.group_radii - segment.leading;
  const auto leading_length = static_cast<std::uint32_t>(segment.leading_track.divisor());
  const auto trailing_length = static_cast<std::uint32_t>(segment.trailing_track.divisor());
  const std::uint32_t shortest = trailing_tracks == 0 ? leading_length : std::min(leading_length, trailing_length);
  const std::uint32_t last_leading = 2 * (segment.leading - 1);
  const std::uint32_t last_trailing = trailing_tracks == 0 ? last_leading : 2 * (trailing_tracks - 1) + 1;
  const bool back = order_ == InterlacedOrder::serpentine && trailing_tracks != 0;
  const std::uint32_t first_trailing = back ? last_trailing : 1;
  const std::uint32_t last = back ? 1 : last_trailing;
  // From the last surface at one radius to the first surface at another.
  const auto inwards = [&](std::uint32_t from, std::uint32_t to) {
    return lead_of(switches, to > from ? to - from : from - to, surfaces > 1, shortest);
  };

  Stagger stagger;
  if (surfaces > 1) stagger.surface = lead_of(switches, 0, true, shortest);
  const std::uint32_t all_surfaces = stagger.surface * (surfaces - 1);
  stagger.step = all_surfaces + inwards(0, 2);
  const std::uint32_t leading_end = stagger.step * (segment.leading - 1) + all_surfaces;
  stagger.trailing = leading_end + inwards(last_leading, first_trailing);
  const std::uint32_t end = trailing_tracks == 0 ? leading_end : stagger.trailing + stagger.step * (trailing_tracks - 1) + all_surfaces;
  stagger.band = end + inwards(last, segment.group_radii);
  return stagger;
}

/// Where the numbers of a track begin.
std::uint32_t InterlacedLayout::begins(const Stagger& stagger, const Place& place) {
  return static_cast<std::uint32_t>(place.band * stagger.band + (place.leading ? 0 : stagger.trailing) + place.track * stagger.step +
                                    place.surface * stagger.surface);
}

const InterlacedLayout::Segment& InterlacedLayout::segment_of(LogicalSector sector) const {
  TESSERA_CHECK(sector.value() < sectors_, "a logical sector lies outside its layout");
  const auto after = std::upper_bound(segments_.begin(), segments_.end(), sector.value(),
                                      [](std::uint64_t value, const Segment& segment) { return value < segment.first; });
  return *std::prev(after);
}

/// The track of a nominal offset, and the offset in it.
InterlacedLayout::Place InterlacedLayout::place_of(const Segment& segment, std::uint64_t nominal, std::uint64_t& index) const {
  Place place{};
  // The tracks of one surface at a time, or of all.
  const std::uint64_t surfaces = segment.staggered ? surfaces_.divisor() : 1;
  const FixedDivisor& unit = segment.staggered ? segment.band : segment.group;
  const std::uint64_t number = unit.quotient(nominal);
  std::uint64_t rest = nominal - number * unit.divisor();
  place.leading = rest < segment.leading_sectors * surfaces;
  if (!place.leading) rest -= segment.leading_sectors * surfaces;
  const FixedDivisor& length = place.leading ? segment.leading_track : segment.trailing_track;
  const std::uint64_t track = length.quotient(rest);
  index = rest - track * length.divisor();
  if (segment.staggered) {
    place.band = number;
    place.track = surfaces_.quotient(track);
    place.surface = track - place.track * surfaces;
  } else {
    place.band = surfaces_.quotient(number);
    place.surface = number - place.band * surfaces_.divisor();
    place.track = track;
  }
  return place;
}

/// And back: the nominal offset at which a track begins.
std::uint64_t InterlacedLayout::nominal_of(const Segment& segment, const Place& place) const {
  const std::uint64_t length = (place.leading ? segment.leading_track : segment.trailing_track).divisor();
  const std::uint64_t surfaces = segment.staggered ? surfaces_.divisor() : 1;
  const std::uint64_t in_front = place.leading ? 0 : segment.leading_sectors * surfaces;
  if (segment.staggered) return place.band * segment.band.divisor() + in_front + (place.track * surfaces + place.surface) * length;
  return (place.band * surfaces_.divisor() + place.surface) * segment.group.divisor() + in_front + place.track * length;
}

InterlacedLayout::Position InterlacedLayout::position(const Segment& segment, std::uint64_t nominal) const {
  std::uint64_t index = 0;
  const Place place = place_of(segment, nominal, index);
  const bool back = !place.leading && order_ == InterlacedOrder::serpentine;
  const std::uint64_t track = back ? segment.group_radii - segment.leading - 1 - place.track : place.track;
  const std::uint64_t radius = segment.first_radius + place.band * segment.group_radii + 2 * track + (place.leading ? 0 : 1);
  return {{static_cast<std::uint32_t>(place.surface), static_cast<std::uint32_t>(radius)},
          static_cast<std::uint32_t>(index),
          static_cast<std::uint32_t>((place.leading ? segment.leading_track : segment.trailing_track).divisor()),
          begins(segment.stagger, place)};
}

PhysicalRun InterlacedLayout::piece(LogicalRun run) const {
  PhysicalRun found = on_track(run);
  if (staggered_) found.count = std::min(found.count, media_.sectors_on(found.track) - found.first);
  return found;
}

PhysicalRun InterlacedLayout::on_track(LogicalRun run) const {
  const Segment& segment = segment_of(run.first);
  SlipTable::Place place{run.first.value() - segment.first, 0};
  if (!segment.slips.empty()) [[unlikely]]
    place = segment.slips.place(place.nominal);
  const Position found = position(segment, place.nominal);
  const std::uint32_t sectors = found.sectors - place.shortfall;
  const std::uint32_t index = tessera::staggered(found.index, sector_at(found.begins, sectors), sectors);
  return {found.track, index, std::min(run.count, sectors - found.index)};
}

InterlacedLayout::WholeRadii InterlacedLayout::whole_radii(LogicalSector first, std::uint64_t count) const {
  const Segment& segment = segment_of(first);
  const std::uint64_t from = first.value() - segment.first;
  const std::uint64_t band = segment.band.quotient(from);
  if (!segment.slips.empty() || from != band * segment.band.divisor()) return {};
  const std::uint64_t bands = segment.band.quotient(std::min(count, segment.end - first.value()));
  const auto radius = segment.first_radius + static_cast<std::uint32_t>(band * segment.group_radii);
  return {radius, radius + static_cast<std::uint32_t>(bands * segment.group_radii), bands * segment.band.divisor()};
}

std::uint32_t InterlacedLayout::before_on_track(LogicalSector sector) const {
  const Segment& segment = segment_of(sector);
  const std::uint64_t number = sector.value() - segment.first;
  return position(segment, segment.slips.empty() ? number : segment.slips.place(number).nominal).index;
}

std::optional<LogicalSector> InterlacedLayout::logical(PhysicalSector sector) const {
  for (const Segment& segment : segments_) {
    if (sector.track.radius < segment.first_radius || sector.track.radius >= segment.first_radius + segment.radii) continue;
    const std::uint32_t offset = sector.track.radius - segment.first_radius;
    const std::uint32_t in_group = offset % segment.group_radii;
    Place place{offset / segment.group_radii, sector.track.surface, in_group % 2 == 0, in_group / 2};
    if (!place.leading && order_ == InterlacedOrder::serpentine) place.track = segment.group_radii - segment.leading - 1 - place.track;
    std::uint32_t index = sector.index;
    if (segment.staggered) {
      const std::uint32_t sectors = media_.sectors_on(sector.track);
      index = unstaggered(index, sector_at(begins(segment.stagger, place), sectors), sectors);
    }
    return LogicalSector(segment.first + segment.slips.offset(nominal_of(segment, place) + index));
  }
  return std::nullopt;
}

}  // namespace tessera
