// The zones of a description, cut where a surface's own zone ends.
#include <algorithm>
#include <set>

#include "media/media_config.hpp"

namespace tessera {

namespace {

std::uint32_t count_of(double value) { return static_cast<std::uint32_t>(value); }

std::vector<MediaZone> declared_zones(const MediaConfig& config) {
  if (config.zones.empty()) return {{{0, config.tracks, config.sectors_per_track, 0}, config.track_skew, config.cylinder_skew, 0}};
  std::vector<MediaZone> zones;
  std::uint32_t first = 0;
  for (const NumberRow& row : config.zones) {
    const std::uint32_t end = count_of(row[0]) + 1;
    zones.push_back({{first, end - first, count_of(row[1]), count_of(row[4])}, count_of(row[2]), count_of(row[3]), count_of(row[5])});
    first = end;
  }
  return zones;
}

/// Of a surface at a radius; 0 where the surface has no zones of its own there.
std::uint32_t own_sectors(const MediaConfig& config, std::uint32_t surface, std::uint32_t radius) {
  for (const NumberRow& row : config.surface_zones)
    if (count_of(row[0]) == surface && radius <= count_of(row[1])) return count_of(row[2]);
  return 0;
}

}  // namespace

std::uint64_t unit_skew(const MediaConfig& config, const MediaZone& zone, const TrackUnits& units, std::uint32_t surfaces) {
  const TrackSkews skews = track_skews(config, zone);
  return surfaces * (units.radii - 1) * skews.radius + (surfaces - 1) * skews.surface + skews.unit;
}

TrackSkews track_skews(const MediaConfig& config, const MediaZone& zone) {
  if (config.surfaces == 1) return {zone.cylinder_skew, zone.track_skew, zone.cylinder_skew};  // every order is that of the radii
  const bool returns = config.track_order == TrackOrder::serpentine || config.track_order == TrackOrder::surface;
  if (!returns) return {0, zone.track_skew, zone.cylinder_skew};
  const std::uint64_t turn = revolution(config.speed).value();
  const std::uint64_t sectors = zone.shape.sectors_per_track + config.track_spares;
  const std::uint64_t back = (config.serpent_skew.value() % turn * sectors + turn - 1) / turn;
  return {zone.cylinder_skew, config.track_order == TrackOrder::surface ? back : zone.track_skew, back};
}

std::vector<MediaZone> zones_of(const MediaConfig& config) {
  std::vector<MediaZone> declared = declared_zones(config);
  if (config.surface_zones.empty()) return declared;
  std::set<std::uint32_t> borders;
  for (const NumberRow& row : config.surface_zones) borders.insert(count_of(row[1]) + 1);
  std::vector<MediaZone> zones;
  for (const MediaZone& whole : declared) {
    const std::uint32_t zone_end = whole.shape.first_radius + whole.shape.radii;
    const std::uint64_t turn = whole.shape.sectors_per_track + config.track_spares;
    std::uint64_t start = whole.start_angle;
    for (std::uint32_t first = whole.shape.first_radius; first < zone_end;) {
      const auto border = borders.upper_bound(first);
      MediaZone zone = whole;
      zone.shape.first_radius = first;
      zone.shape.radii = std::min(zone_end, border == borders.end() ? zone_end : *border) - first;
      zone.start_angle = static_cast<std::uint32_t>(start);
      first += zone.shape.radii;
      if (first < zone_end) zone.shape.spare_sectors = 0;
      for (std::uint32_t surface = 0; surface < config.surfaces; ++surface) {
        const std::uint32_t own = own_sectors(config, surface, zone.shape.first_radius);
        zone.shape.surface_sectors.push_back(own == 0 ? whole.shape.sectors_per_track : own);
      }
      if (std::ranges::all_of(zone.shape.surface_sectors, [&](std::uint32_t own) { return own == whole.shape.sectors_per_track; }))
        zone.shape.surface_sectors.clear();
      const TrackUnits units = TrackUnits::of(config.track_order, config.serpent_tracks, zone.shape.first_radius, zone.shape.radii);
      if (turn != 0) start = (start + zone.shape.radii / units.radii * (unit_skew(config, zone, units, config.surfaces) % turn)) % turn;
      zones.push_back(std::move(zone));
    }
  }
  return zones;
}

}  // namespace tessera
