#include "platforms/drive/nvme_drive.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

double value_of(const MetricSet& metrics, const char* name) {
  const Metric* const metric = metrics.find(name);
  return metric == nullptr ? 0 : metric->value.value_or(0);
}

nvme::Health health_of(const DriveModule& drive, Picoseconds now) {
  MetricSet metrics;
  drive.report(metrics, now);
  nvme::Health health;
  health.used_percent = static_cast<std::uint8_t>(std::min(255.0, std::ceil(100 * value_of(metrics, "nand.wear.used"))));
  health.media_errors = static_cast<std::uint64_t>(value_of(metrics, "media.errors"));
  const double left = value_of(metrics, "defects.spares_left"), taken = value_of(metrics, "defects.relocations");
  if (left + taken > 0) health.spare_percent = static_cast<std::uint8_t>(100 * left / (left + taken));
  double busy_ms = 0;
  for (const char* const work : {"media.time.seek", "media.time.rotation", "media.time.read", "media.time.write"})
    busy_ms += value_of(metrics, work);
  health.busy = Picoseconds(static_cast<std::uint64_t>(busy_ms * 1e9));
  return health;
}

}  // namespace

nvme::Config nvme_config(DriveModule& drive) {
  const DriveConfig& description = drive.config();
  const auto& cache = description.firmware_for_layer().write_cache;
  nvme::Config config;
  config.volatile_cache =
      description.selected().promises_flushed_only() || (cache.capacity > Bytes(0) && cache.durability == CacheDurability::volatile_memory);
  config.health = [&drive] { return health_of(drive, drive.timeline().now()); };
  return config;
}

std::unique_ptr<NvmeModule> make_nvme(const char* name, DriveModule& drive) { return make_nvme(name, drive, nvme_config(drive)); }

std::unique_ptr<NvmeModule> make_nvme(const char* name, DriveModule& drive, nvme::Config config) {
  auto controller = std::make_unique<NvmeModule>(name, std::move(config), [&drive] { return drive.capacity().value(); });
  controller->drive.bind(drive.block_socket());
  drive.attach(*controller);
  return controller;
}

}  // namespace tessera
