#pragma once
// The medium's truth about a log of packets (firmware/layers/media_cache): of which packets a boot cannot know.
#include <cstdint>
#include <vector>

#include "base/address.hpp"
#include "media/media_device.hpp"

namespace tessera {

/// A packet, by its position in the log and the checkpoint of the map after which it was written.
struct MissedPacket {
  std::uint64_t position = 0;
  std::uint64_t after = 0;
  LogicalRun run{};
  std::vector<TrackSector> sectors{};  ///< of it, that could not be read
  bool operator==(const MissedPacket&) const = default;
};

/// The newest packets of which no header could be read since MediaDevice::forget_unread(): nothing on the platters says that they were ever
/// there. A packet that the header of a later one names is not among them, nor one after which a whole packet can be read, nor one that was
/// written before the newest checkpoint that any packet names.
[[nodiscard]] std::vector<MissedPacket> missed_packets(const MediaDevice& device);

/// The blocks that its sectors held, by their tags: where the drive's blocks are not the application's.
[[nodiscard]] std::vector<HostRun> blocks_in(const MediaDevice& device, const MissedPacket& missed);

}  // namespace tessera
