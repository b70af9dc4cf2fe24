#include "firmware/refresh/refresh_config.hpp"

#include "firmware/refresh/overlap.hpp"

namespace tessera {

void RefreshConfig::describe(ParameterVisitor& visitor) {
  visitor.field("threshold", threshold, {0, most},
                "writes next to a track after which the firmware reads and rewrites it; 0: no refresh; 16 or more otherwise");
  const UnusedWhere without_refresh(visitor, threshold == 0, "firmware.refresh.threshold is 0");
  visitor.enumeration("counters", counters, {"track", "area"},
                      "track: a counter per track, of the writes next to it; area: a counter per part of a track, of the writes to it");
  {
    const UnusedWhere by_track(visitor, counters == RefreshCounters::track, "firmware.refresh.counters is track");
    visitor.field("areas_per_track", areas_per_track, {2, 1024}, "parts of a track that have a counter each");
  }
  visitor.field(
      "dumped", dumped,
      "whether a power cut leaves the counters as they were; otherwise each track is refreshed at the next write that counts for it");
}

std::string RefreshConfig::problem(const FormatPlan& plan) const {
  if (!used()) return {};
  const std::string chosen = "firmware.refresh.threshold is " + std::to_string(threshold);
  if (threshold < 16)
    return chosen + "; expected 0, or 16 to " + std::to_string(most) + ": each refresh is itself a write next to two tracks";
  const Region* const endless = Overlap::endless(plan);
  if (endless == nullptr) return {};
  return chosen + ", and tracks of the region '" + endless->name +
         "' overlap without bands, so that a refresh of one would rewrite all after it: set it to 0";
}

}  // namespace tessera
