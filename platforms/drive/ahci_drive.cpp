#include "platforms/drive/ahci_drive.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "platforms/drive/drive_health.hpp"

namespace tessera {

namespace {

std::uint32_t generation_of(BytesPerSecond rate) {
  constexpr std::uint64_t first = 150'000'000;  // bytes a second; each generation doubles it
  return rate.value() <= first ? 1 : rate.value() <= 2 * first ? 2 : 3;
}

bool is_shingled(const FormatPlan& plan) {
  return std::ranges::any_of(
      plan, [](const Region& region) { return region.format == RecordingFormat::shingled || region.format == RecordingFormat::wave; });
}

/// A stranger's media may not stop.
SpindleControl spindle_of(DriveModule& drive) {
  if (!drive.has_own_media()) return {};
  // The drive's calendar may not have come to this instant yet; where it has gone beyond, that is its time.
  const auto now = [&drive] { return std::max(drive.timeline().now(), from_sc_time(sc_core::sc_time_stamp())); };
  MediaDevice& media = drive.media().device();
  return {.stopped = [&media, now] { return media.spindle_stopped(now()); },
          .stop = [&media, now] { media.stop_spindle(now()); },
          .start = [&media, now] { media.start_spindle(now()); }};
}

}  // namespace

ahci::Config ahci_config(DriveModule& drive) {
  const DriveConfig& description = drive.config();
  if (description.logical_units.several())
    throw InputError("host.luns is " + std::to_string(description.logical_units.luns) +
                     ", and a port of an AHCI controller has one drive; expected 1, or an NVMe controller, where each LUN is a namespace");
  ahci::Config config;
  config.queue_depth = std::clamp(description.host.tags, 1U, 32U);
  config.link_generation = generation_of(description.host.link_rate);
  config.rotation_rpm = static_cast<std::uint32_t>(description.media.speed.value());
  config.physical_sector = drive.sector_shape().sector_bytes;
  config.drive_managed_zones = is_shingled(plan_drive(description)) && !description.has_zones();
  config.volatile_cache = has_volatile_cache(description);
  config.zeros_after_trim = zeros_after_trim(description);
  config.spindle = spindle_of(drive);
  config.health = [&drive] { return health_of(drive, drive.timeline().now()); };
  return config;
}

std::unique_ptr<AhciModule> make_ahci(const char* name, DriveModule& drive) { return make_ahci(name, drive, ahci_config(drive)); }

std::unique_ptr<AhciModule> make_ahci(const char* name, DriveModule& drive, ahci::Config config) {
  auto controller = std::make_unique<AhciModule>(name, std::move(config), [&drive] { return drive.capacity().value(); });
  controller->drive.bind(drive.block_socket());
  drive.attach(*controller);
  return controller;
}

}  // namespace tessera
