#include "firmware/interlaced/interlaced_config.hpp"

#include "firmware/layout/plan_regions.hpp"

namespace tessera {

void InterlacedConfig::describe(ParameterVisitor& visitor) {
  visitor.field("top_ratio", top_ratio, {0.1, 1.0}, "sectors of a top track over sectors of a bottom track");
  visitor.field("layout_n", layout_n, {1, 65536}, "logical sectors run over this many bottoms and then over their tops");
  visitor.unused_where(layout_n == 1, "layout_n is 1: a group has one top", [&] {
    visitor.enumeration("order", order, {"zig_zag", "serpentine"}, "whether the tops of a group are numbered forwards or backwards");
  });
  visitor.enumeration("backup_place", backup_place, {"inner", "middle", "outer"}, "where the backup region lies");
  visitor.field("backup_slots", backup_slots, {1, BackupRegion::most_slots},
                "read-modify-writes that may be under way at once; each has a staging buffer and tracks of the backup region of its own");
  visitor.field("journal_tracks", journal_tracks, {0, 4096}, "radii set apart for the journal of a write cache");
  visitor.field("skip_unwritten", skip_unwritten, "keeps one bit a track: a top that was never written is neither saved nor restored");
  visitor.field("ack_early", ack_early, "acknowledges when the bottom is written, before the tops are restored");
}

std::uint32_t InterlacedConfig::reserved_radius(const DriveGeometry& geometry) const {
  const std::uint32_t innermost = geometry.radii() - 1;
  return backup_place == ReservedPlace::inner ? innermost : backup_place == ReservedPlace::outer ? 0 : innermost / 2;
}

Region InterlacedConfig::data(bool paper) const {
  // What a write destroys keeps its places only between tracks without skew.
  return {.name = "data", .format = RecordingFormat::interlaced, .top_ratio = top_ratio, .skewed = false, .staggered = !paper};
}

BackupRegion::Shape InterlacedConfig::backup_shape(const DriveGeometry& geometry) const {
  return {backup_slots, 2 * longest_track(geometry)};
}

FormatPlan InterlacedConfig::reserved(const DriveGeometry& geometry, const FormatPlan& more) const {
  const std::uint64_t backup = BackupRegion::radii_needed(geometry, reserved_radius(geometry), backup_shape(geometry));
  FormatPlan regions{{.name = "backup", .count = backup, .skewed = false}};
  regions.insert(regions.end(), more.begin(), more.end());
  if (journal_tracks != 0) regions.push_back({.name = "journal", .count = journal_tracks});
  return regions;
}

FormatPlan InterlacedConfig::plan(const DriveGeometry& geometry, bool paper, std::string& problem) const {
  FormatPlan plan = plan_around(geometry.radii(), data(paper), reserved(geometry, {}), backup_place);
  if (plan.empty()) problem = "the drive has too few tracks for data beside the backup region";
  return plan;
}

}  // namespace tessera
