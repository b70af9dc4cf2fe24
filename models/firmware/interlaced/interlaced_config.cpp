#include "firmware/interlaced/interlaced_config.hpp"

#include "firmware/layout/plan_regions.hpp"
#include "firmware/shared/backup_region.hpp"

namespace tessera {

void InterlacedConfig::describe(ParameterVisitor& visitor) {
  visitor.field("top_ratio", top_ratio, {0.1, 1.0}, "sectors of a top track over sectors of a bottom track");
  visitor.field("layout_n", layout_n, {1, 65536}, "logical sectors run over this many bottoms and then over their tops");
  visitor.enumeration("order", order, {"zig_zag", "serpentine"}, "whether the tops of a group are numbered forwards or backwards");
  visitor.enumeration("backup_place", backup_place, {"inner", "middle", "outer"}, "where the backup region lies");
  visitor.field("journal_tracks", journal_tracks, {0, 4096}, "radii set apart for the journal of a write cache");
  visitor.field("skip_unwritten", skip_unwritten, "keeps one bit a track: a top that was never written is neither saved nor restored");
  visitor.field("ack_early", ack_early, "acknowledges when the bottom is written, before the tops are restored");
}

std::uint32_t InterlacedConfig::reserved_radius(const DriveGeometry& geometry) const {
  const std::uint32_t innermost = geometry.radii() - 1;
  return backup_place == ReservedPlace::inner ? innermost : backup_place == ReservedPlace::outer ? 0 : innermost / 2;
}

Region InterlacedConfig::data() const {
  // Angular isolation holds only between tracks without skew.
  return {.name = "data", .format = RecordingFormat::interlaced, .top_ratio = top_ratio, .skewed = false};
}

FormatPlan InterlacedConfig::reserved(const DriveGeometry& geometry, const FormatPlan& more) const {
  const std::uint32_t both_tops = 2 * longest_track(geometry);
  FormatPlan regions{
      {.name = "backup", .count = BackupRegion::radii_needed(geometry, reserved_radius(geometry), both_tops), .skewed = false}};
  regions.insert(regions.end(), more.begin(), more.end());
  if (journal_tracks != 0) regions.push_back({.name = "journal", .count = journal_tracks});
  return regions;
}

}  // namespace tessera
