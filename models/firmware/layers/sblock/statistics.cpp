#include "firmware/layers/sblock/statistics.hpp"

#include <optional>

namespace tessera::sblock {

namespace {

std::optional<double> ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::nullopt : std::optional(static_cast<double>(part) / static_cast<double>(whole));
}

std::optional<double> milliseconds(std::optional<double> ps) { return ps ? std::optional(*ps / 1e9) : std::nullopt; }

}  // namespace

void StoreStatistics::report(MetricSet& metrics) const {
  metrics.count("sblock.written", static_cast<double>(written), "1", "S-blocks written to the heads of their logs for the host");
  metrics.count("sblock.migrated", static_cast<double>(migrated), "1", "live S-blocks moved from the tails of logs to their heads");
  metrics.add("sblock.migrated_mean", ratio(migrated, written), "1", "omega: S-blocks moved for one that is written");
  metrics.add("sblock.migrated_max", static_cast<double>(most_moved), "1", "most S-blocks moved for one that is written");
  metrics.count("sblock.collections", static_cast<double>(collections.count()), "1", "garbage collections that moved S-blocks");
  metrics.add("sblock.collection.mean", milliseconds(collections.mean_ps()), "ms", "mean time of a garbage collection");
  metrics.add("sblock.collection.max",
              collections.count() == 0 ? std::nullopt : milliseconds(static_cast<double>(collections.max().value())), "ms",
              "longest garbage collection");
  metrics.count("rmw.count", static_cast<double>(merged), "1", "read-modify-writes");
  metrics.count("rmw_free.count", static_cast<double>(written - merged), "1", "S-blocks written without a read of their old copy");
  metrics.count("rmw.time_total", merge_time, "time in read-modify-writes of S-blocks");
  metrics.add("rmw.time.mean", milliseconds(ratio(merge_time.value(), merged)), "ms", "mean time of a read-modify-write");
  metrics.add("rmw.time.max", longest_merge, "longest read-modify-write");
}

}  // namespace tessera::sblock
