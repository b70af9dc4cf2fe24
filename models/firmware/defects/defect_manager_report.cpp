// Defect management: its figures.
#include <algorithm>

#include "firmware/defects/defect_manager.hpp"

namespace tessera {

void DefectManager::report(MetricSet& metrics) const {
  const auto defects = table_.defects();
  const auto pending = std::ranges::count_if(defects, [](const Defect& defect) { return defect.pending != 0; });
  const auto moved = std::ranges::count_if(defects, [](const Defect& defect) { return defect.spare != Defect::in_place; });
  metrics.add("defects.pending", static_cast<double>(pending), "1", "sectors that could not be read and were not written since");
  metrics.add("defects.reallocated", static_cast<double>(moved), "1", "sectors whose data lies on a spare");
  metrics.add("defects.spares_left", table_.spares_left(), "1", "spare sectors not taken yet");
  metrics.add("defects.read_only", table_.read_only() ? 1 : 0, "1", "1: a write found no spare, and the drive takes no more writes");
  metrics.count("defects.retries", static_cast<double>(retries_), "1", "sectors read or written once more after an error");
  metrics.count("defects.recovered", static_cast<double>(recovered_), "1", "sectors that came back when they were read again");
  metrics.count("defects.uncorrectable", static_cast<double>(uncorrectable_), "1", "reads of sectors that did not come back");
  metrics.count("defects.write_faults", static_cast<double>(write_faults_), "1",
                "writes that stopped at a sector that could not be written");
  metrics.count("defects.relocations", static_cast<double>(relocations_), "1", "sectors moved to spares");
}

}  // namespace tessera
