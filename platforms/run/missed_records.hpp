#pragma once
// The medium's truth about the journal of a write cache (firmware/logs/journal.hpp): of which records a boot cannot know.
#include <vector>

#include "platforms/run/missed_packets.hpp"

namespace tessera {

/// The newest records of which no sector could be read since MediaDevice::forget_unread(), and that no other names; `after` is their era.
[[nodiscard]] std::vector<MissedPacket> missed_records(const MediaDevice& device);

}  // namespace tessera
