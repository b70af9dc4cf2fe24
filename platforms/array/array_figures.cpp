// What a run of an array counts of its drives, and of requests by what the array was at.
#include "platforms/array/array_simulation.hpp"

namespace tessera {

namespace {

/// Names of the chapters in metrics, and what they are.
constexpr std::array<std::pair<const char*, const char*>, ArraySimulation::chapters> chapter_names{
    {{"whole", "served before a drive failed"},
     {"degraded", "served after a drive failed, before its rebuild began"},
     {"rebuild", "served during a rebuild"},
     {"rebuilt", "served after the last rebuild"}}};

/// Bytes, by the drive's metrics.
double platters_written(const DriveOfArray& drive, const MetricSet& metrics) {
  const Metric* const sectors = metrics.find("media.sectors_written.total");
  return sectors == nullptr ? 0 : sectors->value.value_or(0) * drive.module->sector_shape().sector_bytes;
}

}  // namespace

/// What failed before it has been measured already.
void ArraySimulation::end_warmup() {
  measured_from_ = drives_.timeline().now();
  for (std::uint32_t i = 0; i < drives_.size(); ++i) {
    if (drives_[i].condition != DriveCondition::on) continue;
    warmup_platters_ += platters_written(drives_[i], metrics_of(i));
    drives_[i].measurement->begin();
  }
  host_.end_warmup();
}

/// Of the whole replay: what buffers hold at the end of a warm-up would else count as written for nothing.
void ArraySimulation::add_write_amplification() {
  double platters = warmup_platters_;
  for (std::size_t i = 0; i < drives_.size(); ++i) platters += platters_written(drives_[i], drives_[i].metrics);
  const Bytes host = warmup_written_ + player_.statistics().bytes_written();
  metrics_.add("array.write_amplification.media",
               host == Bytes(0) ? std::nullopt : std::optional(platters / static_cast<double>(host.value())), "1",
               "bytes that all drives wrote to their platters since the start of the replay, warm-up included, over the host's");
}

MetricSet ArraySimulation::metrics_of(std::uint32_t drive) {
  MetricSet commands;
  host_.queue(drive).statistics().report(commands, drives_[drive].config.host.tags);
  return drives_[drive].measurement->end(std::move(commands));
}

void ArraySimulation::report_chapters(MetricSet& metrics) const {
  for (std::size_t i = 0; i < chapters; ++i)
    if (const auto& [name, words] = chapter_names[i]; latency_[i].count() > 0) {
      metrics.add(std::string("array.requests.") + name, static_cast<double>(latency_[i].count()), "1", std::string("requests ") + words);
      latency_[i].report(metrics, std::string("array.latency.") + name, std::string("time from arrival to completion, requests ") + words);
    }
}

}  // namespace tessera
