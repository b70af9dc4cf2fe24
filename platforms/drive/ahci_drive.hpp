#pragma once
// The drive behind an AHCI controller.
#include <memory>

#include "ahci/ahci_module.hpp"
#include "platforms/drive/drive_module.hpp"

namespace tessera {

/// A controller's configuration with what the drive knows of itself: rotation rate, sectors, queue depth, link, write cache, whether it is
/// shingled, and its health as of now. `drive` lives as long as the controller.
[[nodiscard]] ahci::Config ahci_config(DriveModule& drive);

/// A controller in front of the drive's block socket, which loses its power with the drive.
[[nodiscard]] std::unique_ptr<AhciModule> make_ahci(const char* name, DriveModule& drive);
[[nodiscard]] std::unique_ptr<AhciModule> make_ahci(const char* name, DriveModule& drive, ahci::Config config);

}  // namespace tessera
