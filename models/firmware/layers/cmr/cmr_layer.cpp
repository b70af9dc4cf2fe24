#include "firmware/layers/cmr/cmr_layer.hpp"

namespace tessera {

Cmr::Cmr(const Ports& ports, const CmrConfig&, const DriveGeometry& geometry, const FormatPlan& plan)
    : ports_(ports), layout_(geometry, regions_named(plan, "data"), ports.media, ConventionalLayout::Reserve::as_zoned) {}

// Nothing is kept outside the data itself, and a completed write is on the platter.
Task<Status> Cmr::format() { co_return Status::ok; }
Task<Status> Cmr::recover() { co_return Status::ok; }
Task<Status> Cmr::flush() { co_return Status::ok; }

Task<Status> Cmr::read(LogicalRun run, DataSpan data) { return transfer(MediaOp::read, run, data, MediaClass::host); }

Task<Status> Cmr::read_early(LogicalRun run, DataSpan data, EarlySectors& early) {
  return transfer(MediaOp::read, run, data, MediaClass::host, layout_.keep_on_track(run.first, early) ? &early : nullptr);
}

Task<Status> Cmr::write(LogicalRun run, DataSpan data, WriteOptions options) {
  return transfer(MediaOp::write, run, data, options.background ? MediaClass::background : MediaClass::host);
}

Task<Status> Cmr::transfer(MediaOp op, LogicalRun run, DataSpan data, MediaClass priority, EarlySectors* early) {
  MediaChain chain(priority);
  for (std::uint32_t done = 0; done < run.count;) {
    chain.clear();
    while (done < run.count && chain.steps().size() < MediaChain::max_steps) {
      ports_.cpu.array();
      const PhysicalRun piece = layout_.piece({run.first + done, run.count - done});
      chain.add({op, StepHint::position, piece, data.part(done, piece.count), {}, nullptr, {}, done == 0 ? early : nullptr});
      done += piece.count;
    }
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

}  // namespace tessera
