#include "platforms/plugin/plugin_values.hpp"

#include <algorithm>

namespace tessera {

namespace {

static_assert(TESSERA_SWITCHES == TrackSwitches::distances);

constexpr std::uint32_t staggered = 2;  // tessera_region::skewed

}  // namespace

tessera_flash_shape to_c(const FlashShape& shape) {
  return {.blocks = shape.blocks,
          .pages_per_block = shape.pages_per_block,
          .oob_bytes = shape.oob_bytes,
          .page_bytes = shape.page_bytes,
          .read_retries = shape.read_retries,
          .paired_pages = shape.paired_pages ? 1U : 0U,
          .subpages = shape.subpages,
          .planes = shape.planes,
          .copyback = shape.copyback ? 1U : 0U};
}

FlashShape from_c(const tessera_flash_shape& shape) {
  return {.blocks = shape.blocks,
          .pages_per_block = shape.pages_per_block,
          .oob_bytes = shape.oob_bytes,
          .page_bytes = shape.page_bytes,
          .read_retries = shape.read_retries,
          .paired_pages = shape.paired_pages != 0,
          .subpages = shape.subpages,
          .planes = shape.planes,
          .copyback = shape.copyback != 0};
}

tessera_region to_c(const Region& region) {
  return {.name = region.name.c_str(),
          .first = region.first,
          .count = region.count,
          .format = static_cast<std::uint32_t>(region.format),
          .head_width = region.head_width,
          .direction = region.direction,
          .band_tracks = region.band_tracks,
          .guard_tracks = region.guard_tracks,
          .top_ratio = region.top_ratio,
          .skewed = region.skewed      ? 1U
                    : region.staggered ? staggered
                                       : 0U};
}

Region from_c(const tessera_region& region) {
  return {.name = region.name == nullptr ? "" : region.name,
          .first = region.first,
          .count = region.count,
          .format = static_cast<RecordingFormat>(region.format),
          .head_width = region.head_width,
          .direction = region.direction,
          .band_tracks = region.band_tracks,
          .guard_tracks = region.guard_tracks,
          .top_ratio = region.top_ratio,
          .skewed = region.skewed != 0 && region.skewed != staggered,
          .staggered = region.skewed == staggered};
}

PluginGeometry::PluginGeometry(const DriveGeometry& geometry) : value{} {
  for (const GeometryZone& zone : geometry.zones)
    zones.push_back({zone.first_radius, zone.radii, zone.sectors_per_track, zone.spare_sectors});
  value = {.sector_bytes = geometry.sector_bytes,
           .surfaces = geometry.surfaces,
           .reserved_sectors = geometry.reserved_sectors,
           .spare_radii = geometry.spare_radii,
           .exported_sectors = geometry.exported_sectors,
           .zone_count = static_cast<std::uint32_t>(zones.size()),
           .zones = zones.data(),
           .head_switch = geometry.switches.head,
           .track_switch = {},
           .track_spares = geometry.track_spares};
  std::ranges::copy(geometry.switches.over, value.track_switch);
}

DriveGeometry from_c(const tessera_geometry& geometry) {
  DriveGeometry own{.sector_bytes = geometry.sector_bytes,
                    .surfaces = geometry.surfaces,
                    .reserved_sectors = geometry.reserved_sectors,
                    .exported_sectors = geometry.exported_sectors,
                    .zones = {},
                    .switches = {.head = geometry.head_switch, .over = {}},
                    .track_spares = geometry.track_spares,
                    .spare_radii = geometry.spare_radii};
  std::ranges::copy(geometry.track_switch, own.switches.over.begin());
  for (std::uint32_t i = 0; i < geometry.zone_count; ++i) {
    const tessera_zone& zone = geometry.zones[i];
    own.zones.push_back({zone.first_radius, zone.radii, zone.sectors_per_track, zone.spare_sectors});
  }
  return own;
}

}  // namespace tessera
