#include "firmware/interlaced/interlaced_tracks.hpp"

#include <algorithm>

#include "firmware/layout/same_angles.hpp"

namespace tessera {

InterlacedTracks::InterlacedTracks(const MediaPort& media, const DriveGeometry& geometry, FormatPlan regions)
    : media_(media),
      surfaces_(geometry.surfaces),
      spares_(geometry.track_spares),
      count_(geometry.tracks()),
      regions_(std::move(regions)) {}

const Region* InterlacedTracks::region_of(PhysicalTrack track) const {
  const auto found = std::find_if(regions_.begin(), regions_.end(), [track](const Region& region) {
    return track.radius >= region.first && track.radius < region.first + region.count;
  });
  return found == regions_.end() ? nullptr : &*found;
}

bool InterlacedTracks::is_bottom(PhysicalTrack track) const {
  const Region* const region = region_of(track);
  return region != nullptr && (track.radius - region->first) % 2 == 0;
}

std::optional<PhysicalTrack> InterlacedTracks::in_front(PhysicalTrack track) const {
  const Region* const region = region_of(track);
  if (region == nullptr || track.radius == region->first) return std::nullopt;
  return PhysicalTrack{track.surface, track.radius - 1};
}

std::optional<PhysicalTrack> InterlacedTracks::behind(PhysicalTrack track) const {
  const Region* const region = region_of(track);
  if (region == nullptr || track.radius + 1 >= region->first + region->count) return std::nullopt;
  return PhysicalTrack{track.surface, track.radius + 1};
}

Neighbours InterlacedTracks::neighbours_of(const PhysicalRun& run) const {
  Neighbours neighbours;
  if (const auto before = in_front(run.track)) neighbours.add(covering(run, *before, media_, spares_));
  if (const auto after = behind(run.track)) neighbours.add(covering(run, *after, media_, spares_));
  return neighbours;
}

AngularBox InterlacedTracks::reach(const PhysicalRun& run) const {
  AngularBox reach = box(run);
  if (!is_bottom(run.track)) return reach;
  const Neighbours tops = neighbours_of(run);
  for (std::uint32_t i = 0; i < tops.count; ++i) reach.enclose(box(tops.runs[i]));
  return reach;
}

std::uint64_t InterlacedTracks::bottoms() const {
  std::uint64_t bottoms = 0;
  for (const Region& region : regions_) bottoms += (region.count + 1) / 2 * surfaces_;
  return bottoms;
}

std::uint64_t InterlacedTracks::bottom_number(PhysicalTrack bottom) const {
  std::uint64_t before = 0;
  for (const Region& region : regions_) {
    if (bottom.radius < region.first + region.count) return before + (bottom.radius - region.first) / 2 * surfaces_ + bottom.surface;
    before += (region.count + 1) / 2 * surfaces_;
  }
  return before;
}

}  // namespace tessera
