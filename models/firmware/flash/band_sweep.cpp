#include "firmware/flash/band_sweep.hpp"

#include "firmware/defects/write_rest.hpp"

namespace tessera {

Task<Status> sweep_band(MediaPort& media, const BandLayout& layout, BandSweep sweep) {
  MediaChain chain(sweep.priority, sweep.lost);
  Status first_failure = Status::ok;
  for (std::uint32_t done = 0; done < sweep.data.count;) {
    chain.clear();
    while (done < sweep.data.count && chain.steps().size() < MediaChain::max_steps) {
      MediaStep step;
      step.op = sweep.op;
      step.run = layout.locate(sweep.band, sweep.first + done, sweep.data.count - done);
      step.data = sweep.data.part(done, step.run.count);
      if (step.run.count == media.sectors_on(step.run.track)) step.hint = StepHint::whole_track;
      done += step.run.count;
      if (done == sweep.data.count) step.header = sweep.header;
      chain.add(step);
    }
    const Status status = co_await media.run(chain);
    if (ok(status)) continue;
    if (sweep.op == MediaOp::read) co_return status;
    co_await write_rest(media, chain);
    sweep.header = nullptr;
    if (ok(first_failure)) first_failure = status;
  }
  co_return first_failure;
}

}  // namespace tessera
