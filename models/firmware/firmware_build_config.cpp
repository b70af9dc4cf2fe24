#include "firmware/firmware_build.hpp"

namespace tessera {

void FirmwareConfig::describe(ParameterVisitor& visitor) {
  visitor.enumeration(
      "cleaning_arm", cleaning_arm, {"any", "idle", "each"},
      "where a drive of several arms cleans: on whatever arm the victim is; on that which serves the fewest commands of the "
      "host; or a cleaning on each at once");
  visitor.section("write_cache", write_cache, "write cache of the drive");
  visitor.section("read_cache", read_cache, "segmented read cache with read-ahead");
  visitor.section("flash_cache", flash_cache, "flash in front of the layer, whatever the layer");
  visitor.section("overheads", overheads, "what an old drive's electronics take for a command, beside the CPU's cycles");
  visitor.section("defects", defects, "what is done about sectors that cannot be read or written, where there are spare tracks");
  visitor.section("refresh", refresh, "rewriting tracks whose neighbours were written often");
  visitor.section("media_scan", media_scan, "reading the whole medium while the host is idle (background medium scan)");
  visitor.section("placement", placement, "memory that each kind of the firmware's data lies in: the DRAM or the TCM (controller.tcm)");
}

std::string FirmwareConfig::problem(const FormatPlan& plan, std::uint32_t sector_bytes) const {
  if (std::string of_refresh = refresh.problem(plan); !of_refresh.empty()) return of_refresh;
  const std::string of_writes = write_cache.problem(plan, sector_bytes);
  return !of_writes.empty() ? of_writes : read_cache.problem(write_cache.capacity.value() / sector_bytes);
}

}  // namespace tessera
