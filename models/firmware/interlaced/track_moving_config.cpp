#include "firmware/interlaced/track_moving_layer.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera {

void MovingConfig::describe(ParameterVisitor& visitor) {
  interlaced.describe(visitor);
  describe_moves(visitor);
}

void MovingConfig::describe_moves(ParameterVisitor& visitor) {
  visitor.field("update_frequency", update_frequency, {1, 1e8}, "writes of tracks after which the hot ones are looked for");
  visitor.enumeration("heat", heat, {"media", "host"},
                      "writes that count: those that reach the tracks, or the host's, in front of a write cache");
  gate.describe(visitor);
  visitor.field("log_records", log_records, {1, 1e6}, "changes of the track map between two checkpoints");
}

FormatPlan MovingConfig::reserved(const DriveGeometry& geometry, std::uint64_t images, std::uint64_t map_bytes) const {
  const std::uint32_t radius = interlaced.reserved_radius(geometry);
  return interlaced.reserved(geometry, {{.name = "moves", .count = radii_holding(geometry, radius, images), .skewed = false},
                                        {.name = "log", .count = MoveLog::radii_needed(geometry, radius, map_bytes, log_records)}});
}

}  // namespace tessera
