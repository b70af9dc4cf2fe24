// host-aware: its figures.
#include "firmware/layers/host_aware/host_aware_layer.hpp"
#include "firmware/layers/layer_statistics.hpp"

namespace tessera::host_aware {

void HostAware::report(MetricSet& metrics) const {
  const auto add = [&metrics](const char* name, std::uint64_t value, const char* description) {
    metrics.add(name, static_cast<double>(value), "1", description);
  };
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(name, static_cast<double>(value), unit, description);
  };
  cache_.report_work(metrics);
  add("zones.conventional", conventional_, "conventional zones");
  add("zones.preferred", zones_.zones(), "zones to write in order, which may be written anywhere");
  count("zones.resets", resets_, "1", "zones that were reset");
  count("zones.finishes", finishes_, "1", "zones that were finished before they were all written");
  count("zones.closed_for_others", zones_.closed_for_others(), "1", "implicitly open zones that the drive closed to open another one");
  count("zones.non_sequential_writes", zones_.non_sequential_writes(), "1", "writes of the host away from the write pointer of their zone");
  count("zones.searched", searched_, "1", "write pointers that a boot found by reading");
  count("zones.search_reads", search_.reads(), "1", "reads of tracks that took");
  count("log.sectors", ledger_.sectors_written(), "sectors", "sectors written to the log of the zones");
  report_mapping_memory(metrics, cache_.paper_map_bytes() + zones_.bytes(), cache_.map_bytes() + zones_.bytes() + ledger_.bytes());
}

}  // namespace tessera::host_aware
