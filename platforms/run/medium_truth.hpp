#pragma once
// The medium's truth about what no boot can know: packets of a media cache's log (firmware/layers/media_cache), records of a write cache's
// journal (firmware/logs/journal.hpp), and what a drive says is in doubt.
#include <cstdint>
#include <vector>

#include "base/address.hpp"
#include "base/fault_listener.hpp"
#include "firmware/read_doubt.hpp"
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

/// The newest records of which no sector could be read since MediaDevice::forget_unread(), and that no other names; `after` is their era.
[[nodiscard]] std::vector<MissedPacket> missed_records(const MediaDevice& device);

/// The blocks that its sectors held, by their tags: where the drive's blocks are not the application's.
[[nodiscard]] std::vector<HostRun> blocks_in(const MediaDevice& device, const MissedPacket& missed);

/// Of what the drive does not read, that which ends with a sector that could not be read since MediaDevice::forget_unread(), or that is
/// stored as lost.
[[nodiscard]] std::vector<ReadDoubt> founded_doubts(const MediaDevice& device, const std::vector<ReadDoubt>& said);

/// Reports what lies in doubt as if a fault had destroyed it: whose it is its tags say, where the drive's blocks are not the
/// application's.
void tell_doubted(const MediaDevice& device, const ReadDoubt& doubt, FaultListener& listener);

}  // namespace tessera
