// Background medium scan: its figures.
#include "firmware/scan/media_scan.hpp"

namespace tessera {

void MediaScan::report(MetricSet& metrics) const {
  const auto count = [&](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(std::string("media_scan.") + name, static_cast<double>(value), unit, description);
  };
  const DefectManager::Found& found = defects_.found();
  count("passes", passes_, "1", "Background scans of the whole medium that were completed.");
  count("bytes", sectors_ * ports_.memory.shape().sector_bytes, "B", "Bytes that background scans read.");
  count("reads", reads_, "1", "Reads of background scans.");
  count("suspended", suspended_, "1", "Reads of background scans that were given up for a command of the host, and repeated.");
  count("delayed", delayed_, "1", "Commands of the host that came during a read of a background scan.");
  count("recovered", found.recovered, "1", "Sectors that a background scan could read after retries only.");
  count("moved", found.moved, "1", "Of these, sectors that were moved to spares.");
  count("unreadable", found.unreadable, "1", "Sectors that a background scan found to be unreadable: the next write to them is verified.");
  metrics.count("media_scan.busy", static_cast<double>(busy_.value()) * 1e-9, "ms",
                "Time of the arms for background scans, recovery excluded.");
}

}  // namespace tessera
