// Whether a layer's plan fits the drive.
#include <string>

#include "media/track_geometry.hpp"

namespace tessera {

namespace {

void check_bands(const Region& region, const std::string& where, std::vector<std::string>& problems) {
  const bool wave = region.format == RecordingFormat::wave;
  if (region.head_width < 1) problems.push_back(where + "head_width is 0");
  if (!wave && region.direction != 1 && region.direction != -1) problems.push_back(where + "direction is neither 1 nor -1");
  if (wave && region.band_tracks == 0) problems.push_back(where + "a wave format needs band_tracks");
  if (region.band_tracks == 0 && region.guard_tracks != 0) problems.push_back(where + "guard tracks without bands");
}

void check_tops(const DriveGeometry& geometry, const Region& region, const std::string& where, std::vector<std::string>& problems) {
  if (!(region.top_ratio > 0 && region.top_ratio <= 1)) {
    problems.push_back(where + "top_ratio is not within (0, 1]");
    return;
  }
  for (const GeometryZone& zone : geometry.zones)
    if (region.top_ratio * zone.sectors_per_track < 1) problems.push_back(where + "a top track would hold no sector");
}

}  // namespace

std::vector<std::string> check_plan(const DriveGeometry& geometry, const FormatPlan& plan) {
  std::vector<std::string> problems;
  std::uint64_t free_from = 0;
  for (const Region& region : plan) {
    const std::string where = "region '" + region.name + "': ";
    if (region.count == 0) problems.push_back(where + "has no tracks");
    if (region.first < free_from) problems.push_back(where + "overlaps or precedes the region before it");
    if (region.first > geometry.radii() || region.count > geometry.radii() - region.first) {
      problems.push_back(where + "tracks " + std::to_string(region.first) + " to " + std::to_string(region.first + region.count - 1) +
                         " of a drive that has " + std::to_string(geometry.radii()) + " a surface");
      continue;
    }
    free_from = region.first + region.count;
    if (region.format == RecordingFormat::shingled || region.format == RecordingFormat::wave) check_bands(region, where, problems);
    if (region.format == RecordingFormat::interlaced) check_tops(geometry, region, where, problems);
  }
  return problems;
}

}  // namespace tessera
