#include "firmware/layout/wave_layout.hpp"

#include <algorithm>

#include "base/check.hpp"

namespace tessera {

namespace {

/// Regions side by side along the radius that `radii` tracks have room for.
std::uint64_t places_in(std::uint64_t radii, const WaveShape& shape) {
  if (shape.variant == WaveVariant::paper_linear) return radii / shape.region_tracks;
  const std::uint64_t pair = 2 * std::uint64_t{shape.region_tracks} + shape.overlap;
  return radii / pair * 2 + (radii % pair >= shape.region_tracks + shape.overlap ? 1 : 0);
}

}  // namespace

FormatPlan plan_wave(const DriveGeometry& geometry, const WaveShape& shape, std::string& problem) {
  FormatPlan plan;
  for (const GeometryZone& zone : geometry.zones) {
    if (places_in(zone.radii, shape) == 0 || zone.sectors_per_track < shape.block_sectors) continue;
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
  if (plan.empty())
    problem = "no zone of the drive has the " + std::to_string(shape.region_tracks + shape.overlap) + " tracks of " +
              std::to_string(shape.block_sectors) +
              " sectors or more that a region and its guard take: make region_tracks, overlap or the "
              "block smaller";
  return plan;
}

WaveLayout::WaveLayout(const DriveGeometry& geometry, const FormatPlan& plan, const WaveShape& shape, const MediaPort& media)
    : shape_(shape), surfaces_(geometry.surfaces) {
  for (const Region& region : plan) {
    const auto first_radius = static_cast<std::uint32_t>(region.first);
    const std::uint32_t nominal = geometry.zone_of(first_radius).sectors_per_track;
    Extent extent{segments_, first_radius, FixedDivisor(nominal / shape.block_sectors), {}};
    const std::uint64_t regions = places_in(region.count, shape) * geometry.surfaces;
    for (std::uint64_t number = 0; number < regions; ++number) {
      bool whole = true;
      for (std::uint32_t index = 0; index < shape.region_tracks; ++index) {
        const PhysicalTrack track{static_cast<std::uint32_t>(number % geometry.surfaces),
                                  first_radius + radius_of(number / geometry.surfaces, index)};
        whole = whole && media.sectors_on(track) == nominal;
      }
      if (!whole) extent.skips.push_back(number - extent.skips.size());
    }
    segments_ += (regions - extent.skips.size()) * extent.segments_per_region.divisor();
    extents_.push_back(std::move(extent));
  }
}

/// Radius of block `index` of the region at a place, from the first radius of the extent on.
std::uint32_t WaveLayout::radius_of(std::uint64_t place, std::uint32_t index) const {
  const std::uint64_t tracks = shape_.region_tracks;
  if (shape_.variant == WaveVariant::paper_linear) return static_cast<std::uint32_t>(place * tracks + index);
  const std::uint64_t pair = place / 2 * (2 * tracks + shape_.overlap);
  return static_cast<std::uint32_t>(pair + (place % 2 == 0 ? index : tracks + shape_.overlap + (tracks - 1 - index)));
}

PhysicalRun WaveLayout::locate(std::uint64_t segment, std::uint32_t index, std::uint32_t first, std::uint32_t count) const {
  TESSERA_CHECK(segment < segments_, "a segment lies outside its layout");
  const auto after = std::ranges::upper_bound(extents_, segment, {}, &Extent::first_segment);
  const Extent& extent = *std::prev(after);
  const std::uint64_t local = segment - extent.first_segment;
  const std::uint64_t usable = extent.segments_per_region.quotient(local);
  const auto skipped = std::ranges::upper_bound(extent.skips, usable) - extent.skips.begin();
  const std::uint64_t region = usable + static_cast<std::uint64_t>(skipped);
  const std::uint64_t place = surfaces_.quotient(region);
  const PhysicalTrack track{static_cast<std::uint32_t>(surfaces_.remainder(region)), extent.first_radius + radius_of(place, index)};
  const auto along = static_cast<std::uint32_t>(extent.segments_per_region.remainder(local));
  return {track, along * shape_.block_sectors + first, count};
}

}  // namespace tessera
