// Refresh: its figures.
#include "firmware/refresh/track_refresh.hpp"

namespace tessera {

void TrackRefresh::report(MetricSet& metrics) const {
  const auto count = [&](const char* name, std::uint64_t value, const char* description) {
    metrics.count(std::string("refresh.") + name, static_cast<double>(value), "1", description);
  };
  count("tracks", refreshes_, "Tracks that were read and rewritten because their neighbours had been written often.");
  count("sectors", sectors_, "Sectors that refreshes rewrote.");
  count("urgent", urgent_, "Refreshes that waited so long that they went with the host's commands.");
  count("failed", failed_, "Refreshes that met a sector that could not be written.");
  metrics.add("refresh.highest_count", highest_, "1", "The most writes that a counter came to.");
  metrics.add("refresh.counters", static_cast<double>(counters_.size() * sizeof(Counter)), "B", "DRAM of the counters of writes.");
  if (overlapped_ == nullptr) return;
  metrics.add("refresh.window", static_cast<double>(overlapped_->window.bytes().value()), "B",
              "Dumped DRAM of the tracks that the rewrite of one has destroyed.");
  count("held", overlapped_->hold.held(), "Media commands that waited for tracks under rewrite.");
}

}  // namespace tessera
