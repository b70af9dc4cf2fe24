#include "firmware/layers/layer_statistics.hpp"

#include <algorithm>

namespace tessera {

namespace {
constexpr std::uint64_t enough_rounds = 20;
}

void report_times(MetricSet& metrics, const std::string& prefix, const DurationHistogram& times, const std::string& what) {
  const auto milliseconds = [&times](double ps) { return times.count() == 0 ? std::nullopt : std::optional(ps / 1e9); };
  metrics.add(prefix + ".mean", milliseconds(times.mean_ps().value_or(0)), "ms", "mean time of a " + what);
  metrics.add(prefix + ".max", milliseconds(static_cast<double>(times.max().value())), "ms", "longest " + what);
}

void report_rounds(MetricSet& metrics, const std::string& name, std::uint64_t done, const std::string& what) {
  metrics.count("progress." + name + ".done", static_cast<double>(done), "1", what);
  metrics.add("progress." + name + ".of", static_cast<double>(enough_rounds), "1", "as many are enough to compare the run");
}

void report_fill(MetricSet& metrics, const std::string& name, const Fill& fill) {
  const std::uint64_t enough = 2 * fill.capacity;
  const bool warm = fill.hits + fill.misses == 0 || (fill.taken_in > 0 && fill.hits >= enough_rounds * fill.taken_in);
  metrics.add("progress." + name + ".done", static_cast<double>(warm ? std::max(enough, fill.taken_in) : fill.taken_in), "sectors",
              "sectors that the cache took in since power-on; all that is enough where it was hit twenty times as often, or not asked");
  metrics.add("progress." + name + ".of", static_cast<double>(enough), "sectors", "twice what it holds: full and once turned over");
}

void report_cleaning_times(MetricSet& metrics, const DurationHistogram& cleanings, const char* what) {
  metrics.count("cleaning.count", static_cast<double>(cleanings.count()), "1", what);
  report_times(metrics, "cleaning", cleanings, "cleaning");
}

void report_cleanings(MetricSet& metrics, const DurationHistogram& cleanings, const char* what) {
  report_cleaning_times(metrics, cleanings, what);
  report_rounds(metrics, "cleanings", cleanings.count(), what);
}

void report_read_modify_writes(MetricSet& metrics, const DurationHistogram& rmws, const char* what, const char* time) {
  metrics.count("rmw.count", static_cast<double>(rmws.count()), "1", what);
  metrics.count("rmw.time_total", rmws.total(), time);
  report_times(metrics, "rmw.time", rmws, "read-modify-write");
}

void report_merge_times(MetricSet& metrics, Picoseconds total, std::span<const MergePart> parts, const char* rest) {
  const auto part = [&metrics](const std::string& name, Picoseconds time, const std::string& what) {
    metrics.count("merge.time." + name, time, "of rmw.time_total, " + what);
  };
  Picoseconds left = total;
  for (const MergePart& each : parts) {
    part(each.name, each.time, each.what);
    left -= each.time;
  }
  part("rest", left, std::string("all else: ") + rest);
}

void report_dirty_bands(MetricSet& metrics, const Tally& bands) {
  metrics.add("cleaning.dirty_bands_mean", bands.mean(), "1", "bands with cached sectors when a cleaning began");
}

void report_mapping_memory(MetricSet& metrics, Bytes paper, Bytes actual) {
  metrics.add("meta.ram_bytes", static_cast<double>(paper.value()), "B", "mapping memory by the paper's formula");
  metrics.add("meta.ram_bytes_actual", static_cast<double>(actual.value()), "B", "mapping memory that is really taken");
}

}  // namespace tessera
