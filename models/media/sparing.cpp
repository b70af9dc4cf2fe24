#include "media/sparing.hpp"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace tessera {

namespace {

std::uint32_t whole(double value) { return static_cast<std::uint32_t>(value); }

PhysicalSector sector_of(const NumberRow& row, std::size_t first) {
  return {{whole(row[first]), whole(row[first + 1])}, whole(row[first + 2])};
}

std::string text(PhysicalSector sector) {
  return "sector " + std::to_string(sector.index) + " of surface " + std::to_string(sector.track.surface) + ", radius " +
         std::to_string(sector.track.radius);
}

std::pair<std::uint32_t, std::uint32_t> key(PhysicalTrack track) { return {track.radius, track.surface}; }

}  // namespace

Sparing::Sparing(const MediaConfig& config)
    : zones_(zones_of(config)),
      arms_(arms_of(config)),
      surfaces_(config.surfaces),
      track_spares_(config.track_spares),
      cylinder_spares_(config.cylinder_spares),
      spare_cylinders_(config.spare_cylinders),
      zone_used_(zones_.size()) {
  for (const MediaZone& zone : zones_)
    units_.push_back(TrackUnits::of(config.track_order, config.serpent_tracks, zone.shape.first_radius, zone.shape.radii));
  for (const NumberRow& row : config.slipped_defects) short_[{whole(row[1]), whole(row[0])}].bad += whole(row[2]);
  if (config.defect_scheme != DefectScheme::remap) add_defects(config);
  add_remapped(config);
  if (config.defect_scheme == DefectScheme::remap) add_defects(config);
}

std::size_t Sparing::zone_at(std::uint32_t radius) const {
  const auto after = std::ranges::upper_bound(zones_, radius, {}, [](const MediaZone& zone) { return zone.shape.first_radius; });
  return static_cast<std::size_t>(after - zones_.begin()) - 1;
}

const ArmSurfaces& Sparing::arm_at(std::uint32_t surface) const {
  return *std::ranges::find_if(arms_, [&](const ArmSurfaces& arm) { return surface < arm.first + arm.count; });
}

/// Cylinders at the end of a zone that are too few for a range have no spares.
std::optional<Sparing::Range> Sparing::range_of(PhysicalTrack track) const {
  if (cylinder_spares_ == 0) return std::nullopt;
  const std::size_t zone = zone_at(track.radius);
  const GeometryZone& shape = zones_[zone].shape;
  const std::uint32_t end = track.radius - (track.radius - shape.first_radius) % spare_cylinders_ + spare_cylinders_;
  if (track.radius >= shape.first_radius + shape.radii || end > shape.first_radius + shape.radii) return std::nullopt;
  return Range{zone, arm_at(track.surface), end};
}

/// By its place in the order of an arm's tracks in the zone.
PhysicalTrack Sparing::track_at(const MediaZone& zone, const ArmSurfaces& arm, std::uint64_t number) const {
  const TrackUnits& units = units_[static_cast<std::size_t>(&zone - zones_.data())];
  const std::uint64_t of_unit = std::uint64_t{units.radii} * arm.count;
  const auto unit = static_cast<std::uint32_t>(number / of_unit);
  const auto turn = static_cast<std::uint32_t>(number % of_unit / units.radii);
  const std::uint32_t surface = units.turned_surface(unit, turn, arm.count);
  const std::uint32_t radius = units.turned_radius(static_cast<std::uint32_t>(number % units.radii), surface, units.radii);
  return {arm.first + surface, zone.shape.first_radius + unit * units.radii + radius};
}

/// As ConventionalLayout gives it to the arm.
std::uint64_t Sparing::zone_share(std::size_t zone, const ArmSurfaces& arm) const {
  const auto before = [&](std::uint64_t surface) { return zones_[zone].shape.spare_sectors * surface / surfaces_; };
  return before(arm.first + arm.count) - before(arm.first);
}

ShortTrack Sparing::short_of(PhysicalTrack track) const {
  const auto found = short_.find(key(track));
  return found == short_.end() ? ShortTrack{} : found->second;
}

std::uint32_t Sparing::nominal(PhysicalTrack track) const { return zones_[zone_at(track.radius)].shape.sectors_on(track.surface); }

