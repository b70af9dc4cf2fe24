// zoned: its figures, and those of its write cache.
#include "firmware/layers/layer_statistics.hpp"
#include "firmware/layers/zoned/zoned_layer.hpp"

namespace tessera::zoned {

void ZoneCache::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(name, static_cast<double>(value), unit, description);
  };
  count("zones.cache.room_waits", room_waits_, "1", "times that a write waited for room in the zones' write cache");
  count("zones.cache.read_hits", read_hits_, "sectors", "sectors read from the zones' write cache");
  count("zones.cache.records", records_, "1", "records in the log of zones that began to be written, several of them in each");
  count("zones.cache.past", past_, "sectors",
        "sectors written past the zones' write cache, which held nothing but data that cannot be written");
}

void Zoned::report(MetricSet& metrics) const {
  const auto add = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.add(name, static_cast<double>(value), unit, description);
  };
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(name, static_cast<double>(value), unit, description);
  };
  add("zones.conventional", conventional_, "1", "conventional zones");
  add("zones.sequential", states_.zones(), "1", "sequential zones");
  count("zones.resets", resets_, "1", "zones that were reset");
  count("zones.finishes", finishes_, "1", "zones that were finished before they were all written");
  count("zones.closed_for_others", states_.closed_for_others(), "1", "implicitly open zones that the drive closed to open another one");
  count("zones.refused", refused_, "1", "commands and parts of them that a rule of the zones stood against");
  count("zones.chains", writer_.chains(), "1", "media commands that wrote sequential zones: several writes of the host go with one");
  count("zones.sectors", writer_.sectors(), "sectors", "sectors written to sequential zones");
  count("zones.zeros_read", zeros_read_, "sectors", "sectors read that lie beyond what is written");
  count("zones.searched", searched_, "1", "write pointers that a boot found by reading");
  count("zones.search_reads", search_.reads(), "1", "reads of tracks that took");
  count("zones.in_doubt", in_doubt_, "sectors",
        "sectors below write pointers that a boot could not tell written from unwritten: reads of them fail");
  count("log.sectors", ledger_.sectors_written(), "sectors", "sectors written to the log of the zones");
  if (cache_ != nullptr) cache_->report(metrics);
  const Bytes tables = states_.bytes() + ledger_.bytes();
  report_mapping_memory(metrics, tables, tables);
}

}  // namespace tessera::zoned
