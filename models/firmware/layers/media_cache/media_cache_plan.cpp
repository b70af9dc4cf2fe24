#include "firmware/layers/media_cache/media_cache_plan.hpp"

#include <algorithm>
#include <vector>

#include "firmware/layers/media_cache/band_places.hpp"
#include "firmware/layers/media_cache/map_checkpoint.hpp"
#include "firmware/layers/media_cache/merge_area.hpp"
#include "firmware/layers/media_cache/packet_log.hpp"

namespace tessera::media_cache {

namespace {

constexpr std::uint64_t least_log = 16;      // sectors: a packet is an eighth of it at most
constexpr std::uint32_t least_entries = 64;  // for the packets on their way

/// The radii [first, end) of a drive.
DriveGeometry radii_of(const DriveGeometry& whole, std::uint64_t first, std::uint64_t end) {
  DriveGeometry part = whole;
  part.zones.clear();
  for (GeometryZone zone : whole.zones) {
    const std::uint64_t from = std::max<std::uint64_t>(zone.first_radius, first);
    const std::uint64_t to = std::min<std::uint64_t>(std::uint64_t{zone.first_radius} + zone.radii, end);
    if (from >= to) continue;
    zone.first_radius = static_cast<std::uint32_t>(from);
    zone.radii = static_cast<std::uint32_t>(to - from);
    part.zones.push_back(zone);
  }
  return part;
}

/// Radii from `first` on that hold `sectors`, and one for slipped defects.
std::uint64_t radii_from(const DriveGeometry& geometry, std::uint64_t first, std::uint64_t sectors) {
  std::uint64_t radii = 0;
  std::uint64_t held = 0;
  while (held < sectors && first + radii < geometry.radii())
    held += geometry.zone_of(static_cast<std::uint32_t>(first + radii++)).radius_sectors(0, geometry.surfaces);
  return radii + 1;
}

}  // namespace

FormatPlan plan_media_cache(const MediaCacheConfig& config, const DriveGeometry& geometry, std::string& problem, std::uint64_t left_out) {
  const std::uint32_t band_sectors = config.band_tracks * longest_track(geometry);
  const std::uint64_t log = config.log_sectors(geometry);
  const std::uint64_t map = TableLog::least_sectors(MapCheckpoint::image_bytes_of(config.map_capacity(geometry)), geometry.sector_bytes);
  if (config.map_limit(geometry) < least_entries) {
    problem = "a map of " + std::to_string(config.map_limit(geometry)) + " entries is too small: the packets on their way take up to " +
              std::to_string(least_entries);
    return {};
  }
  if (log < least_log) {
    problem = "a media cache of " + std::to_string(log) + " sectors is too small: it takes " + std::to_string(least_log);
    return {};
  }
  const bool to_spare = config.merge_to != MergeTo::place;
  const std::uint64_t most_bands = geometry.radii() / config.band_tracks * geometry.surfaces;
  struct Part {
    const char* name;
    std::uint64_t sectors;
  };
  std::vector<Part> parts{{"cache", log + config.reserve(geometry)}};
  if (config.merge_to != MergeTo::spare) parts.push_back({"merge", MergeArea::least_sectors(band_sectors)});
  if (to_spare) parts.push_back({"places", BandPlaces::least_log_sectors(most_bands, geometry.sector_bytes)});
  parts.push_back({"map", map});

  // At the inner end and in the middle the regions begin where as many radii follow as they take there.
  std::uint64_t reserved = 0;
  for (const Part& part : parts) reserved += radii_for(geometry, part.sectors) + 1;
  std::uint64_t at = left_out;
  if (left_out + reserved < geometry.radii() && config.cache_place == ReservedPlace::inner) at = geometry.radii() - reserved;
  if (left_out + reserved < geometry.radii() && config.cache_place == ReservedPlace::middle)
    at = (left_out + geometry.radii() - reserved) / 2;
  FormatPlan plan;
  const std::uint64_t begin = at;
  for (const Part& part : parts) {
    const std::uint64_t radii = radii_from(geometry, at, part.sectors);
    plan.push_back({.name = part.name, .first = at, .count = radii});
    at += radii;
  }
  FormatPlan in_front =
      plan_band_tracks(radii_of(geometry, left_out, begin), 0, config.band_tracks, config.head_width, TrackStarts::skewed);
  FormatPlan behind =
      plan_band_tracks(radii_of(geometry, at, geometry.radii()), 0, config.band_tracks, config.head_width, TrackStarts::skewed);
  const auto too_small = [&](const Region& region) {
    const std::uint64_t places = region.count / (region.band_tracks + region.guard_tracks) * geometry.surfaces;
    return to_spare && places <= BandPlaces::spares(places);
  };
  std::erase_if(in_front, too_small);
  std::erase_if(behind, too_small);
  if (in_front.empty() && behind.empty()) {  // also where the regions do not fit: they begin at the outermost radius then
    problem = "a media cache of " + std::to_string(log) + " sectors, with merge area and checkpoints, leaves no room for a band of " +
              std::to_string(config.band_tracks) + (to_spare ? " tracks, its guard and a spare one" : " tracks and its guard") +
              " on a drive of " + std::to_string(geometry.radii()) + " tracks a surface";
    return {};
  }
  plan.insert(plan.begin(), in_front.begin(), in_front.end());
  plan.insert(plan.end(), behind.begin(), behind.end());
  return plan;
}

}  // namespace tessera::media_cache
