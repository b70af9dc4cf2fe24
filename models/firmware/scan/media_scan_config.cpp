#include "firmware/scan/media_scan_config.hpp"

#include "firmware/defects/spare_layout.hpp"

namespace tessera {

namespace {
constexpr double longest_ps = 4'000 * 3'600e12;
}

void MediaScanConfig::describe(ParameterVisitor& visitor) {
  visitor.field("interval", interval, {0, longest_ps}, "from the begin of one scan of the whole medium to that of the next; 0: no scan");
  const UnusedWhere without(visitor, !used(), "firmware.media_scan.interval is 0");
  visitor.field("minimum_idle", minimum_idle, {static_cast<double>(least_idle.value()), 3'600e12},
                "time without commands or other work of the firmware before a scan begins or goes on");
  visitor.field("sectors", sectors, {0, 16384}, "that a scan reads at once, on one track; 0: the track");
}

std::string MediaScanConfig::problem(const DriveGeometry& geometry) const {
  if (!used() || SpareLayout(geometry).usable()) return {};
  return "firmware.media_scan.interval is not 0, and the drive has no spare tracks for what a scan finds: set media.spare_tracks to 1 or "
         "more, or the interval to 0";
}

}  // namespace tessera
