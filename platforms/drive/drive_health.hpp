#pragma once
// What a host controller in front of a drive tells of it.
#include "bus/host_controller.hpp"
#include "platforms/drive/drive_module.hpp"

namespace tessera {

/// As of now.
[[nodiscard]] DriveHealth health_of(const DriveModule& drive, Picoseconds now);

/// Whether what the drive acknowledges may be lost without a flush: as its firmware image says, otherwise by write cache and layer.
[[nodiscard]] bool has_volatile_cache(const DriveConfig& description);
/// Whether what was trimmed reads as zeros: of an image nobody knows.
[[nodiscard]] bool zeros_after_trim(const DriveConfig& description);

}  // namespace tessera
