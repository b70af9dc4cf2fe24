#pragma once
// Reading or writing what lies on several tracks one after the other.
#include <cstdint>

#include "firmware/defects/write_rest.hpp"
#include "firmware/ports/media_port.hpp"

namespace tessera {

/// `place(done, count)`: where the sectors from `done` on lie, as far as they stay on one track: at most `count`. Whole tracks go from
/// whatever sector comes first. `header`, or none, goes with the last sector and stays where it is meanwhile. A read ends with the first
/// chain that fails; a write goes on, without the header, and gives the status of the first that failed. `most_steps`: of a chain, between
/// which more urgent ones get in.
template <class Place>
[[nodiscard]] Task<Status> transfer_tracks(MediaPort& media, MediaOp op, DataSpan data, MediaClass priority, LostSectors lost, Place place,
                                           SectorHeader* header = nullptr, std::size_t most_steps = MediaChain::max_steps) {
  MediaChain chain(priority, lost);
  Status first_failure = Status::ok;
  for (std::uint32_t done = 0; done < data.count;) {
    chain.clear();
    while (done < data.count && chain.steps().size() < most_steps) {
      MediaStep step;
      step.op = op;
      step.run = place(done, data.count - done);
      step.data = data.part(done, step.run.count);
      if (step.run.count == media.sectors_on(step.run.track)) step.hint = StepHint::whole_track;
      done += step.run.count;
      if (done == data.count) step.header = header;
      chain.add(step);
    }
    const Status status = co_await media.run(chain);
    if (ok(status)) continue;
    if (op == MediaOp::read) co_return status;
    co_await write_rest(media, chain);
    header = nullptr;
    if (ok(first_failure)) first_failure = status;
  }
  co_return first_failure;
}

}  // namespace tessera
