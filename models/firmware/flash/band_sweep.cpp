#include "firmware/flash/band_sweep.hpp"

#include "firmware/layout/track_transfer.hpp"

namespace tessera {

Task<Status> sweep_band(MediaPort& media, const BandLayout& layout, const BandSweep& sweep) {
  return transfer_tracks(
      media, sweep.op, sweep.data, sweep.priority, sweep.lost,
      [&layout, band = sweep.band, first = sweep.first](std::uint32_t done, std::uint32_t count) {
        return layout.locate(band, first + done, count);
      },
      sweep.header);
}

}  // namespace tessera
