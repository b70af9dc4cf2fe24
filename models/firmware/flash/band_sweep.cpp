#include "firmware/flash/band_sweep.hpp"

namespace tessera {

Task<Status> sweep_band(MediaPort& media, const BandLayout& layout, BandSweep sweep) {
  MediaChain chain(sweep.priority, sweep.lost);
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
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

}  // namespace tessera
