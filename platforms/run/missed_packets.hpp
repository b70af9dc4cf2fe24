#pragma once
// The medium's truth about a log of packets (firmware/layers/media_cache): of which packets a boot cannot know.
#include <vector>

#include "base/address.hpp"
#include "media/media_device.hpp"

namespace tessera {

/// What the newest packets hold of which no header could be read since MediaDevice::forget_unread(): nothing on the platters says that they
/// were ever there. A packet that the header of a later one names is not among them, nor one after which a whole packet can be read.
[[nodiscard]] std::vector<LogicalRun> missed_packets(const MediaDevice& device);

}  // namespace tessera
