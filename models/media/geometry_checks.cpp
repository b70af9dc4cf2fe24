#include "media/geometry_checks.hpp"

#include <cmath>
#include <cstdint>
#include <map>
#include <set>

namespace tessera {

namespace {

bool whole(double value, double below) { return value >= 0 && value < below && value == std::floor(value); }

std::string text(double value) { return std::to_string(static_cast<std::uint64_t>(value)); }

}  // namespace

void check_surface_zones(const MediaConfig& config, std::vector<std::string>& problems) {
  if (config.surface_zones.empty()) return;
  MediaConfig common = config;
  common.surface_zones.clear();
  const std::vector<MediaZone> zones = zones_of(common);
  const double radii = zones.back().shape.first_radius + double{1} * zones.back().shape.radii;
  std::map<double, double> ends;  // by surface: radius after its last row
  for (std::size_t i = 0; i < config.surface_zones.size(); ++i) {
    const NumberRow& row = config.surface_zones[i];
    const std::string where = "surface_zones: row " + std::to_string(i + 1) + " ";
    if (row.size() != 3 || !whole(row[0], config.surfaces) || !whole(row[1], radii) || !whole(row[2], 1e9) || row[2] == 0)
      return problems.push_back(where + "names a surface or radius that the drive does not have, or no sectors");
    const double first = ends[row[0]];
    if (row[1] < first)
      return problems.push_back(where + "ends at radius " + text(row[1]) + ", inside the zone before it on surface " + text(row[0]) +
                                "; expected " + text(first) + " or more");
    for (const MediaZone& zone : zones) {
      const bool meets = zone.shape.first_radius <= row[1] && zone.shape.first_radius + double{1} * zone.shape.radii > first;
      if (meets && row[2] > zone.shape.sectors_per_track)
        return problems.push_back(where + "has " + text(row[2]) + " sectors per track, but the zone of radius " +
                                  std::to_string(zone.shape.first_radius) + " has " + std::to_string(zone.shape.sectors_per_track) +
                                  "; expected at most as many");
    }
    ends[row[0]] = row[1] + 1;
  }
  for (const auto& [surface, end] : ends)
    if (end != radii)
      return problems.push_back("surface_zones: those of surface " + text(surface) + " end at radius " + text(end - 1) +
                                "; expected the drive's last, " + text(radii - 1));
  for (const MediaZone& zone : zones_of(config))
    if (zone.shape.spare_sectors > zone.shape.radii * zone.shape.radius_sectors(0, config.surfaces))
      return problems.push_back("surface_zones: those that begin at radius " + std::to_string(zone.shape.first_radius) +
                                " hold fewer than the " + std::to_string(zone.shape.spare_sectors) + " spare sectors of their zone");
}

void check_track_order(const MediaConfig& config, std::vector<std::string>& problems) {
  if (config.track_order != TrackOrder::serpentine || config.serpent_tracks == 0) return;
  for (const MediaZone& zone : zones_of(config))
    if (zone.shape.radii > config.serpent_tracks && zone.shape.radii % config.serpent_tracks != 0)
      return problems.push_back("serpent_tracks: " + std::to_string(config.serpent_tracks) + " does not divide the " +
                                std::to_string(zone.shape.radii) + " tracks of the zone of radius " +
                                std::to_string(zone.shape.first_radius) + "; expected whole serpents, with the rest as a zone of its own");
}

void check_head_tolerances(const MediaConfig& config, std::vector<std::string>& problems) {
  double radii = 0;
  for (const MediaZone& zone : zones_of(config)) radii += zone.shape.radii;
  std::set<double> named;
  for (std::size_t i = 0; i < config.head_tolerances.size(); ++i) {
    const NumberRow& row = config.head_tolerances[i];
    const std::string where = "head_tolerances: row " + std::to_string(i + 1) + " ";
    if (row.size() != 4 || !whole(row[0], config.surfaces) || std::abs(row[1]) != std::floor(std::abs(row[1])))
      return problems.push_back(where + "is not a surface of the drive, a whole number of tracks, ms and degrees");
    if (!(std::abs(row[1]) < radii))
      return problems.push_back(where + "sets the head " + text(std::abs(row[1])) + " tracks off, on a drive with " + text(radii) +
                                " tracks per surface; expected fewer than it has");
    if (!(row[2] >= 0 && row[2] <= 1000) || !(row[3] >= 0 && row[3] < 360))
      return problems.push_back(where + "settles for " + std::to_string(row[2]) + " ms at " + std::to_string(row[3]) +
                                " degrees; expected 0 to 1000 ms and 0 to less than 360 degrees");
    if (!named.insert(row[0]).second) return problems.push_back(where + "names surface " + text(row[0]) + " again");
  }
}

void check_arm_tolerances(const MediaConfig& config, std::vector<std::string>& problems) {
  std::set<double> named;
  for (std::size_t i = 0; i < config.arm_tolerances.size(); ++i) {
    const NumberRow& row = config.arm_tolerances[i];
    const std::string where = "arm_tolerances: row " + std::to_string(i + 1) + " ";
    if (row.size() != 3 || !whole(row[0], config.actuators))
      return problems.push_back(where + "is not an arm of the drive, percent and ms");
    if (!(row[1] >= -50 && row[1] <= 100) || !(row[2] >= 0 && row[2] <= 1000))
      return problems.push_back(where + "moves " + std::to_string(row[1]) + " % longer and settles for " + std::to_string(row[2]) +
                                " ms; expected -50 to 100 % and 0 to 1000 ms");
    if (!named.insert(row[0]).second) return problems.push_back(where + "names arm " + text(row[0]) + " again");
  }
}

}  // namespace tessera
