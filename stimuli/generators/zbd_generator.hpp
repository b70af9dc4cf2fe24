#pragma once
// A workload on a drive with zones, as fio's zonemode=zbd plays it: the law chooses the zone, and the zone where in it. Source: fio 3.33,
// manual page and zbd.c, whose rules these are; fio splits what goes over the end of a zone, this shortens it.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/zone.hpp"
#include "stimuli/generators/workload_config.hpp"
#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// The zones that a workload finds.
struct WorkloadZones {
  Bytes size;                                        ///< of each; 0: the drive has none
  Bytes sector;                                      ///< of the drive: what zones take whole
  std::function<std::vector<ZoneDescriptor>()> ask;  ///< REPORT ZONES in no time, once the drive has booted
};

/// InputError where the workload does not fit a drive with such zones; the message names the key.
void require_zones(const WorkloadConfig& config, const std::string& name, const WorkloadZones& zones);

/// `inner` gives sizes and times, and for laws other than `sequential` the addresses. A reset goes before the write that needs it and does
/// not count as one of the workload's requests. What writes a zone after a reset has to wait for its end: the player sees to that.
[[nodiscard]] std::unique_ptr<TraceSource> go_to_zones(std::unique_ptr<TraceSource> inner, const WorkloadConfig& config,
                                                       const std::string& name, Bytes end, const WorkloadZones& zones);

}  // namespace tessera
