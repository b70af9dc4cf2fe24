#pragma once
// The medium's truth about what a drive says is in doubt.
#include <vector>

#include "firmware/read_doubt.hpp"
#include "media/media_device.hpp"

namespace tessera {

/// Of what the drive does not read, that which ends with a sector that could not be read since MediaDevice::forget_unread().
[[nodiscard]] std::vector<HostRun> founded_doubts(const MediaDevice& device, const std::vector<ReadDoubt>& said);

}  // namespace tessera