/// Sectors in front of the track's own spares, those that are spares of its range included.
std::uint32_t Sparing::held(PhysicalTrack track) const {
  const ShortTrack fewer = short_of(track);
  const std::uint32_t all = nominal(track) + fewer.own_spares;
  return all - std::min(all, fewer.bad);
}

std::uint32_t Sparing::range_spares(PhysicalTrack track) const {
  const std::optional<Range> range = range_of(track);
  if (!range) return 0;
  const auto used = range_used_.find(*range);
  std::uint32_t left = cylinder_spares_ - (used == range_used_.end() ? 0 : used->second);
  const MediaZone& zone = zones_[range->zone];
  const std::uint64_t end = std::uint64_t{range->end_radius - zone.shape.first_radius} * range->arm.count;
  for (std::uint64_t number = end; left != 0 && number-- != 0;) {
    const PhysicalTrack other = track_at(zone, range->arm, number);
    const std::uint32_t here = std::min(left, held(other));
    if (other == track) return here;
    left -= here;
  }
  return 0;
}

std::uint64_t Sparing::all_range_spares() const {
  if (cylinder_spares_ == 0) return 0;
  std::uint64_t ranges = 0;
  for (const MediaZone& zone : zones_) ranges += zone.shape.radii / spare_cylinders_;
  std::uint64_t used = 0;
  for (const auto& [range, sectors] : range_used_) used += sectors;
  return ranges * arms_.size() * cylinder_spares_ - used;
}

/// The sector that has `number` others after it, of the first `tracks` of the arm in the zone.
std::optional<PhysicalSector> Sparing::from_end(const MediaZone& zone, const ArmSurfaces& arm, std::uint64_t tracks,
                                                std::uint64_t number) const {
  while (tracks-- != 0) {
    const PhysicalTrack track = track_at(zone, arm, tracks);
    const std::uint32_t sectors = held(track);
    if (number < sectors) return PhysicalSector{track, static_cast<std::uint32_t>(sectors - 1 - number)};
    number -= sectors;
  }
  return std::nullopt;
}

bool Sparing::in_zone_spares(PhysicalSector sector) const {
  const std::size_t index = zone_at(sector.track.radius);
  const MediaZone& zone = zones_[index];
  const ArmSurfaces& arm = arm_at(sector.track.surface);
  const std::uint64_t share = zone_share(index, arm);
  std::uint64_t behind = 0;
  for (std::uint64_t number = std::uint64_t{zone.shape.radii} * arm.count; behind < share && number-- != 0;) {
    const PhysicalTrack track = track_at(zone, arm, number);
    const std::uint32_t sectors = held(track) - range_spares(track);
    if (track == sector.track) return sector.index < sectors && behind + (sectors - 1 - sector.index) < share;
    behind += sectors;
  }
  return false;
}

bool Sparing::kept_back(PhysicalSector sector, bool of_zone) const {
  const ShortTrack fewer = short_of(sector.track);
  const std::uint32_t end = held(sector.track) + track_spares_ - fewer.own_spares;
  const bool behind_data = sector.index >= held(sector.track) - range_spares(sector.track) && sector.index < end;
  return behind_data || (of_zone && in_zone_spares(sector));
}

/// A sector that holds nothing: its track's spares stand in for it, or else those of its range, or else those of its zone.
void Sparing::slip(PhysicalTrack track) {
  ShortTrack& fewer = short_[key(track)];
  ++fewer.bad;
  if (fewer.own_spares < track_spares_) {
    ++fewer.own_spares;
  } else if (const std::optional<Range> range = range_of(track); range) {
    std::uint32_t& used = range_used_[*range];
    if (used < cylinder_spares_) ++used;
  } else if (std::uint64_t& used = zone_used_[zone_at(track.radius)]; used < zones_[zone_at(track.radius)].shape.spare_sectors) {
    ++used;
  }
}

