#include "media/recording_physics.hpp"

#include <algorithm>

namespace tessera {

namespace {

/// Reach in a shingled or wave region before clipping.
DamageReach shingled_reach(const Region& region, std::uint64_t offset) {
  const std::uint32_t width = region.head_width - 1;
  const bool wave = region.format == RecordingFormat::wave;
  bool rising = region.direction > 0;
  if (region.band_tracks != 0) {
    // Shingled: band, guard, band, guard, ... Wave: rising band, guard, falling band, then back to back the next pair.
    const std::uint64_t band = region.band_tracks;
    const std::uint64_t period = (wave ? 2 * band : band) + region.guard_tracks;
    const std::uint64_t place = offset % period;
    const bool guard = place >= band && place < band + region.guard_tracks;
    if (guard) return wave ? DamageReach{width, width} : DamageReach{};
    if (wave) rising = place < band;
  }
  return rising ? DamageReach{0, width} : DamageReach{width, 0};
}

}  // namespace

DamageReach damage_reach(const TrackGeometry& geometry, const TrackGroup& group, std::uint32_t radius) {
  if (group.region == TrackGroup::no_region) return {};
  const Region& region = geometry.regions()[group.region];
  DamageReach reach;
  switch (region.format) {
    case RecordingFormat::conventional:
      // Spare tracks stand apart.
      if (geometry.side_reach() == 0 || radius >= geometry.radii()) return {};
      reach = {geometry.side_reach(), geometry.side_reach()};
      break;
    case RecordingFormat::interlaced:
      if (TrackGeometry::interlaced_top(group, radius)) return {};
      reach = {1, 1};
      break;
    case RecordingFormat::shingled:
    case RecordingFormat::wave: reach = shingled_reach(region, radius - group.region_first); break;
  }
  reach.below = std::min(reach.below, radius - group.region_first);
  reach.above = std::min(reach.above, group.region_end - 1 - radius);
  return reach;
}

SectorArc overlapped_arc(const TrackGeometry& geometry, const TrackShape& writer, std::uint32_t first, std::uint32_t count,
                         const TrackShape& victim) {
  const std::uint64_t turn = geometry.revolution().value();
  const std::uint64_t length = geometry.passing(writer, first, count);
  const std::uint32_t sectors = victim.sectors();
  if (length == turn) return {0, sectors};
  const std::uint64_t begin = geometry.angle_of(writer, first);
  const std::uint64_t last = begin + length - 1 < turn ? begin + length - 1 : begin + length - 1 - turn;
  // After the last sector may be spares, where nothing is destroyed.
  const std::uint64_t spares = victim.density.offset(sectors);
  const bool begins_on_sector = geometry.forward(victim.start, begin) < spares;
  const bool ends_on_sector = geometry.forward(victim.start, last) < spares;
  const bool wraps = geometry.forward(victim.start, begin) + length > turn;
  if (!begins_on_sector && !wraps) return {0, 0};
  const std::uint32_t from = begins_on_sector ? geometry.sector_at(victim, begin) : 0;
  const std::uint32_t end = ends_on_sector ? geometry.sector_at(victim, last) + 1 : sectors;
  if (!begins_on_sector || !wraps) return {from, end - from};
  return {from, std::min(sectors - from + end, sectors)};
}

}  // namespace tessera
