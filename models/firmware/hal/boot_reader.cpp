#include "firmware/hal/boot_reader.hpp"

#include <algorithm>

#include "base/check.hpp"
#include "firmware/hal/parameter_words.hpp"

namespace tessera::hal {

namespace {

template <class Config>
void assign(Config& config, std::span<const std::uint64_t> words) {
  ParameterWordReader reader(words);
  config.describe(reader);
  TESSERA_CHECK(reader.at_end(), "the boot data holds more parameters than the firmware has");
}

std::uint32_t narrow(std::uint64_t word) { return static_cast<std::uint32_t>(word); }

PhysicalSector place(const BootPlace& at) { return {{narrow(at.surface), narrow(at.radius)}, narrow(at.sector)}; }

}  // namespace

BootReader::BootReader(const std::byte* data) : data_(data), header_(*reinterpret_cast<const BootData*>(data)) {}

template <class Entry>
std::span<const Entry> BootReader::table(std::uint64_t offset, std::uint64_t count) const {
  TESSERA_CHECK(offset + count * sizeof(Entry) <= header_.bytes, "a table reaches behind the boot data");
  return {reinterpret_cast<const Entry*>(data_ + offset), static_cast<std::size_t>(count)};
}

DriveGeometry BootReader::geometry() const {
  DriveGeometry geometry{.sector_bytes = narrow(header_.sector_bytes),
                         .surfaces = narrow(header_.surfaces),
                         .reserved_sectors = narrow(header_.reserved_sectors),
                         .exported_sectors = header_.exported_sectors,
                         .zones = {},
                         .switches = {},
                         .track_spares = narrow(header_.track_spares),
                         .spare_radii = narrow(header_.spare_radii),
                         .arms = {},
                         .track_order = static_cast<TrackOrder>(header_.track_order),
                         .serpent_radii = narrow(header_.serpent_radii),
                         .remaps = {}};
  const auto zones = table<BootZone>(header_.zone_table, header_.zones);
  geometry.zones.resize(zones.size());
  std::ranges::transform(zones, geometry.zones.begin(), [](const BootZone& zone) -> GeometryZone {
    return {narrow(zone.first_radius), narrow(zone.radii), narrow(zone.sectors_per_track), narrow(zone.spare_sectors), {}};
  });
  const auto by_surface = table<std::uint64_t>(header_.surface_table, header_.surface_values);
  for (std::size_t i = 0; i < by_surface.size(); ++i)
    geometry.zones[i / geometry.surfaces].surface_sectors.push_back(narrow(by_surface[i]));
  const auto arms = table<BootArm>(header_.arm_table, header_.arms);
  geometry.arms.resize(arms.size());
  std::ranges::transform(arms, geometry.arms.begin(), [](const BootArm& arm) -> ArmSurfaces {
    return {narrow(arm.first_surface), narrow(arm.surfaces)};
  });
  for (const BootRemap& moved : table<BootRemap>(header_.remap_table, header_.remaps))
    geometry.remaps.push_back({place(moved.from), place(moved.to)});
  geometry.switches.head = narrow(header_.head_switch);
  std::ranges::transform(table<std::uint64_t>(header_.switch_table, TrackSwitches::distances), geometry.switches.over.begin(), narrow);
  return geometry;
}

FormatPlan BootReader::plan() const {
  FormatPlan plan;
  for (const BootRegion& region : table<BootRegion>(header_.region_table, header_.regions))
    plan.push_back({.name = region.name,
                    .first = region.first,
                    .count = region.count,
                    .format = static_cast<RecordingFormat>(region.format),
                    .head_width = narrow(region.head_width),
                    .direction = static_cast<std::int32_t>(region.direction),
                    .band_tracks = narrow(region.band_tracks),
                    .guard_tracks = narrow(region.guard_tracks),
                    .top_ratio = region.top_ratio,
                    .skewed = region.skewed != 0,
                    .staggered = region.staggered != 0});
  return plan;
}

std::optional<FlashShape> BootReader::flash() const {
  if (header_.flash_blocks == 0) return std::nullopt;
  return FlashShape{.blocks = header_.flash_blocks,
                    .pages_per_block = narrow(header_.pages_per_block),
                    .oob_bytes = narrow(header_.oob_bytes),
                    .page_bytes = narrow(header_.page_bytes),
                    .read_retries = narrow(header_.read_retries),
                    .paired_pages = header_.paired_pages != 0,
                    .subpages = narrow(header_.subpages),
                    .planes = narrow(header_.planes),
                    .copyback = header_.copyback != 0};
}

void BootReader::configure(LayerFactory& layer) const { assign(layer, table<std::uint64_t>(header_.layer_table, header_.layer_values)); }

void BootReader::configure(FirmwareConfig& firmware) const {
  assign(firmware, table<std::uint64_t>(header_.firmware_table, header_.firmware_values));
}

}  // namespace tessera::hal
