#include "firmware/flash/cache_statistics.hpp"

#include <algorithm>

namespace tessera {

void CacheStatistics::merged(Picoseconds time, std::uint64_t pages) {
  ++rmw;
  rmw_time += time;
  longest_rmw = std::max(longest_rmw, time);
  victim_pages.record(pages);
}

void CacheStatistics::report(MetricSet& metrics) const {
  const auto milliseconds = [](std::optional<double> ps) { return ps ? std::optional(*ps / 1e9) : std::nullopt; };
  const auto longest = [&](std::uint64_t count, Picoseconds time) {
    return count == 0 ? std::nullopt : milliseconds(static_cast<double>(time.value()));
  };
  metrics.count("rmw.count", static_cast<double>(rmw), "1", "bands merged: read-modify-writes of a whole band");
  metrics.count("rmw.time_total", rmw_time, "time in which bands were merged");
  metrics.add("rmw.time.mean", rmw == 0 ? std::nullopt : milliseconds(static_cast<double>(rmw_time.value()) / static_cast<double>(rmw)),
              "ms", "mean time of a read-modify-write");
  metrics.add("rmw.time.max", longest(rmw, longest_rmw), "ms", "longest read-modify-write");
  metrics.count("cleaning.count", static_cast<double>(cleaning.count()), "1", "cleanings");
  metrics.add("cleaning.mean", milliseconds(cleaning.mean_ps()), "ms", "mean time of a cleaning");
  metrics.add("cleaning.max", longest(cleaning.count(), cleaning.max()), "ms", "longest cleaning");
  metrics.add("victim.pages_mean", victim_pages.mean(), "1", "valid cached pages of a merged band");
  metrics.count("flash.program_failures", static_cast<double>(failed_programs), "1", "programs that failed and were repeated elsewhere");
  metrics.add("recovery.time", recovery, "time of the last recovery after a power cut");
}

}  // namespace tessera
