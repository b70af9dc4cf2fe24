#include "platforms/run/drive_host.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/error.hpp"
#include "platforms/description/listing.hpp"
#include "platforms/drive/drive_health.hpp"

namespace tessera {

namespace {

DriveZones zones_of(DriveModule& drive, ContentMode content) {
  const DriveConfig& config = drive.config();
  DriveZones zones;
  zones.zone_sectors = config.selected().zone_size() / config.media.sector_size;
  zones.zones = static_cast<std::uint32_t>(drive.firmware().user_sectors() / zones.zone_sectors);
  zones.conventional = drive.firmware().conventional_zones();
  zones.sector_blocks = drive.sector_shape().blocks();
  zones.tags = config.host.tags;
  zones.content = content;
  zones.in_order = !config.selected().takes_writes_anywhere();
  zones.volatile_cache = has_volatile_cache(config);
  zones.faults = config.asks_for_faults();
  return zones;
}

/// What the layer says of its zones beyond their size, where it says anything.
std::string limits_problem(const DriveConfig& config, const DriveZones& zones) {
  const std::uint64_t active_zones = config.hosts.active_zones(zones);
  const auto layer = std::ranges::find(config.layers, config.layer, [](const auto& factory) { return factory->name(); });
  ParameterCollector collector;
  (*layer)->describe(collector);
  for (const Parameter& parameter : collector.parameters()) {
    const std::uint64_t value = std::strtoull(parameter.value.c_str(), nullptr, 10);
    const std::string path = layer_section(config.layer) + parameter.name;
    if (parameter.name == "max_active" && value < active_zones)
      return path + " is " + parameter.value + "; a host that translates needs at least " + std::to_string(active_zones);
    if ((parameter.name == "read_only_zones" || parameter.name == "offline_zones") && value != 0)
      return path + " is " + parameter.value + "; a host that translates writes all zones: expected 0";
  }
  return {};
}

}  // namespace

std::uint64_t application_sectors(DriveModule& drive) {
  if (!drive.config().hosts.translates()) return drive.firmware().user_sectors();
  const DriveZones zones = zones_of(drive, ContentMode::none);
  std::string problem = limits_problem(drive.config(), zones);
  if (!problem.empty()) throw drive.config().refusal(problem);
  const std::uint64_t sectors = drive.config().hosts.user_sectors(zones, problem);
  if (!problem.empty()) throw drive.config().refusal(problem);
  return sectors;
}

std::unique_ptr<TranslatingHost> make_translating_host(DriveModule& drive, ContentMode content, HostLink& link) {
  static_cast<void>(application_sectors(drive));
  return drive.config().hosts.make(zones_of(drive, content), drive.timeline(), link);
}

}  // namespace tessera
