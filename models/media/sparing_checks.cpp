// What may be wrong with spares, and with the defects that they stand in for.
#include <algorithm>
#include <cmath>

#include "media/sparing.hpp"

namespace tessera {

namespace {

/// A sentence about the first row that is not `columns` whole numbers, or names a place that the drive does not have.
std::string first_wrong(const MediaConfig& config, const std::vector<NumberRow>& rows, const std::string& name, std::size_t columns) {
  const std::vector<MediaZone> zones = zones_of(config);
  const double radii = zones.back().shape.first_radius + zones.back().shape.radii;
  const auto sectors_at = [&](double radius, double surface) {
    const auto after =
        std::ranges::upper_bound(zones, radius, {}, [](const MediaZone& zone) { return double{1} * zone.shape.first_radius; });
    return std::prev(after)->shape.sectors_on(static_cast<std::uint32_t>(surface));
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const NumberRow& row = rows[i];
    const std::string where = name + ": row " + std::to_string(i + 1) + " ";
    if (row.size() != columns ||
        !std::ranges::all_of(row, [](double value) { return value >= 0 && value < 1e9 && value == std::floor(value); }))
      return where + "is not " + std::to_string(columns) + " whole numbers";
    for (std::size_t at = 0; at < columns; at += 3)
      if (row[at] >= config.surfaces || row[at + 1] >= radii ||
          row[at + 2] >= sectors_at(row[at + 1], row[at]) + (at == 0 ? 0.0 : config.track_spares))
        return where + "names a surface, radius or sector that the drive does not have";
  }
  return "";
}

void check_cylinder_spares(const MediaConfig& config, std::vector<std::string>& problems) {
  if (config.cylinder_spares == 0) return;
  if (config.track_order == TrackOrder::surface || config.track_order == TrackOrder::serpentine)
    return problems.push_back("cylinder_spares: track_order is not by cylinder; expected spares of tracks or zones");
  std::uint32_t longest = 0;
  for (const MediaZone& zone : zones_of(config)) {
    longest = std::max(longest, zone.shape.radii);
    for (const ArmSurfaces& arm : arms_of(config))
      if (const std::uint64_t sectors = config.spare_cylinders * zone.shape.radius_sectors(arm.first, arm.count);
          config.cylinder_spares >= sectors)
        return problems.push_back("cylinder_spares: " + std::to_string(config.cylinder_spares) + " leave nothing of the " +
                                  std::to_string(sectors) + " sectors that share them at radius " +
                                  std::to_string(zone.shape.first_radius));
  }
  if (config.spare_cylinders > longest)
    problems.push_back("spare_cylinders: " + std::to_string(config.spare_cylinders) + ", but no zone has more than " +
                       std::to_string(longest) + " cylinders");
}

}  // namespace

void check_sparing(const MediaConfig& config, std::vector<std::string>& problems) {
  check_cylinder_spares(config, problems);
  for (const std::string& wrong : {first_wrong(config, config.remapped_sectors, "remapped_sectors", 6),
                                   first_wrong(config, config.factory_defects, "factory_defects", 3)})
    if (!wrong.empty()) problems.push_back(wrong);
  if (!problems.empty()) return;
  const Sparing sparing(config);
  if (!sparing.problems().empty()) return problems.push_back(sparing.problems().front());
  if (config.spare_tracks == 0 && !sparing.remaps().empty())
    problems.emplace_back("spare_tracks is 0, so that nothing looks after remapped sectors; expected 1 or more");
  std::uint64_t all = 0;
  for (const MediaZone& zone : zones_of(config))
    all += zone.shape.radii * zone.shape.radius_sectors(0, config.surfaces) - zone.shape.spare_sectors;
  const std::uint64_t spares = sparing.all_range_spares();
  if (config.exported_sectors != 0 && spares != 0 && config.reserved_sectors + config.exported_sectors + spares > all)
    problems.push_back("exported_sectors: " + std::to_string(config.exported_sectors) + ", but the zones hold " +
                       std::to_string(all - config.reserved_sectors - std::min(all - config.reserved_sectors, spares)) +
                       " apart from reserved and spare sectors");
}

}  // namespace tessera
