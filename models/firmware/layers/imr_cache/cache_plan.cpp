#include "firmware/layers/imr_cache/cache_plan.hpp"

#include "firmware/layout/plan_regions.hpp"

#include <algorithm>

namespace tessera::cache {

namespace {

/// Radii of the cache in front of which so many radii of data lie.
struct Group {
  std::uint64_t data_before = 0;
  std::uint64_t radii = 0;
};

/// Pairs of a bottom and its unused top for `slots` slots, on tracks of `length` sectors.
std::uint64_t radii_for(std::uint64_t slots, std::uint32_t surfaces, std::uint32_t longest, std::uint32_t length) {
  const std::uint64_t of_a_surface = (slots + surfaces - 1) / surfaces;
  return 2 * ((of_a_surface * longest + length - 1) / length);
}

std::vector<Group> groups_of(const ImrCacheConfig& config, const DriveGeometry& geometry) {
  const std::uint32_t longest = longest_track(geometry);
  const std::uint32_t count = config.place == CachePlace::od ? 1 : std::min(config.cache_groups, config.cache_tracks);
  std::vector<Group> groups;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint64_t slots = std::uint64_t{config.cache_tracks} * (i + 1) / count - std::uint64_t{config.cache_tracks} * i / count;
    const std::uint64_t centre = config.place == CachePlace::od ? 0 : geometry.radii() * (2 * std::uint64_t{i} + 1) / (2 * count);
    const std::uint32_t length = geometry.zone_of(static_cast<std::uint32_t>(centre)).sectors_per_track;
    groups.push_back({centre / 2 * 2, radii_for(slots, geometry.surfaces, longest, length)});
  }
  return groups;
}

/// Appends a region of `count` radii like `of`; the first of several has the number 0.
void append(FormatPlan& plan, Region of, const std::string& name, std::uint64_t count) {
  if (count == 0) return;
  of.name = name;
  of.first = plan.empty() ? 0 : plan.back().first + plan.back().count;
  of.count = count;
  plan.push_back(std::move(of));
}

}  // namespace

FormatPlan plan_with_cache(const ImrCacheConfig& config, const DriveGeometry& geometry, std::string& problem) {
  const InterlacedConfig& interlaced = config.moving.interlaced;
  std::vector<Group> groups = groups_of(config, geometry);
  std::uint64_t cache_radii = 0;
  for (const Group& group : groups) cache_radii += group.radii;
  const FormatPlan reserved = config.moving.reserved(geometry, 2 * longest_track(geometry), CacheMap::image_bytes(config.cache_tracks));
  FormatPlan around;
  if (cache_radii < geometry.radii()) {
    around = plan_around(geometry.radii() - cache_radii, interlaced.data(config.paper), reserved, interlaced.backup_place);
  }
  if (around.empty()) {
    problem = "the drive has too few tracks for data beside " + std::to_string(config.cache_tracks) +
              " cached tracks, the backup regions and the log of the track map (cache_tracks: fewer, or a larger drive)";
    return {};
  }

  // Centres count all radii; scale them to those of data.
  std::uint64_t data_radii = 0;
  for (const Region& region : regions_named(around, "data")) data_radii += region.count;
  for (Group& group : groups) group.data_before = group.data_before * data_radii / geometry.radii() / 2 * 2;

  FormatPlan plan;
  std::size_t next = 0;
  std::uint64_t data = 0;
  std::size_t parts = 0;
  for (const Region& region : around) {
    if (region.format != RecordingFormat::interlaced) {
      append(plan, region, region.name, region.count);
      continue;
    }
    const std::uint64_t end = data + region.count;
    for (; next < groups.size() && groups[next].data_before < end; ++next) {
      const std::uint64_t before = std::max(groups[next].data_before, data) - data;
      append(plan, region, "data_" + std::to_string(parts), before);
      parts += before != 0 ? 1 : 0;
      append(plan, region, "cache_" + std::to_string(next), groups[next].radii);
      data += before;
    }
    append(plan, region, "data_" + std::to_string(parts++), end - data);
    data = end;
  }
  return plan;
}

}  // namespace tessera::cache
