#pragma once
// The medium's truth about what a drive says is in doubt.
#include <vector>

#include "base/fault_listener.hpp"
#include "firmware/read_doubt.hpp"
#include "media/media_device.hpp"

namespace tessera {

/// Of what the drive does not read, that which ends with a sector that could not be read since MediaDevice::forget_unread(), or that is
/// stored as lost.
[[nodiscard]] std::vector<ReadDoubt> founded_doubts(const MediaDevice& device, const std::vector<ReadDoubt>& said);

/// Reports what lies in doubt as if a fault had destroyed it: whose it is its tags say, where the drive's blocks are not the
/// application's.
void tell_doubted(const MediaDevice& device, const ReadDoubt& doubt, FaultListener& listener);

}  // namespace tessera
