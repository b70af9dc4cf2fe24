#pragma once
// The host that a description puts between the application and a drive with zones.
#include <memory>

#include "platforms/drive/drive_module.hpp"
#include "stimuli/hosts/translating_host.hpp"

namespace tessera {

/// Sectors that the application sees, of a drive that is on; InputError where the host has no room on it.
[[nodiscard]] std::uint64_t application_sectors(DriveModule& drive);

/// hosts.translation names one, and the drive is on; InputError where it has no room there.
[[nodiscard]] std::unique_ptr<TranslatingHost> make_translating_host(DriveModule& drive, ContentMode content, HostLink& link);

}  // namespace tessera
