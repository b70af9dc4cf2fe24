#include "firmware/flash/band_layout.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera {

namespace {

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

/// Radii of a band with its guards in a zone, on any surface.
std::uint32_t stride_in(const GeometryZone& zone, const BandRequest& request) {
  return static_cast<std::uint32_t>(divide_up(request.band_sectors, zone.fewest_sectors())) + request.guard_tracks();
}

/// Adds to the plan the bands that fit radii [first, end) of one zone, at most `wanted`; gives the first radius behind them.
std::uint32_t add_bands(FormatPlan& plan, const GeometryZone& zone, std::uint32_t first, std::uint32_t end, std::uint32_t surfaces,
                        const BandRequest& request, std::uint64_t& wanted) {
  const std::uint32_t stride = stride_in(zone, request);
  const std::uint64_t places = std::min<std::uint64_t>((end - first) / stride, divide_up(wanted, surfaces));
  if (places == 0) return first;
  Region region;
  region.name = "bands";
  region.first = first;
  region.count = places * stride;
  region.format = RecordingFormat::shingled;
  region.head_width = request.head_width;
  region.direction = 1;
  region.band_tracks = stride - request.guard_tracks();
  region.guard_tracks = request.guard_tracks();
  plan.push_back(region);
  wanted -= std::min(wanted, places * surfaces);
  return first + static_cast<std::uint32_t>(region.count);
}

/// Adds a conventional region of `count` radii from `first` on; gives the first radius behind it.
std::uint32_t add_conventional(FormatPlan& plan, const char* name, std::uint32_t first, std::uint32_t count) {
  if (count == 0) return first;
  Region region;
  region.name = name;
  region.first = first;
  region.count = count;
  plan.push_back(region);
  return first + count;
}

/// Radii from the outer diameter that hold `wanted` bands, or all of them.
std::uint32_t radii_for(const DriveGeometry& geometry, const BandRequest& request, std::uint64_t wanted) {
  std::uint32_t end = 0;
  for (const GeometryZone& zone : geometry.zones) {
    if (wanted == 0) break;
    FormatPlan part;
    end = add_bands(part, zone, zone.first_radius, zone.first_radius + zone.radii, geometry.surfaces, request, wanted);
  }
  return end;
}

}  // namespace

FormatPlan plan_bands(const DriveGeometry& geometry, const BandRequest& request, std::string& problem) {
  const std::uint64_t all = ~std::uint64_t{0} / 2;
  std::uint64_t wanted = request.bands == 0 ? all : request.bands + request.spares;
  const std::uint64_t asked = wanted;
  const std::uint32_t middle = radii_for(geometry, request, wanted) / 2;

  FormatPlan plan;
  const std::uint32_t reserved = request.log_radii + request.map_radii + request.checkpoint_radii;
  bool reserve_placed = reserved == 0;
  for (const GeometryZone& zone : geometry.zones) {
    std::uint32_t at = zone.first_radius;
    const std::uint32_t end = zone.first_radius + zone.radii;
    if (!reserve_placed && middle < end && at + reserved <= end) {
      const std::uint32_t reserve_at = std::clamp(middle, at, end - reserved);
      at = add_bands(plan, zone, at, reserve_at, geometry.surfaces, request, wanted);
      at = add_conventional(plan, "log", at, request.log_radii);
      at = add_conventional(plan, "map", at, request.map_radii);
      at = add_conventional(plan, "checkpoint", at, request.checkpoint_radii);
      reserve_placed = true;
    }
    if (wanted > 0) add_bands(plan, zone, at, end, geometry.surfaces, request, wanted);
  }

  const std::uint64_t fitted = asked - wanted;
  if (!reserve_placed) {
    problem = "the log region of " + std::to_string(reserved) + " radii does not fit a zone of the drive";
  } else if (request.bands != 0 && wanted > 0) {
    problem = std::to_string(request.bands) + " bands and " + std::to_string(request.spares) + " spare bands of " +
              std::to_string(request.band_sectors) + " sectors do not fit: the drive has room for " + std::to_string(fitted) + " in all";
  } else if (fitted <= request.spares) {
    problem = "the drive has room for " + std::to_string(fitted) + " bands of " + std::to_string(request.band_sectors) +
              " sectors; at least " + std::to_string(request.spares + 1) + " are needed, spares included";
  }
  return problem.empty() ? plan : FormatPlan{};
}

