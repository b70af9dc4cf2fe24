#include "firmware/layout/band_track_layout.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tessera {

FormatPlan plan_band_tracks(const DriveGeometry& geometry, std::uint64_t first_radius, std::uint32_t band_tracks, std::uint32_t head_width,
                            bool skewed) {
  const std::uint32_t guards = head_width - 1;
  const std::uint64_t stride = band_tracks + guards;
  FormatPlan plan;
  for (const GeometryZone& zone : geometry.zones) {
    const std::uint64_t first = std::max<std::uint64_t>(zone.first_radius, first_radius);
    const std::uint64_t end = std::uint64_t{zone.first_radius} + zone.radii;
    const std::uint64_t places = first < end ? (end - first) / stride : 0;
    if (places == 0) continue;
    plan.push_back({.name = "data",
                    .first = first,
                    .count = places * stride,
                    .format = RecordingFormat::shingled,
                    .head_width = head_width,
                    .band_tracks = band_tracks,
                    .guard_tracks = guards,
                    .skewed = skewed});
  }
  return plan;
}

std::vector<BandPass> tracks_in_order(std::uint32_t band_tracks) {
  BandPass pass(band_tracks);
  std::iota(pass.begin(), pass.end(), 0U);
  return {pass};
}

BandTrackLayout::BandTrackLayout(const DriveGeometry& geometry, const FormatPlan& regions, const MediaPort& media,
                                 std::vector<BandPass> passes, std::uint64_t (*spares)(std::uint64_t))
    : passes_(std::move(passes)), surfaces_(geometry.surfaces), band_tracks_(regions.front().band_tracks) {
  for (const Region& region : regions) {
    const auto first = static_cast<std::uint32_t>(region.first);
    const std::uint32_t stride = region.band_tracks + region.guard_tracks;
    const std::uint64_t places = region.count / stride * geometry.surfaces;
    const std::uint64_t bands = places - (spares == nullptr ? 0 : spares(places));
    std::uint32_t shortest = geometry.zone_of(first).sectors_per_track;
    for (std::uint32_t radius = first; radius < first + region.count; ++radius) {
      if ((radius - first) % stride >= band_tracks_) continue;
      for (std::uint32_t surface = 0; surface < geometry.surfaces; ++surface)
        shortest = std::min(shortest, media.sectors_on({surface, radius}));
    }
    extents_.push_back({bands_, bands, places, first, stride, shortest});
    bands_ += bands;
  }
  std::uint64_t sector = 0;
  std::uint64_t track = 0;
  for (const BandPass& pass : passes_) {
    for (const Extent& extent : extents_) {
      const std::uint64_t tracks = extent.bands * pass.size();
      const std::uint64_t end = sector + tracks * extent.track_sectors;
      segments_.push_back({sector, end, track, &extent, &pass, FixedDivisor(extent.track_sectors), FixedDivisor(pass.size())});
      sector = end;
      track += tracks;
    }
  }
}

const BandTrackLayout::Segment& BandTrackLayout::segment_of(LogicalSector sector) const {
  TESSERA_CHECK(sector.value() < sectors(), "a logical sector lies outside its layout");
  return *std::upper_bound(segments_.begin(), segments_.end(), sector.value(),
                           [](std::uint64_t value, const Segment& segment) { return value < segment.end; });
}

const BandTrackLayout::Extent& BandTrackLayout::extent_of(std::uint64_t band) const {
  TESSERA_CHECK(band < bands_, "a band lies outside its layout");
  return *std::upper_bound(extents_.begin(), extents_.end(), band,
                           [](std::uint64_t value, const Extent& extent) { return value < extent.first_band + extent.bands; });
}

std::size_t BandTrackLayout::region_of(std::uint64_t band) const { return static_cast<std::size_t>(&extent_of(band) - extents_.data()); }

PhysicalTrack BandTrackLayout::track_of(std::size_t region, std::uint64_t place, std::uint32_t position) const {
  const Extent& extent = extents_[region];
  const std::uint64_t radius = surfaces_.quotient(place);
  return {static_cast<std::uint32_t>(place - radius * surfaces_.divisor()),
          extent.first_radius + static_cast<std::uint32_t>(radius) * extent.stride + position};
}

BandTrackLayout::Piece BandTrackLayout::piece(LogicalRun run) const {
  const Segment& segment = segment_of(run.first);
  const Extent& extent = *segment.extent;
  const BandPass& pass = *segment.pass;
  const std::uint64_t offset = run.first.value() - segment.first;
  const std::uint64_t track = segment.track_sectors.quotient(offset);
  const auto index = static_cast<std::uint32_t>(offset - track * extent.track_sectors);
  const std::uint64_t band = segment.pass_tracks.quotient(track);

  Piece piece;
  piece.track = segment.first_track + track;
  piece.band = extent.first_band + band;
  piece.position = pass[track - band * pass.size()];
  piece.track_sectors = extent.track_sectors;
  piece.run = {track_of(static_cast<std::size_t>(&extent - extents_.data()), band, piece.position), index,
               std::min(run.count, extent.track_sectors - index)};
  return piece;
}

BandTrackLayout::Piece BandTrackLayout::whole(std::uint64_t track) const {
  TESSERA_CHECK(track < tracks(), "a track lies outside its layout");
  const Segment& segment =
      *std::prev(std::upper_bound(segments_.begin(), segments_.end(), track,
                                  [](std::uint64_t value, const Segment& candidate) { return value < candidate.first_track; }));
  const std::uint32_t sectors = segment.extent->track_sectors;
  return piece({LogicalSector(segment.first + (track - segment.first_track) * sectors), sectors});
}

std::uint64_t BandTrackLayout::track_at(std::uint64_t band, std::uint32_t position) const {
  const Extent& extent = extent_of(band);
  const std::size_t which = region_of(band);
  for (std::size_t i = 0; i < passes_.size(); ++i) {
    const BandPass& pass = passes_[i];
    const auto found = std::find(pass.begin(), pass.end(), position);
    if (found == pass.end()) continue;
    const Segment& segment = segments_[i * extents_.size() + which];
    return segment.first_track + (band - extent.first_band) * pass.size() + static_cast<std::uint64_t>(found - pass.begin());
  }
  TESSERA_CHECK(false, "a position lies outside its band");
  return 0;
}

}  // namespace tessera
