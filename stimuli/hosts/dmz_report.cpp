// The dm-zoned-like host: what it reports. Counts accumulate, so that a warm-up can be taken off.
#include "stimuli/hosts/dmz_host.hpp"

namespace tessera {

void DmzHost::report(MetricSet& metrics) const {
  report_host(metrics, counts_.host, commands_.sent(), cpu_.time(cpu_cost_, commands_.sent()), stalled_time());
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* what) {
    count_translation(metrics, name, value, unit, what);
  };
  const std::uint64_t data = counts_.direct + counts_.buffered;
  count("sectors.data", data, "sectors", "of the application that the host wrote to the drive");
  count("sectors.buffered", counts_.buffered, "sectors", "of these, into buffers of chunks");
  count("sectors.moved", counts_.moved, "sectors", "that the host wrote again to clean zones");
  count("sectors.gaps", counts_.gaps, "sectors", "of zeros, where a sequential zone takes nothing else before a moved sector");
  count("sectors.metadata", counts_.metadata, "sectors", "of metadata, in both sets");
  count("sectors.written", data + counts_.moved + counts_.gaps + counts_.metadata, "sectors", "that the host wrote to the drive");
  count("flushes", counts_.flushes, "1", "flushes of metadata");
  count("reclaims.append", counts_.reclaims[0], "1", "buffers whose data went to the write pointer of the data zone");
  count("reclaims.merge", counts_.reclaims[1], "1", "data zones whose data went into the buffer");
  count("reclaims.move", counts_.reclaims[2], "1", "conventional data zones whose data went to a free sequential zone");
  count("sectors.lost", counts_.lost, "sectors", "that could not be read when they were to be moved");
  metrics.add("translation.zones.free", static_cast<double>(tables_.free_random()), "1", "free zones at the end");
  metrics.add("translation.zones.least_free", static_cast<double>(least_free_), "1", "fewest free zones at once");
  metrics.add("translation.zones.data", static_cast<double>(layout_.zones - layout_.first_random()), "1", "zones for data");
  const std::uint64_t map = std::uint64_t{layout_.chunks} * dmz_entry_bytes;
  const std::uint64_t bitmaps = (std::uint64_t{layout_.zones} * layout_.zone_sectors + 7) / 8;
  metrics.add("translation.memory.map", static_cast<double>(map), "B", "host memory for the map");
  metrics.add("translation.memory.bitmaps", static_cast<double>(bitmaps), "B", "host memory for which sectors are valid");
  const std::uint64_t copies = std::uint64_t{dmz_copies} * layout_.copy_sectors * drive_.sector_blocks * host_block_bytes;
  metrics.add("translation.memory.copies", static_cast<double>(copies), "B", "host memory for what reclaim copies");
  metrics.add("translation.memory", static_cast<double>(map + bitmaps + copies + std::uint64_t{layout_.zones} * sizeof(DmzZone)), "B",
              "host memory of the translation in all");
}

}  // namespace tessera
