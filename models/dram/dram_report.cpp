#include "dram/dram_device.hpp"

namespace tessera {

double DramDevice::energy(Picoseconds now) const {
  const LongTime whole = rested_ + now;
  const std::uint64_t refreshes = config_.refresh_interval == Picoseconds(0) ? 0 : whole / LongTime(config_.refresh_interval);
  const std::uint64_t activations = counters_.row_misses + counters_.row_conflicts + counters_.dma_activations;
  const auto of = [](Picojoules one, std::uint64_t number) { return wide_product(one.value(), number); };
  return static_cast<double>(of(config_.activate_energy, activations) + of(config_.read_energy, counters_.bursts[0]) +
                             of(config_.write_energy, counters_.bursts[1]) + of(config_.refresh_energy, refreshes) +
                             long_energy(config_.background_power, whole));
}

void DramDevice::reset_statistics(Picoseconds now) {
  busy_before_ = busy();
  measured_from_ = now;
  measured_rests_ = rested_;
}

/// Rows that are open now are those of another refresh interval then, whatever the phase.
void DramDevice::rest(Picoseconds by) {
  rested_ += by;
  if (config_.refresh_interval == Picoseconds(0)) return;
  rested_epochs_ = rested_ / LongTime(config_.refresh_interval);
  rested_in_epoch_ = (rested_ % LongTime(config_.refresh_interval)).picoseconds();
  interval_begin_ = interval_end_ = Picoseconds(0);  // to be found again
}

void DramDevice::report(MetricSet& metrics, Picoseconds now) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* description) {
    metrics.count(name, static_cast<double>(value), "1", description);
  };
  count("dram.accesses", counters_.accesses, "single accesses of the CPU: to tables, or lines of its caches");
  count("dram.row_hits", counters_.row_hits, "metadata accesses to an open row, row by row");
  count("dram.row_misses", counters_.row_misses, "metadata accesses that found no row open");
  count("dram.row_conflicts", counters_.row_conflicts, "metadata accesses that found another row open");
  count("dram.refresh_stalls", counters_.refresh_stalls, "times that an access or a DMA waited for a refresh");
  metrics.count("dram.refresh_wait", counters_.refresh_wait, "time that accesses and DMA waited for refreshes");
  count("dram.dma.count", counters_.dma, "DMA transactions");
  metrics.count("dram.dma.bytes", static_cast<double>(counters_.dma_bytes.value()), "B", "bytes that DMA moved");
  if (faults_) faults_->report(metrics);
  metrics.count("dram.bus_busy", busy(), "time that the data bus moved data");
  metrics.add("dram.utilisation", share_of(busy() - busy_before_, rested_ - measured_rests_ + (now - measured_from_)), "1",
              "share of the measured time in which the data bus moved data");
  metrics.count("dram.energy", energy(now) * 1e-9, "mJ", "energy of the DRAM");
}

}  // namespace tessera
