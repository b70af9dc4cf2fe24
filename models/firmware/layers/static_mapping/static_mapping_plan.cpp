// What the static mappings ask of a drive.
#include <algorithm>

#include "firmware/layers/static_mapping/static_mapping_config.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "firmware/logs/superblock.hpp"

namespace tessera::static_mapping {

void StaticMappingConfig::describe(ParameterVisitor& visitor) {
  visitor.field("band_tracks", band_tracks, {2, 5},
                "data tracks of a band (N); only shingled-in-place-1234 knows another order than that of four");
  visitor.field("head_width", head_width, {2, most_head_width}, "tracks under the write head (W); W-1 guard tracks follow each band");
  visitor.field("raz_tracks", raz_tracks, {0, 65536}, "tracks of the random access zone on each surface (k), of which half are used");
  visitor.field(
      "backup_slots", backup_slots, {1, BackupRegion::most_slots},
      "updates of tracks with data behind them that may be under way at once; each has a staging buffer and, where what it destroys "
      "is saved, tracks of the random access zone of its own");
  visitor.field("journal_tracks", journal_tracks, {0, 4096}, "of these, tracks set apart for the journal of a write cache");
  visitor.field(
      "paper", paper,
      "as the paper: nothing is saved before an update, the used tracks are those below the highest one, and tracks begin at equal angles");
  visitor.unused_where(paper, "paper is true", [&] {
    visitor.field("crash_safe", crash_safe,
                  "saves what an update destroys, and keeps a record of the used tracks, in the random access zone");
  });
}

BackupRegion::Shape StaticMappingConfig::backup_shape(const DriveGeometry& geometry) const {
  return {backup_slots, (band_tracks - 1) * longest_track(geometry)};
}

namespace {

/// For the record of the used tracks: twice what it takes, as slipped defects make tracks shorter.
std::uint64_t log_radii(const DriveGeometry& geometry) {
  const std::uint64_t at_radius = std::uint64_t{geometry.zones.front().sectors_per_track} * geometry.surfaces;
  return (2 * std::uint64_t{Superblock::sectors} + at_radius - 1) / at_radius;
}

/// Tracks that the backup region needs: in each slot room for one record of N-1 runs beside the newest one's track.
std::uint64_t backup_tracks(const StaticMappingConfig& config) {
  return config.backup_slots * std::max<std::uint64_t>(3, config.band_tracks + 1);
}

std::string problem_of(const StaticMappingConfig& config, const DriveGeometry& geometry) {
  if (config.scheme != Scheme::s1234 && config.band_tracks != 4)
    return "the mapping orders the tracks of bands of 4, but band_tracks is " + std::to_string(config.band_tracks) +
           "; shingled-in-place-1234 carries any";
  const std::uint64_t usable = config.raz_tracks / 2;
  const std::uint64_t needed =
      (backup_tracks(config) + geometry.surfaces - 1) / geometry.surfaces + log_radii(geometry) + config.journal_tracks;
  if (config.safe() && usable < needed)
    return "a random access zone of " + std::to_string(config.raz_tracks) + " tracks has " + std::to_string(usable) +
           " to use, but saving what an update destroys needs " + std::to_string(needed) + ": raz_tracks of " + std::to_string(2 * needed) +
           " would do";
  if (!config.safe() && usable < config.journal_tracks)
    return "a random access zone of " + std::to_string(config.raz_tracks) + " tracks has " + std::to_string(usable) +
           " to use, fewer than the " + std::to_string(config.journal_tracks) + " of journal_tracks";
  if (config.raz_tracks != 0 && geometry.zones.front().radii < config.raz_tracks)
    return "a random access zone of " + std::to_string(config.raz_tracks) +
           " tracks does not fit the outermost zone of the drive, which has " + std::to_string(geometry.zones.front().radii);
  return {};
}

}  // namespace

FormatPlan plan_static(const StaticMappingConfig& config, const DriveGeometry& geometry, std::string& problem) {
  problem = problem_of(config, geometry);
  if (!problem.empty()) return {};

  FormatPlan plan;
  std::uint64_t next = 0;
  const auto reserve = [&](const char* name, std::uint64_t radii, bool skewed) {
    if (radii != 0) plan.push_back({.name = name, .first = next, .count = radii, .skewed = skewed});
    next += radii;
  };
  if (config.safe()) reserve("log", log_radii(geometry), true);
  reserve("journal", config.journal_tracks, true);
  // Records lie half a turn away from what they save (BackupRegion): angles must mean the same here as in the bands.
  if (config.safe()) reserve("backup", config.raz_tracks / 2 - next, false);

  // What a write destroys keeps its places only between tracks without skew.
  const TrackStarts starts = config.paper ? TrackStarts::aligned : TrackStarts::staggered;
  const FormatPlan bands = plan_band_tracks(geometry, config.raz_tracks, config.band_tracks, config.head_width, starts);
  plan.insert(plan.end(), bands.begin(), bands.end());
  if (!bands.empty()) return plan;
  problem = "the drive has " + std::to_string(geometry.radii()) +
            " tracks a surface, but the random access zone and one band with its guard take " +
            std::to_string(config.raz_tracks + config.band_tracks + config.head_width - 1);
  return {};
}

}  // namespace tessera::static_mapping