std::uint64_t bands_in(const FormatPlan& plan, const DriveGeometry& geometry) {
  std::uint64_t bands = 0;
  for (const Region& region : regions_named(plan, "bands"))
    bands += region.count / (region.band_tracks + region.guard_tracks) * geometry.surfaces;
  return bands;
}

std::string log_problem(const FormatPlan& plan, const DriveGeometry& geometry, const LogNeed& need) {
  const FormatPlan log = regions_named(plan, "log");
  const std::uint64_t sectors = sectors_in(log, geometry);
  if (sectors >= need.sectors) return {};
  std::uint64_t radii = 0;
  for (const Region& region : log) radii += region.count;
  return "log_radii " + std::to_string(radii) + " give " + need.log + " " + std::to_string(sectors) + " sectors; " +
         std::to_string(bands_in(plan, geometry)) + " " + need.bands + " need at least " + std::to_string(need.sectors);
}

BandLayout::BandLayout(const DriveGeometry& geometry, const FormatPlan& plan, std::uint32_t band_sectors, const MediaPort& media)
    : surfaces_(geometry.surfaces), band_sectors_(band_sectors) {
  for (const Region& region : plan) {
    if (region.format != RecordingFormat::shingled) continue;
    const auto first = static_cast<std::uint32_t>(region.first);
    const std::uint32_t stride = region.band_tracks + region.guard_tracks;
    const Extent extent{places_, first, stride, FixedDivisor(geometry.zone_of(first).fewest_sectors())};
    extents_.push_back(extent);
    const std::uint64_t end = places_ + region.count / stride * surfaces_.divisor();
    if (media.uniform() && region.band_tracks * extent.sectors_per_track.divisor() >= band_sectors_) places_ = end;  // none is short
    for (; places_ < end; ++places_) inspect(extent, places_, region.band_tracks, media);
  }
}

void BandLayout::inspect(const Extent& extent, std::uint64_t place, std::uint32_t tracks, const MediaPort& media) {
  SlipTable slips;
  PhysicalTrack track = first_track(extent, place);
  const auto nominal = static_cast<std::uint32_t>(extent.sectors_per_track.divisor());
  for (std::uint32_t i = 0; i < tracks; ++i, ++track.radius)
    slips.add(std::uint64_t{i} * nominal, nominal, std::min(nominal, media.sectors_on(track)));
  if (std::uint64_t{tracks} * nominal - slips.missing() < band_sectors_) {
    left_out_.push_back(place);
  } else if (!slips.empty()) {
    short_bands_.push_back({place, std::move(slips)});
  }
}

std::uint64_t BandLayout::place_of(std::uint64_t band) const {
  std::uint64_t place = band;
  for (const std::uint64_t left_out : left_out_) {
    if (left_out > place) break;
    ++place;
  }
  return place;
}

PhysicalTrack BandLayout::first_track(const Extent& extent, std::uint64_t place) const {
  const std::uint64_t local = place - extent.first_place;
  const std::uint64_t row = surfaces_.quotient(local);
  return {static_cast<std::uint32_t>(local - row * surfaces_.divisor()),
          extent.first_radius + static_cast<std::uint32_t>(row) * extent.stride};
}

PhysicalRun BandLayout::locate(std::uint64_t band, std::uint32_t offset, std::uint32_t count) const {
  TESSERA_CHECK(band < bands() && offset < band_sectors_, "a sector lies in no band");
  const std::uint64_t place = place_of(band);
  const auto behind = std::upper_bound(extents_.begin(), extents_.end(), place,
                                       [](std::uint64_t value, const Extent& extent) { return value < extent.first_place; });
  const Extent& extent = *(behind - 1);
  SlipTable::Place nominal{offset, 0};
  const auto slipped = std::lower_bound(short_bands_.begin(), short_bands_.end(), place,
                                        [](const ShortBand& entry, std::uint64_t value) { return entry.place < value; });
  if (slipped != short_bands_.end() && slipped->place == place) nominal = slipped->slips.place(offset);
  PhysicalRun run;
  run.track = first_track(extent, place);
  const auto per_track = static_cast<std::uint32_t>(extent.sectors_per_track.divisor());
  const auto track = static_cast<std::uint32_t>(extent.sectors_per_track.quotient(nominal.nominal));
  run.track.radius += track;
  run.first = static_cast<std::uint32_t>(nominal.nominal - std::uint64_t{track} * per_track);
  run.count = std::min({count, per_track - nominal.shortfall - run.first, band_sectors_ - offset});
  return run;
}

}  // namespace tessera
