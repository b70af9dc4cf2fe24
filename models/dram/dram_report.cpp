#include "dram/dram_device.hpp"

namespace tessera {

Picojoules DramDevice::energy(Picoseconds now) const {
  const std::uint64_t refreshes = config_.refresh_interval == Picoseconds(0) ? 0 : now / config_.refresh_interval;
  const std::uint64_t activations = counters_.row_misses + counters_.row_conflicts + counters_.dma_activations;
  return config_.activate_energy * activations + config_.read_energy * counters_.bursts[0] + config_.write_energy * counters_.bursts[1] +
         config_.refresh_energy * refreshes + tessera::energy(config_.background_power, now);
}

void DramDevice::reset_statistics(Picoseconds now) {
  busy_before_ = busy();
  measured_from_ = now;
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
  metrics.add("dram.utilisation", share_of(busy() - busy_before_, now - measured_from_), "1",
              "share of the measured time in which the data bus moved data");
  metrics.count("dram.energy", static_cast<double>(energy(now).value()) * 1e-9, "mJ", "energy of the DRAM");
}

}  // namespace tessera
