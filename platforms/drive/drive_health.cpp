#include "platforms/drive/drive_health.hpp"

#include <algorithm>
#include <cmath>

#include "platforms/drive/drive_image.hpp"

namespace tessera {

namespace {

double value_of(const MetricSet& metrics, const char* name) {
  const Metric* const metric = metrics.find(name);
  return metric == nullptr ? 0 : metric->value.value_or(0);
}

}  // namespace

DriveHealth health_of(const DriveModule& drive, Picoseconds now) {
  MetricSet metrics;
  drive.report(metrics, now);
  DriveHealth health;
  const double worn = std::max(value_of(metrics, "nand.wear.used"), value_of(metrics, "media.wear.used"));
  health.used_percent = static_cast<std::uint8_t>(std::min(255.0, std::ceil(100 * worn)));
  health.media_errors = static_cast<std::uint64_t>(value_of(metrics, "media.errors"));
  const double left = value_of(metrics, "defects.spares_left"), taken = value_of(metrics, "defects.relocations");
  health.relocations = static_cast<std::uint64_t>(taken);
  if (left + taken > 0) health.spare_percent = static_cast<std::uint8_t>(100 * left / (left + taken));
  double busy_ms = 0;
  for (const char* const work : {"media.time.seek", "media.time.rotation", "media.time.read", "media.time.write"})
    busy_ms += value_of(metrics, work);
  health.busy = Picoseconds(static_cast<std::uint64_t>(busy_ms * 1e9));
  return health;
}

bool has_volatile_cache(const DriveConfig& description) {
  if (const auto said = image_needs_flushes(description)) return *said;
  const auto& cache = description.firmware_for_layer().write_cache;
  return description.selected().promises_flushed_only() ||
         (cache.capacity > Bytes(0) && cache.durability == CacheDurability::volatile_memory);
}

bool zeros_after_trim(const DriveConfig& description) {
  return description.image == nullptr && description.firmware_for_layer().zeros_after_trim;
}

}  // namespace tessera