void Sparing::slip_track(PhysicalTrack track) {
  ShortTrack& fewer = short_[key(track)];
  const std::uint32_t sectors = nominal(track);
  if (fewer.bad == sectors + fewer.own_spares) return;  // a second defect of it
  fewer.bad = sectors + fewer.own_spares;
  std::uint64_t& used = zone_used_[zone_at(track.radius)];
  used = std::min<std::uint64_t>(used + sectors, zones_[zone_at(track.radius)].shape.spare_sectors);
}

/// The first spare that is left: of the track, else of its range, else, where ranges have none, of its zone.
std::optional<PhysicalSector> Sparing::spare_for(PhysicalTrack track) {
  const auto take = [&](std::optional<PhysicalSector> spare) { return spare && taken_.insert(*spare).second; };
  const std::uint32_t own = track_spares_ - short_of(track).own_spares;
  for (std::uint32_t i = 0; i < own; ++i)
    if (const PhysicalSector spare{track, held(track) + i}; take(spare)) return spare;
  const std::size_t index = zone_at(track.radius);
  const MediaZone& zone = zones_[index];
  const std::optional<Range> range = range_of(track);
  if (cylinder_spares_ != 0 && !range) return std::nullopt;
  const ArmSurfaces& arm = arm_at(track.surface);
  const std::uint32_t end = range ? range->end_radius : zone.shape.first_radius + zone.shape.radii;
  const std::uint64_t tracks = std::uint64_t{end - zone.shape.first_radius} * arm.count;
  for (std::uint64_t left = range ? cylinder_spares_ : zone_share(index, arm); left != 0; --left)
    if (const auto spare = from_end(zone, arm, tracks, left - 1); take(spare)) return spare;
  return std::nullopt;
}

void Sparing::move(PhysicalSector from, PhysicalSector to, const std::string& where) {
  if (!moved_.emplace(from, to).second) problems_.push_back(where + "names " + text(from) + " again");
}

void Sparing::add_remapped(const MediaConfig& config) {
  for (std::size_t i = 0; i < config.remapped_sectors.size(); ++i) {
    const PhysicalSector from = sector_of(config.remapped_sectors[i], 0);
    const PhysicalSector to = sector_of(config.remapped_sectors[i], 3);
    const std::string where = "remapped_sectors: row " + std::to_string(i + 1) + " ";
    if (from.index >= held(from.track) - range_spares(from.track)) {
      problems_.push_back(where + "names " + text(from) + ", which holds no data; expected 0 to " +
                          std::to_string(held(from.track) - range_spares(from.track) - 1));
    } else if (!kept_back(to, true)) {
      problems_.push_back(where + "moves to " + text(to) +
                          ", which is no spare; expected one of track_spares, cylinder_spares or its zone's");
    } else if (!taken_.insert(to).second) {
      problems_.push_back(where + "moves to " + text(to) + ", as a row before it does");
    } else {
      move(from, to, where);
    }
  }
}

void Sparing::add_defects(const MediaConfig& config) {
  std::set<PhysicalSector> named;
  for (std::size_t i = 0; i < config.factory_defects.size(); ++i) {
    const PhysicalSector bad = sector_of(config.factory_defects[i], 0);
    const std::string where = "factory_defects: row " + std::to_string(i + 1) + " ";
    if (!named.insert(bad).second) {
      problems_.push_back(where + "names " + text(bad) + " again");
    } else if (config.defect_scheme == DefectScheme::slip) {
      slip(bad.track);
    } else if (config.defect_scheme == DefectScheme::slip_track) {
      slip_track(bad.track);
    } else if (kept_back(bad, true)) {
      taken_.insert(bad);  // a spare that is none
    } else if (const auto spare = spare_for(bad.track); spare) {
      move(bad, *spare, where);
    } else {
      problems_.push_back(where + "finds no spare left for " + text(bad) +
                          "; expected more track_spares, cylinder_spares or spare_sectors");
    }
  }
}

std::vector<RemappedSector> Sparing::remaps() const {
  std::vector<RemappedSector> all;
  for (const auto& [from, to] : moved_) all.push_back({from, to});
  std::ranges::sort(
      all, {}, [](const RemappedSector& moved) { return std::tuple(moved.from.track.radius, moved.from.track.surface, moved.from.index); });
  return all;
}

// --- Checks ---

// What may be wrong with spares, and with the defects that they stand in for.

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
