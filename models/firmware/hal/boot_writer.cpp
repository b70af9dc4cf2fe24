#include "firmware/hal/boot_writer.hpp"

#include <algorithm>
#include <cstring>
#include <span>

#include "base/check.hpp"
#include "firmware/hal/boot_data.hpp"
#include "firmware/hal/parameter_words.hpp"

namespace tessera::hal {

namespace {

/// Puts `entries` behind what is there; gives where.
template <class Entry>
std::uint64_t append(std::vector<std::byte>& data, const std::vector<Entry>& entries) {
  const std::uint64_t offset = data.size();
  const auto bytes = std::as_bytes(std::span(entries));
  data.insert(data.end(), bytes.begin(), bytes.end());
  return offset;
}

BootRegion boot_region(const Region& region) {
  BootRegion entry{.first = region.first,
                   .count = region.count,
                   .format = static_cast<std::uint64_t>(region.format),
                   .head_width = region.head_width,
                   .direction = region.direction,
                   .band_tracks = region.band_tracks,
                   .guard_tracks = region.guard_tracks,
                   .top_ratio = region.top_ratio,
                   .skewed = region.skewed ? 1U : 0U,
                   .staggered = region.staggered ? 1U : 0U};
  TESSERA_CHECK(region.name.size() < sizeof(entry.name), "a region's name is too long for the boot data");
  std::ranges::copy(region.name, entry.name);
  return entry;
}

template <class Config>
std::vector<std::uint64_t> words_of(Config& config) {
  ParameterWordWriter writer;
  config.describe(writer);
  return writer.words();
}

void describe_flash(BootData& header, const FlashShape& flash) {
  header.flash_blocks = flash.blocks;
  header.pages_per_block = flash.pages_per_block;
  header.oob_bytes = flash.oob_bytes;
  header.page_bytes = flash.page_bytes;
  header.read_retries = flash.read_retries;
  header.paired_pages = flash.paired_pages ? 1 : 0;
  header.subpages = flash.subpages;
  header.planes = flash.planes;
  header.copyback = flash.copyback ? 1 : 0;
}

BootPlace boot_place(PhysicalSector sector) { return {sector.track.surface, sector.track.radius, sector.index}; }

}  // namespace

std::vector<std::byte> make_boot_data(const DriveGeometry& geometry, const FormatPlan& plan, const std::optional<FlashShape>& flash,
                                      std::uint32_t tags, LayerFactory& layer, FirmwareConfig& firmware) {
  std::vector<BootZone> zones;
  for (const GeometryZone& zone : geometry.zones)
    zones.push_back({zone.first_radius, zone.radii, zone.sectors_per_track, zone.spare_sectors});
  std::vector<BootRegion> regions;
  for (const Region& region : plan) regions.push_back(boot_region(region));
  const std::vector<std::uint64_t> switches(geometry.switches.over.begin(), geometry.switches.over.end());
  std::vector<BootArm> arms;
  for (const ArmSurfaces& arm : geometry.arms) arms.push_back({arm.first, arm.count});
  std::vector<std::uint64_t> by_surface;
  if (std::ranges::any_of(geometry.zones, [](const GeometryZone& zone) { return !zone.surface_sectors.empty(); }))
    for (const GeometryZone& zone : geometry.zones)
      for (std::uint32_t surface = 0; surface < geometry.surfaces; ++surface) by_surface.push_back(zone.sectors_on(surface));
  std::vector<BootRemap> remaps;
  for (const RemappedSector& moved : geometry.remaps) remaps.push_back({boot_place(moved.from), boot_place(moved.to)});
  const std::vector<std::uint64_t> layer_words = words_of(layer);
  const std::vector<std::uint64_t> firmware_words = words_of(firmware);

  BootData header{.tags = tags,
                  .sector_bytes = geometry.sector_bytes,
                  .surfaces = geometry.surfaces,
                  .reserved_sectors = geometry.reserved_sectors,
                  .exported_sectors = geometry.exported_sectors,
                  .spare_radii = geometry.spare_radii,
                  .zones = zones.size(),
                  .regions = regions.size(),
                  .layer_values = layer_words.size(),
                  .firmware_values = firmware_words.size(),
                  .head_switch = geometry.switches.head,
                  .arms = arms.size(),
                  .track_order = static_cast<std::uint64_t>(geometry.track_order),
                  .serpent_radii = geometry.serpent_radii,
                  .surface_values = by_surface.size(),
                  .remaps = remaps.size(),
                  .track_spares = geometry.track_spares};
  if (flash) describe_flash(header, *flash);
  std::vector<std::byte> data(sizeof(BootData));
  header.zone_table = append(data, zones);
  header.region_table = append(data, regions);
  header.layer_table = append(data, layer_words);
  header.firmware_table = append(data, firmware_words);
  header.switch_table = append(data, switches);
  header.arm_table = append(data, arms);
  header.surface_table = append(data, by_surface);
  header.remap_table = append(data, remaps);
  header.bytes = data.size();
  std::memcpy(data.data(), &header, sizeof(header));
  return data;
}

}  // namespace tessera::hal
