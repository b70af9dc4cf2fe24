#include "firmware/layout/conventional_layout.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "platforms/drive/drive_module.hpp"
#include "platforms/drive/luns.hpp"

namespace tessera {

std::vector<Bytes> lun_ends(DriveModule& drive) {
  if (!drive.config().logical_units.several()) return {drive.capacity()};
  const DriveGeometry geometry = geometry_of(drive.config().media);
  const FormatPlan data = regions_named(plan_drive(drive.config()), "data");
  const ConventionalLayout layout(geometry, data, drive.controller().disk_channel(), ConventionalLayout::Reserve::as_zoned);
  std::vector<Bytes> ends;
  for (const std::uint64_t end : layout.arm_ends()) ends.emplace_back(end * geometry.sector_bytes);
  return ends;
}

}  // namespace tessera
