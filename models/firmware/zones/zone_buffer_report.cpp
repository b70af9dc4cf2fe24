// Layers with a buffer in front of zones: its figures.
#include "firmware/layers/layer_statistics.hpp"
#include "firmware/zones/zone_buffer_layer.hpp"

namespace tessera {

BandLevels ZoneBufferLayer::band_levels() const {
  BandLevels levels(store_.zones());
  for (std::uint32_t zone = 0; zone < levels.size(); ++zone)
    levels[zone] = {store_.zone_sectors(), store_.peek(zone).write_pointer, owners_.held(zone)};
  return levels;
}

void ZoneBufferLayer::report_common(MetricSet& metrics, Bytes paper_bytes, Bytes own) const {
  store_.report(metrics);
  statistics_.report(metrics);
  owners_.report(metrics);
  metrics.count("buffer.sectors", static_cast<double>(buffer_.sectors_written()), "sectors", "sectors written to the buffer");
  metrics.add("buffer.used", static_cast<double>(owners_.used()), "sectors", "sectors that the buffer holds");
  const double host = static_cast<double>(statistics_.sectors_written);
  const auto media = static_cast<double>(buffer_.sectors_written() + store_.statistics().written + store_.log_sectors());
  const auto padding = static_cast<double>(store_.statistics().padding);
  metrics.add("wa.padded", host == 0 ? std::nullopt : std::optional(media / host), "1",
              "sectors written to buffer, zones and log over sectors written by the host");
  metrics.add("wa.unpadded", host == 0 ? std::nullopt : std::optional((media - padding) / host), "1", "as wa.padded, but without padding");
  metrics.count("log.sectors", static_cast<double>(store_.log_sectors()), "sectors", "sectors of the merge log and its checkpoints");
  report_mapping_memory(metrics, paper_bytes, store_.bytes() + owners_.bytes() + own);
  metrics.add("meta.ram_bytes_zones", static_cast<double>(store_.bytes().value()), "B",
              "of the mapping memory really taken, states of the zones and bitmaps of their padding, which no buffer's size changes");
}

}  // namespace tessera
