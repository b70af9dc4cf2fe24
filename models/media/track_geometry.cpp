#include "media/track_geometry.hpp"

#include <algorithm>
#include <cmath>

#include "base/error.hpp"

namespace tessera {

namespace {

FormatPlan plan_or_whole_drive(const MediaConfig& config, const FormatPlan& plan) {
  if (!plan.empty()) return plan;
  Region data;
  data.name = "data";
  for (const MediaZone& zone : zones_of(config)) data.count += zone.shape.radii;
  return {data};
}

}  // namespace

TrackGeometry::TrackGeometry(const MediaConfig& config, const FormatPlan& plan)
    : turn_(tessera::revolution(config.speed).value()),
      spindle_phase_(config.spindle_phase.value()),
      surfaces_(config.surfaces),
      regions_(plan_or_whole_drive(config, plan)) {
  track_spares_ = config.track_spares;
  side_reach_ = config.heat.tracks_destroyed();
  arms_ = arms_of(config);
  in_units_ = config.actuators > 1 || config.track_order != TrackOrder::cylinder;
  const Sparing sparing(config);
  particular_ = sparing.any() || !config.surface_zones.empty() || !config.head_tolerances.empty();
  const std::uint32_t behind = sparing.remaps().empty() ? 0 : track_spares_;  // beside the sectors that it numbers
  for (const MediaZone& zone : zones_of(config)) {
    add_groups(config, zone);
    radii_ = zone.shape.first_radius + zone.shape.radii;
    most_sectors_ = std::max(most_sectors_, zone.shape.sectors_per_track + behind);
  }
  spare_radii_ = config.spare_tracks;
  if (spare_radii_ != 0) add_spares();
  index_groups();
  add_slipped(sparing);
  if (config.cylinder_spares != 0) ranges_ = sparing;
  for (const NumberRow& row : config.head_tolerances) {
    head_angles_.resize(surfaces_);
    head_angles_[static_cast<std::size_t>(row[0])] = static_cast<std::uint64_t>(row[3] * static_cast<double>(turn_.divisor()) / 360);
  }
}

/// Conventional tracks that go on where the last zone ends. Regions end before them, and with these the reach of every overlap.
void TrackGeometry::add_spares() {
  Region spares;
  spares.name = "spares";
  spares.first = radii_;
  spares.count = spare_radii_;
  TrackGroup group = groups_.back();
  group.first_radius = group.region_first = radii_;
  group.end_radius = group.region_end = all_radii();
  group.region = static_cast<std::uint32_t>(regions_.size());
  group.skewed = true;
  group.interlaced = false;
  group.top = group.bottom;
  group.bottoms.clear();  // all spare tracks hold as many sectors, whatever the surface
  groups_.push_back(group);
  regions_.push_back(spares);
}

void TrackGeometry::add_groups(const MediaConfig& config, const MediaZone& zone) {
  const std::uint32_t sectors = zone.shape.sectors_per_track + track_spares_;
  const std::uint32_t zone_end = zone.shape.first_radius + zone.shape.radii;
  TrackGroup group;
  group.zone_first = zone.shape.first_radius;
  group.track_skew = zone.track_skew % sectors;
  group.cylinder_skew = zone.cylinder_skew % sectors;
  group.start_angle = zone.start_angle;
  group.radius_skew = static_cast<std::uint32_t>((std::uint64_t{zone.track_skew} * (surfaces_ - 1) + zone.cylinder_skew) % sectors);
  group.nominal = FixedDivisor(sectors);
  group.bottom = group.top = TrackDensity(sectors, revolution());
  group.units = TrackUnits::of(config.track_order, config.serpent_tracks, zone.shape.first_radius, zone.shape.radii);
  group.skews = track_skews(config, zone);
  for (const std::uint32_t own : zone.shape.surface_sectors) group.bottoms.emplace_back(own + track_spares_, revolution());

  std::uint32_t radius = zone.shape.first_radius;
  while (radius < zone_end) {
    TrackGroup part = group;
    part.first_radius = radius;
    part.end_radius = zone_end;
    for (std::uint32_t r = 0; r < regions_.size(); ++r) {
      const Region& region = regions_[r];
      const auto first = static_cast<std::uint32_t>(region.first);
      const auto end = static_cast<std::uint32_t>(region.first + region.count);
      if (radius < first) {
        part.end_radius = std::min(part.end_radius, first);
      } else if (radius < end) {
        part.end_radius = std::min(part.end_radius, end);
        part.region = r;
        part.region_first = first;
        part.region_end = end;
        part.skewed = region.skewed;
        part.interlaced = region.format == RecordingFormat::interlaced;
        const auto top_of = [&](std::uint32_t bottom) {
          return TrackDensity(static_cast<std::uint32_t>(std::floor(region.top_ratio * bottom)) + track_spares_, revolution());
        };
        if (part.interlaced) {
          part.top = top_of(zone.shape.sectors_per_track);
          for (const std::uint32_t own : zone.shape.surface_sectors) part.tops.push_back(top_of(own));
        }
        break;
      }
    }
    radius = part.end_radius;
    groups_.push_back(part);
  }
}

void TrackGeometry::index_groups() {
  // At most 4096 entries: the table stays in the first-level cache, and the walk from it is nearly always empty.
  while ((all_radii() >> coarse_shift_) >= 4096) ++coarse_shift_;
  std::uint32_t group = 0;
  for (std::uint32_t i = 0; i <= (all_radii() - 1) >> coarse_shift_; ++i) {
    while ((i << coarse_shift_) >= groups_[group].end_radius) ++group;
    coarse_.push_back(group);
  }
}

void TrackGeometry::add_slipped(const Sparing& sparing) {
  std::vector<Slipped> found;
  for (const auto& [place, by] : sparing.short_tracks()) {
    const PhysicalTrack track{place.second, place.first};
    const std::uint32_t sectors = shape_of(track).sectors();  // as formatted, before any defect
    if (by.bad - by.own_spares > sectors)
      throw InputError("media: slipped_defects take " + std::to_string(by.bad - by.own_spares) + " sectors from the track at radius " +
                       std::to_string(track.radius) + ", which has " + std::to_string(sectors));
    found.push_back({linear(track), by});
  }
  std::ranges::sort(found, {}, &Slipped::track);
  slipped_ = std::move(found);
}

/// The tracks of an arm begin as those of a drive that has its surfaces alone. Every way between two tracks in the order of the unit adds
/// its skew.
std::uint64_t TrackGeometry::start_in_unit(PhysicalTrack track, const TrackGroup& group) const {
  const auto arm = std::ranges::find_if(arms_, [&](const ArmSurfaces& of) { return track.surface < of.first + of.count; });
  const std::uint32_t radius = track.radius - group.zone_first;
  const std::uint32_t unit = radius / group.units.radii;
  const std::uint32_t surface = track.surface - arm->first;
  const std::uint64_t on_surface = (group.units.radii - 1) * group.skews.radius;
  const std::uint64_t of_unit = arm->count * on_surface + (arm->count - 1) * group.skews.surface + group.skews.unit;
  const std::uint64_t surfaces = group.units.turned_surface(unit, surface, arm->count);
  const std::uint64_t radii = group.units.turned_radius(radius - unit * group.units.radii, surface, group.units.radii);
  const std::uint64_t sectors =
      unit * of_unit + surfaces * (on_surface + group.skews.surface) + radii * group.skews.radius + group.start_angle;
  return group.bottom.offset(static_cast<std::uint32_t>(group.nominal.remainder(sectors)));
}

/// What makes a track another than its zone says.
void TrackGeometry::set_apart(PhysicalTrack track, const TrackGroup& group, TrackShape& shape) const {
  const std::vector<TrackDensity>& own = interlaced_top(group, track.radius) ? group.tops : group.bottoms;
  if (!own.empty()) shape.density = own[track.surface];
  if (!head_angles_.empty()) shape.start = (shape.start + head_angles_[track.surface]) % turn_.divisor();
  if (!slipped_.empty()) slip(track, shape);
  if (ranges_ && track.radius < radii_) shape.missing += std::min(shape.sectors(), ranges_->range_spares(track));
}

void TrackGeometry::slip(PhysicalTrack track, TrackShape& shape) const {
  const std::uint64_t key = linear(track);
  const auto at = std::lower_bound(slipped_.begin(), slipped_.end(), key,
                                   [](const Slipped& entry, std::uint64_t wanted) { return entry.track < wanted; });
  if (at == slipped_.end() || at->track != key) return;
  if (at->by.bad == shape.sectors() + at->by.own_spares) {
    shape.missing = shape.density.sectors;  // a slipped track: nothing on it is addressed
  } else {
    shape.density = TrackDensity(shape.density.sectors - at->by.bad, revolution());
    shape.missing -= at->by.own_spares;
  }
}

}  // namespace tessera
