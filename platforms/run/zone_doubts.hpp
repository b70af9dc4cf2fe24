#pragma once
// The medium's truth about what a zoned drive says is in doubt.
#include <vector>

#include "firmware/zone_commands.hpp"
#include "media/media_device.hpp"

namespace tessera {

/// Of what the drive does not read, that which ends with a sector that could not be read since MediaDevice::forget_unread().
[[nodiscard]] std::vector<HostRun> founded_doubts(const MediaDevice& device, const std::vector<ZoneDoubt>& said);

}  // namespace tessera
