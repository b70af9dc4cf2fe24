#pragma once
// The drive behind an NVMe controller.
#include <memory>

#include "nvme/nvme_module.hpp"
#include "platforms/drive/drive_module.hpp"

namespace tessera {

/// A controller's configuration with what the drive knows of itself: whether its write cache is volatile, and its health as of now. `drive`
/// lives as long as the controller.
[[nodiscard]] nvme::Config nvme_config(DriveModule& drive);

/// A controller in front of the drive's block socket, which loses its power with the drive.
[[nodiscard]] std::unique_ptr<NvmeModule> make_nvme(const char* name, DriveModule& drive);
[[nodiscard]] std::unique_ptr<NvmeModule> make_nvme(const char* name, DriveModule& drive, nvme::Config config);

}  // namespace tessera
