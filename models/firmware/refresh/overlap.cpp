#include "firmware/refresh/overlap.hpp"

#include <algorithm>
#include <iterator>

namespace tessera {

namespace {

constexpr std::uint32_t interlaced_window = 3;  // a bottom track and both tops

bool overlaps(const Region& region) { return region.format != RecordingFormat::conventional; }

bool in_bands(const Region& region) { return region.format == RecordingFormat::shingled || region.format == RecordingFormat::wave; }

}  // namespace

Overlap::Overlap(const FormatPlan& plan) {
  std::ranges::copy_if(plan, std::back_inserter(regions_), overlaps);
  for (const Region& region : regions_) window_ = std::max(window_, in_bands(region) ? region.head_width : interlaced_window);
}

const Region* Overlap::endless(const FormatPlan& plan) {
  const auto found = std::ranges::find_if(plan, [](const Region& region) { return in_bands(region) && region.band_tracks == 0; });
  return found == plan.end() ? nullptr : &*found;
}

const Region* Overlap::region_of(std::uint32_t radius) const {
  const auto holds = [radius](const Region& region) { return radius >= region.first && radius - region.first < region.count; };
  const auto found = std::ranges::find_if(regions_, holds);
  return found == regions_.end() ? nullptr : &*found;
}

bool Overlap::at(std::uint32_t radius) const { return region_of(radius) != nullptr; }

/// Shingled: band, guard, band, guard, ... Wave: rising band, guard, falling band, then the next pair.
Overlap::Place Overlap::place_of(const Region& region, std::uint32_t radius) {
  const bool wave = region.format == RecordingFormat::wave;
  const std::uint64_t band = region.band_tracks;
  const std::uint64_t place = (radius - region.first) % ((wave ? 2 * band : band) + region.guard_tracks);
  const bool guard = place >= band && place < band + region.guard_tracks;
  return {guard, wave ? place < band : region.direction > 0};
}

Overlap::Reach Overlap::reach(std::uint32_t radius) const {
  const Region* const region = region_of(radius);
  if (region == nullptr) return {};
  Reach reach;
  if (region->format == RecordingFormat::interlaced) {
    if ((radius - region->first) % 2 != 0) return {};  // a top
    reach = {1, 1};
  } else {
    const Place place = place_of(*region, radius);
    const std::uint32_t width = region->head_width - 1;
    if (place.guard) {
      if (region->format == RecordingFormat::shingled) return {};
      reach = {width, width};
    } else {
      reach = place.rising ? Reach{0, width} : Reach{width, 0};
    }
  }
  reach.below = std::min<std::uint32_t>(reach.below, static_cast<std::uint32_t>(radius - region->first));
  reach.above = std::min<std::uint32_t>(reach.above, static_cast<std::uint32_t>(region->first + region->count - 1 - radius));
  return reach;
}

std::optional<std::uint32_t> Overlap::before(std::uint32_t radius) const {
  const Region* const region = region_of(radius);
  if (region == nullptr || !in_bands(*region)) return {};
  const Place place = place_of(*region, radius);
  if (place.guard || (place.rising && radius == region->first)) return {};
  const std::uint32_t side = place.rising ? radius - 1 : radius + 1;
  if (side - region->first >= region->count) return {};
  const Place there = place_of(*region, side);
  return there.guard || there.rising != place.rising ? std::nullopt : std::optional(side);
}

std::vector<std::uint32_t> Overlap::order(std::uint32_t radius) const {
  std::vector<std::uint32_t> radii{radius};
  const Region* const region = region_of(radius);
  if (region == nullptr) return radii;
  if (region->format == RecordingFormat::interlaced) {
    const Reach both = reach(radius);
    if (both.below != 0) radii.push_back(radius - 1);
    if (both.above != 0) radii.push_back(radius + 1);
    return radii;
  }
  const bool wave = region->format == RecordingFormat::wave;
  if (wave && place_of(*region, radius).guard) return {};
  const bool rising = place_of(*region, radius).rising;
  const auto beyond = [&](std::uint32_t from) {
    const Reach of = reach(from);
    return rising ? of.above : of.below;
  };
  // `left`: tracks beyond the last one that the rewrite has destroyed so far.
  for (std::uint32_t left = beyond(radius), at = radius; left != 0;) {
    at = rising ? at + 1 : at - 1;
    if (wave && place_of(*region, at).guard) break;
    radii.push_back(at);
    left = std::max(left - 1, beyond(at));
  }
  return radii;
}

}  // namespace tessera
