#include "firmware/layers/sblock/sblock_statistics.hpp"

#include <optional>

#include "firmware/layers/layer_statistics.hpp"

namespace tessera::sblock {

namespace {

std::optional<double> ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? std::nullopt : std::optional(static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

void StoreStatistics::report(MetricSet& metrics) const {
  metrics.count("sblock.written", static_cast<double>(written), "1", "S-blocks written to the heads of their logs for the host");
  metrics.count("sblock.migrated", static_cast<double>(migrated), "1", "live S-blocks moved from the tails of logs to their heads");
  metrics.add("sblock.migrated_mean", ratio(migrated, written), "1", "omega: S-blocks moved for one that is written");
  metrics.add("sblock.migrated_max", static_cast<double>(most_moved), "1", "most S-blocks moved for one that is written");
  metrics.count("sblock.collections", static_cast<double>(collections.count()), "1", "garbage collections that moved S-blocks");
  report_times(metrics, "sblock.collection", collections, "garbage collection");
  report_read_modify_writes(metrics, rmw, "read-modify-writes", "time in read-modify-writes of S-blocks");
  const MergePart parts[] = {{"band_read", reading, "reading what the S-blocks held"}, {"band_write", writing, "writing the S-blocks"}};
  report_merge_times(metrics, rmw.total(), parts, "tables");
  metrics.count("rmw_free.count", static_cast<double>(written - rmw.count()), "1", "S-blocks written without a read of their old copy");
}

}  // namespace tessera::sblock
