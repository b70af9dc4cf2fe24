#include "firmware/layout/band_track_layout.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "firmware/layout/stagger.hpp"

namespace tessera {

FormatPlan plan_band_tracks(const DriveGeometry& geometry, std::uint64_t first_radius, std::uint32_t band_tracks, std::uint32_t head_width,
                            TrackStarts starts) {
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
                    .skewed = starts == TrackStarts::skewed,
                    .staggered = starts == TrackStarts::staggered,
                    .equal_tracks = true});
  }
  return plan;
}

std::vector<BandPass> tracks_in_order(std::uint32_t band_tracks) {
  BandPass pass(band_tracks);
  std::iota(pass.begin(), pass.end(), 0U);
  return {pass};
}

BandTrackLayout::BandTrackLayout(const DriveGeometry& geometry, const FormatPlan& regions, const MediaPort& media,
                                 std::vector<BandPass> passes, std::uint64_t (*spares)(std::uint64_t), SurfaceOrder order)
    : media_(media), passes_(std::move(passes)), surfaces_(geometry.surfaces), band_tracks_(regions.front().band_tracks) {
  for (const Region& region : regions) {
    const auto first = static_cast<std::uint32_t>(region.first);
    const std::uint32_t stride = region.band_tracks + region.guard_tracks;
    const std::uint64_t places = region.count / stride * geometry.surfaces;
    const std::uint64_t bands = places - (spares == nullptr ? 0 : spares(places));
    std::uint32_t shortest = geometry.zone_of(first).sectors_per_track;
    const std::uint64_t asked = media.uniform() ? 1 : region.count;
    for (std::uint32_t radius = first; radius < first + asked; ++radius) {
      if ((radius - first) % stride >= band_tracks_) continue;
      for (std::uint32_t surface = 0; surface < geometry.surfaces; ++surface)
        shortest = std::min(shortest, media.sectors_on({surface, radius}));
    }
    const bool staggered = region.staggered && !region.skewed && geometry.switches.any();
    const bool in_turn = staggered || order == SurfaceOrder::in_turn;
    TESSERA_CHECK(!in_turn || bands == places, "bands whose surfaces are used in turn, with spares among them");
    extents_.push_back({bands_, bands, places, first, stride, shortest, staggered, in_turn});
    bands_ += bands;
  }
  std::uint64_t sector = 0;
  std::uint64_t track = 0;
  for (const BandPass& pass : passes_) {
    for (const Extent& extent : extents_) {
      const std::uint64_t tracks = extent.bands * pass.size();
      const std::uint64_t end = sector + tracks * extent.track_sectors;
      const std::uint64_t together = extent.in_turn ? geometry.surfaces : 1;
      segments_.push_back(
          {sector, end, track, &extent, &pass, FixedDivisor(extent.track_sectors), FixedDivisor(pass.size() * together), {}});
      if (extent.staggered) segments_.back().stagger = stagger_of(extent, pass, geometry.switches);
      sector = end;
      track += tracks;
    }
  }
}

/// In the order of the pass in the bands of all surfaces, and then the next radii.
BandTrackLayout::Stagger BandTrackLayout::stagger_of(const Extent& extent, const BandPass& pass, const TrackSwitches& switches) const {
  const auto surfaces = static_cast<std::uint32_t>(surfaces_.divisor());
  // From the last surface at one radius to the first surface at another.
  const auto inwards = [&](std::uint32_t from, std::uint32_t to) {
    return lead_of(switches, to > from ? to - from : from - to, surfaces > 1, extent.track_sectors);
  };
  Stagger stagger;
  if (surfaces > 1) stagger.surface = lead_of(switches, 0, true, extent.track_sectors);
  const std::uint32_t all_surfaces = stagger.surface * (surfaces - 1);
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < pass.size(); ++i) {
    if (i != 0) sum += all_surfaces + inwards(pass[i - 1], pass[i]);
    stagger.in_pass.push_back(sum);
  }
  stagger.stride = sum + all_surfaces + inwards(pass.back(), extent.stride + pass.front());
  return stagger;
}

BandTrackLayout::InPass BandTrackLayout::in_pass_of(const Segment& segment, std::uint64_t track) const {
  const std::uint64_t number = segment.pass_tracks.quotient(track);
  const std::uint64_t rest = track - number * segment.pass_tracks.divisor();
  if (!segment.extent->in_turn) return {number, rest};
  const std::uint64_t place = surfaces_.quotient(rest);
  return {number * surfaces_.divisor() + rest - place * surfaces_.divisor(), place};
}

/// And back, from the segment's first track.
std::uint64_t BandTrackLayout::track_of(const Segment& segment, const InPass& at) const {
  if (!segment.extent->in_turn) return at.band * segment.pass_tracks.divisor() + at.place;
  const std::uint64_t number = surfaces_.quotient(at.band);
  const std::uint64_t surface = at.band - number * surfaces_.divisor();
  return number * segment.pass_tracks.divisor() + at.place * surfaces_.divisor() + surface;
}

std::uint32_t BandTrackLayout::begins(const Segment& segment, const InPass& at) const {
  const Stagger& stagger = segment.stagger;
  const std::uint64_t number = surfaces_.quotient(at.band);
  const std::uint64_t surface = at.band - number * surfaces_.divisor();
  return static_cast<std::uint32_t>(number * stagger.stride + surface * stagger.surface + stagger.in_pass[at.place]);
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
  const InPass at = in_pass_of(segment, track);

  Piece piece;
  piece.track = segment.first_track + track;
  piece.band = extent.first_band + at.band;
  piece.position = pass[at.place];
  piece.track_sectors = extent.track_sectors;
  piece.before = index;
  piece.run = {track_of(static_cast<std::size_t>(&extent - extents_.data()), at.band, piece.position), index,
               std::min(run.count, extent.track_sectors - index)};
  if (extent.staggered) {
    const std::uint32_t sectors = media_.sectors_on(piece.run.track);  // perhaps more than count: the last ones stay unused
    piece.run.first = tessera::staggered(index, sector_at(begins(segment, at), sectors), sectors);
  }
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
    return segment.first_track + track_of(segment, {band - extent.first_band, static_cast<std::uint64_t>(found - pass.begin())});
  }
  TESSERA_CHECK(false, "a position lies outside its band");
  return 0;
}

}  // namespace tessera
