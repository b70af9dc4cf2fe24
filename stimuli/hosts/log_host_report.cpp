// The log-structured host: what it reports. Counts accumulate, so that a warm-up can be taken off.
#include "stimuli/hosts/log_host.hpp"

namespace tessera {

void LogHost::report(MetricSet& metrics) const {
  report_host(metrics, counts_.host, commands_.sent(), cpu_.time(cpu_cost_, commands_.sent()), stalled_time());
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* what) {
    count_translation(metrics, name, value, unit, what);
  };
  count("sectors.absorbed", counts_.absorbed, "sectors", "of these, written while the sector was dirty in host memory");
  count("sectors.data", counts_.data, "sectors", "of the application that the host wrote to the drive");
  count("sectors.moved", counts_.copies, "sectors", "that the host wrote again to clean zones");
  count("sectors.lost", counts_.lost, "sectors", "that could not be read when they were to be moved");
  count("sectors.headers", counts_.headers, "sectors", "headers of records, and what fills zones up");
  count("sectors.checkpoints", counts_.checkpoint_sectors, "sectors", "of checkpoints of the map");
  count("sectors.written", counts_.data + counts_.copies + counts_.headers + counts_.checkpoint_sectors, "sectors",
        "that the host wrote to the drive");
  count("reads.in_memory", counts_.in_memory, "sectors", "that reads found in host memory");
  count("checkpoints", counts_.checkpoints, "1", "checkpoints of the map");
  metrics.add("translation.zones.free", static_cast<double>(zones_.free_zones()), "1", "free zones at the end");
  metrics.add("translation.zones.least_free", static_cast<double>(least_free_), "1", "fewest free zones at once");
  metrics.add("translation.zones.data", static_cast<double>(layout_.data_zones), "1", "zones for data");
  const std::uint64_t sector_bytes = std::uint64_t{drive_.sector_blocks} * host_block_bytes;
  const std::uint64_t map = layout_.user_sectors * layout_.entry_bytes;
  const std::uint64_t owners = std::uint64_t{layout_.data_zones} * layout_.zone_sectors * layout_.entry_bytes;
  metrics.add("translation.memory.map", static_cast<double>(2 * map), "B", "host memory for the map, and for its copy during a checkpoint");
  metrics.add("translation.memory.owners", static_cast<double>(owners), "B", "host memory for which sector lies where: the cleaner's");
  metrics.add("translation.memory.buffer", static_cast<double>(config_.write_buffer.value()), "B", "host memory for written data");
  metrics.add("translation.memory.buffer.peak", static_cast<double>(buffer_.peak() * sector_bytes), "B", "most of it in use at once");
  metrics.add("translation.memory",
              static_cast<double>(2 * map + owners + config_.write_buffer.value() + layout_.data_zones * zone_entry_bytes), "B",
              "host memory of the translation in all");
  count("recovery.records", counts_.replayed, "1", "records that boots after power cuts found after the checkpoint");
}

}  // namespace tessera
