#pragma once
// Moving many sectors of a band in one sweep of the arm: what merges, zones and S-blocks share.
#include <cstdint>

#include "firmware/flash/band_layout.hpp"
#include "firmware/ports/media_port.hpp"
#include "firmware/ports/task.hpp"

namespace tessera {

struct BandSweep {
  MediaOp op = MediaOp::read;
  std::uint64_t band = 0;  ///< physical
  std::uint32_t first = 0;
  DataSpan data;
  MediaClass priority = MediaClass::dependent;
  SectorHeader* header = nullptr;  ///< of the last sector; stays where it is until the sweep is over
  LostSectors lost = LostSectors::fail;
};

/// Sectors [first, first + data.count) of a band, in the order in which its tracks overlap: what a track loses to the one in front is
/// written anew. From a whole track to the next there is neither a seek nor a wait for the first sector. Where a
/// part of it fails: transfer_tracks().
[[nodiscard]] Task<Status> sweep_band(MediaPort& media, const BandLayout& layout, const BandSweep& sweep);

}  // namespace tessera
