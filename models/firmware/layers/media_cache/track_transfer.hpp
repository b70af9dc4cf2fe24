#pragma once
// Reading or writing what lies on several tracks one after the other.
#include <cstdint>

#include "firmware/ports/media_port.hpp"

namespace tessera::media_cache {

/// `place(done, count)`: where the sectors from `done` on lie, as far as they stay on one track: at most `count`. Whole tracks go from
/// whatever sector comes first.
template <class Place>
[[nodiscard]] Task<Status> transfer_tracks(MediaPort& media, MediaOp op, DataSpan data, MediaClass priority, LostSectors lost,
                                           Place place) {
  MediaChain chain(priority, lost);
  for (std::uint32_t done = 0; done < data.count;) {
    chain.clear();
    while (done < data.count && chain.steps().size() < MediaChain::max_steps) {
      MediaStep step;
      step.op = op;
      step.run = place(done, data.count - done);
      step.data = data.part(done, step.run.count);
      if (step.run.count == media.sectors_on(step.run.track)) step.hint = StepHint::whole_track;
      done += step.run.count;
      chain.add(step);
    }
    const Status status = co_await media.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

}  // namespace tessera::media_cache
