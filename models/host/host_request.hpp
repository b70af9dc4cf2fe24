#pragma once
// A request on the host's side of the link, as the player issues it and the scoreboard judges it.
#include <cstdint>
#include <optional>
#include <vector>

#include "base/address.hpp"
#include "base/request_life.hpp"
#include "firmware/ports/host_port.hpp"

namespace tessera {

/// Owned by the player from issue to completion; the drive keeps a pointer to it for just that time.
struct HostRequest {
  HostOp op = HostOp::read;
  bool force_unit_access = false;
  bool all_zones = false;             ///< as HostCommand::all_zones
  HostRun blocks;                     ///< 512 B blocks
  std::uint64_t number = 0;           ///< position in the run's input, from 0
  std::uint32_t tag = 0;              ///< host tag, below the interface's number of tags
  std::vector<std::byte> content;     ///< kept content of `blocks` (base/content.hpp): to write, or as read; empty in mode none
  std::vector<ZoneDescriptor> zones;  ///< answer to REPORT ZONES
  Status status = Status::ok;         ///< set at completion
  bool aborted = false;               ///< the host gave it up and waits for its end
  std::uint32_t attempts = 0;         ///< how often it was sent again after that
  Picoseconds carrying;               ///< time that the link carries its data; set by the host interface
  RequestLife life;

  // How its data crosses the link; set by the host interface when it is sent and when the drive asks for it, and by the controller.
  bool data_at_host = false;           ///< a write whose data, or the rest of it, follows when the drive asks for it
  std::optional<std::uint64_t> place;  ///< of what it holds of the drive's buffer, from its admission to its end
  Bytes window;                  ///< of the drive's buffer, through which its data streams in pieces; 0: the drive holds all of it at once
  HostRun piece;                 ///< of its blocks, those that the drive asks the link to carry
  Picoseconds data_first;        ///< such data: its first block is in the drive,
  Picoseconds data_last;         ///< and its last one
  Picoseconds block_time;        ///< of the link, for a read that it may carry while the data still comes in; 0: it may not
  std::uint32_t water_mark = 0;  ///< such a read: how many of its first blocks are in the buffer before the link begins
  std::uint32_t lag = 0;         ///< such a read: how many of its blocks come in after one before that one crosses
  Picoseconds stream_from;       ///< such a read: since when the link could have begun to carry it
};

}  // namespace tessera
