#include "firmware/layout/wave_layout.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera {

namespace {

std::uint32_t blocks_on(std::uint32_t sectors_per_track, const WaveShape& shape) { return sectors_per_track / shape.block_sectors; }

/// n: blocks on a track of the layout, which are the segments of a region.
std::uint32_t segments_of_region(std::uint32_t sectors_per_track, const WaveShape& shape) {
  return blocks_on(shape.track_sectors != 0 ? shape.track_sectors : sectors_per_track, shape);
}

/// Regions side by side along the radius that the tracks of a zone have room for.
std::uint64_t places_in(std::uint64_t radii, std::uint32_t sectors_per_track, const WaveShape& shape) {
  if (shape.variant == WaveVariant::paper_linear) {
    const std::uint64_t region = std::uint64_t{shape.region_tracks} * segments_of_region(sectors_per_track, shape);
    return region == 0 ? 0 : radii * blocks_on(sectors_per_track, shape) / region;
  }
  const std::uint64_t pair = 2 * std::uint64_t{shape.region_tracks} + shape.overlap;
  return radii / pair * 2 + (radii % pair >= shape.region_tracks + shape.overlap ? 1 : 0);
}

std::string no_room(const WaveShape& shape) {
  if (shape.track_sectors != 0)
    return "no zone of the drive has room for a region of " + std::to_string(shape.region_tracks) + " tracks of " +
           std::to_string(shape.track_sectors) + " sectors (track_sectors): make region_tracks, track_sectors or the block smaller";
  return "no zone of the drive has the " + std::to_string(shape.region_tracks + shape.overlap) + " tracks of " +
         std::to_string(shape.block_sectors) +
         " sectors or more that a region and its guard take: make region_tracks, overlap or the block smaller";
}

/// What is wrong with S_T; empty where nothing is.
std::string track_problem(const WaveShape& shape) {
  if (shape.track_sectors == 0) return {};
  if (shape.variant != WaveVariant::paper_linear)
    return "track_sectors is " + std::to_string(shape.track_sectors) +
           ", but the blocks of a segment share an angle of the medium's tracks: set layout = \"paper_linear\", or track_sectors = 0";
  if (shape.track_sectors % shape.block_sectors == 0) return {};
  return "track_sectors is " + std::to_string(shape.track_sectors) + "; expected a multiple of the block's " +
         std::to_string(shape.block_sectors) + " sectors, or 0 for the medium's tracks";
}

}  // namespace

FormatPlan plan_wave(const DriveGeometry& geometry, const WaveShape& shape, std::string& problem) {
  FormatPlan plan;
  problem = track_problem(shape);
  if (!problem.empty()) return plan;
  for (const GeometryZone& zone : geometry.zones) {
    if (places_in(zone.radii, zone.sectors_per_track, shape) == 0 || zone.sectors_per_track < shape.block_sectors) continue;
    Region region{.name = "data", .first = zone.first_radius, .count = zone.radii};
    if (shape.variant == WaveVariant::physical) {
      region.format = RecordingFormat::wave;
      region.head_width = shape.overlap;
      region.band_tracks = shape.region_tracks;
      region.guard_tracks = shape.overlap;
      region.skewed = false;  // angular isolation
    }
    plan.push_back(region);
  }
  if (plan.empty()) problem = no_room(shape);
  return plan;
}

WaveLayout::WaveLayout(const DriveGeometry& geometry, const FormatPlan& plan, const WaveShape& shape, const MediaPort& media)
    : shape_(shape), surfaces_(geometry.surfaces) {
  for (const Region& region : plan) {
    const auto first_radius = static_cast<std::uint32_t>(region.first);
    const std::uint32_t nominal = geometry.zone_of(first_radius).sectors_per_track;
    Extent extent{segments_, first_radius, FixedDivisor(segments_of_region(nominal, shape)), FixedDivisor(blocks_on(nominal, shape)), {}};
    const std::uint64_t regions = places_in(region.count, nominal, shape) * geometry.surfaces;
    for (std::uint64_t number = 0; number < regions; ++number)
      if (!is_whole(extent, media, number, nominal)) extent.skips.push_back(number - extent.skips.size());
    segments_ += (regions - extent.skips.size()) * extent.segments_per_region.divisor();
    extents_.push_back(std::move(extent));
  }
}

/// Whether no track that a region lies on is shorter than nominal.
bool WaveLayout::is_whole(const Extent& extent, const MediaPort& media, std::uint64_t region, std::uint32_t nominal) const {
  const std::uint64_t last = extent.segments_per_region.divisor() - 1;
  for (std::uint32_t index = 0; index < shape_.region_tracks; ++index) {
    const std::uint32_t from = spot_of(extent, surfaces_.quotient(region), index, 0).radius;
    const std::uint32_t to = spot_of(extent, surfaces_.quotient(region), index, last).radius;
    for (std::uint32_t radius = from; radius <= to; ++radius)
      if (media.sectors_on({static_cast<std::uint32_t>(surfaces_.remainder(region)), extent.first_radius + radius}) != nominal)
        return false;
  }
  return true;
}

WaveLayout::Spot WaveLayout::spot_of(const Extent& extent, std::uint64_t place, std::uint32_t index, std::uint64_t along) const {
  const std::uint64_t tracks = shape_.region_tracks;
  if (shape_.variant == WaveVariant::paper_linear) {
    const std::uint64_t block = (place * tracks + index) * extent.segments_per_region.divisor() + along;
    return {static_cast<std::uint32_t>(extent.blocks_per_track.quotient(block)),
            static_cast<std::uint32_t>(extent.blocks_per_track.remainder(block))};
  }
  const std::uint64_t pair = place / 2 * (2 * tracks + shape_.overlap);
  const std::uint64_t radius = pair + (place % 2 == 0 ? index : tracks + shape_.overlap + (tracks - 1 - index));
  return {static_cast<std::uint32_t>(radius), static_cast<std::uint32_t>(along)};
}

PhysicalRun WaveLayout::locate(std::uint64_t segment, std::uint32_t index, std::uint32_t first, std::uint32_t count) const {
  TESSERA_CHECK(segment < segments_, "a segment lies outside its layout");
  const auto after = std::ranges::upper_bound(extents_, segment, {}, &Extent::first_segment);
  const Extent& extent = *std::prev(after);
  const std::uint64_t local = segment - extent.first_segment;
  const std::uint64_t usable = extent.segments_per_region.quotient(local);
  const auto skipped = std::ranges::upper_bound(extent.skips, usable) - extent.skips.begin();
  const std::uint64_t region = usable + static_cast<std::uint64_t>(skipped);
  const Spot spot = spot_of(extent, surfaces_.quotient(region), index, extent.segments_per_region.remainder(local));
  const PhysicalTrack track{static_cast<std::uint32_t>(surfaces_.remainder(region)), extent.first_radius + spot.radius};
  return {track, spot.along * shape_.block_sectors + first, count};
}

}  // namespace tessera
