#pragma once
// The parameters of Fluid and Fluid_loop. The Amphisbaena paper (section 6.1) describes them in a sentence each: what decides
// beyond that is ours, and marked.
#include <cstdint>

#include "base/units.hpp"
#include "firmware/zones/zone_config.hpp"

namespace tessera::fluid {

/// When the slot of a sector that left the middle of the log takes a new one.
enum class LogHoles : std::uint32_t { circular, reuse };
/// Where an update of a buffered sector goes.
enum class Update : std::uint32_t { in_place, append };
/// Which zones are hot.
enum class HotRule : std::uint32_t { share, mean };

struct FluidConfig {
  ZoneConfig zones;
  LogHoles log_holes = LogHoles::circular;
  Update update = Update::in_place;   // "can be updated in place"
  Bytes evict_segment{0};             // "the victim is evicted in a FIFO manner" names neither zone nor segment
  HotRule hot_rule = HotRule::share;  // ours, as the next three
  double hot_frac = 0.2;
  std::uint64_t hot_decay = 50000;
  double loop_max = 0.25;
  bool loop = false;  ///< Fluid_loop: not a parameter, but which of the two layers it is

  /// A re-queued sector is on the platter twice for a moment: one slot is kept for its copy.
  [[nodiscard]] std::uint32_t reserve() const { return loop ? 1 : 0; }
  /// Slots of the segment; 0: zones leave whole.
  [[nodiscard]] std::uint64_t segment_slots(std::uint32_t sector_bytes) const {
    return (evict_segment.value() + sector_bytes - 1) / sector_bytes;
  }

  void describe(ParameterVisitor& v) {
    zones.describe(v);
    v.enumeration("log_holes", log_holes, {"circular", "reuse"}, "holes in the log are used again when its tail passes them, or at once");
    v.enumeration("update", update, {"in_place", "append"},
                  "buffered sectors are overwritten where they are, or appended again (where a cut can corrupt a sector)");
    v.field("evict_segment", evict_segment, {0, 1e12},
            "what leaves the log's tail together, each zone's sectors in it at once; 0: the zone of the sector at the tail, with all its "
            "sectors in the log");
    if (!loop) return;
    v.enumeration("hot_rule", hot_rule, {"share", "mean"}, "hot zones: the most written hot_frac of them, or twice the mean and more");
    v.unused_where(hot_rule != HotRule::share, "hot_rule is not share", [&] {
      v.field("hot_frac", hot_frac, {0, 1}, "share of the written zones that is hot");
    });
    v.field("hot_decay", hot_decay, {1, 1e12}, "sectors written after which the zones' counts are halved");
    v.field("loop_max", loop_max, {0, 1}, "share of the log that is re-queued at most before something is written back");
  }
};

}  // namespace tessera::fluid
