#include "platforms/drive/nvme_drive.hpp"

#include "platforms/drive/drive_health.hpp"

namespace tessera {

nvme::Config nvme_config(DriveModule& drive) {
  nvme::Config config;
  config.volatile_cache = has_volatile_cache(drive.config());
  config.zeros_after_trim = zeros_after_trim(drive.config());
  if (drive.config().logical_units.several()) {
    Bytes begin;
    for (const Bytes end : lun_ends(drive)) {
      config.namespaces.push_back(end - begin);
      begin = end;
    }
  }
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
