#include "firmware/interlaced/read_modify_write.hpp"

#include "firmware/layout/plan_regions.hpp"
#include "firmware/shared/layer_statistics.hpp"

namespace tessera {

ReadModifyWrite::ReadModifyWrite(const InterlacedConfig& config, const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan)
    : config_(config),
      ports_(ports),
      tracks_(ports.media, geometry, regions_named(plan, "data")),
      backup_(ports, geometry, regions_named(plan, "backup")),
      holds_data_(ports.memory, MemoryCategory::metadata, geometry.tracks(), "tops that hold data"),
      saved_(
          ports.memory.reserve_buffer(MemoryCategory::merge_buffer, 2 * longest_track(geometry), "sectors saved by a read-modify-write")) {}

Task<Status> ReadModifyWrite::write(PhysicalRun run, DataSpan data, MediaClass priority, RangeLock& lock) {
  if (tracks_.is_bottom(run.track)) co_return co_await write_bottom(run, data, priority, lock);
  co_return co_await write_top(run, data, priority);
}

/// The backup region is cleared lazily: only here can a record go stale (section 2.1, "Safety and crash consistency").
Task<Status> ReadModifyWrite::forget(PhysicalRun run) {
  if (!backup_.describes(run)) co_return Status::ok;
  auto turn = backup_.turn();
  co_await turn;
  if (!backup_.describes(run)) co_return Status::ok;
  co_return co_await backup_.void_record();
}

Task<Status> ReadModifyWrite::write_top(PhysicalRun run, DataSpan data, MediaClass priority) {
  const Status forgotten = co_await forget(run);
  if (!ok(forgotten)) co_return forgotten;
  holds_data_.set(tracks_.number(run.track));
  MediaChain chain(priority);
  chain.write(run, data);
  co_return co_await ports_.media.run(chain);
}

/// Section 2.1, "Timing", steps 1 to 6.
Task<Status> ReadModifyWrite::write_bottom(PhysicalRun run, DataSpan data, MediaClass priority, RangeLock& range) {
  const Neighbours neighbours = holding_data(tracks_.neighbours_of(run));
  if (neighbours.count == 0) {
    ++free_rmws_;
    MediaChain chain(priority);
    chain.write(run, data);
    co_return co_await ports_.media.run(chain);
  }

  auto turn = backup_.turn();
  co_await turn;
  const Picoseconds begun = ports_.cpu.now();
  ports_.cpu.event({"rmw", FirmwareEvent::Edge::begin, tracks_.number(run.track), run.count});
  const Status room = co_await backup_.make_room(neighbours.sectors());
  if (!ok(room)) {
    end_rmw(run, begun);
    co_return room;
  }

  const DataSpan saved = saved_.part(0, neighbours.sectors());
  MediaChain chain(priority, LostSectors::carry);
  std::uint32_t offset = 0;
  for (std::uint32_t i = 0; i < neighbours.count; ++i) {  // 1, 2: read S on T-1 and T+1
    chain.read(neighbours.runs[i], saved.part(offset, neighbours.runs[i].count), StepHint::same_angle);
    offset += neighbours.runs[i].count;
  }
  backup_.add_steps(chain, run, neighbours, saved);  // 3: save both, with the record
  const std::size_t saved_after = chain.steps().size();
  chain.write(run, data, StepHint::same_angle);                   // 4: write S on T
  if (!config_.ack_early) add_restore(chain, neighbours, saved);  // 5, 6: rewrite T-1 and T+1
  const Status status = co_await ports_.media.run(chain);
  if (chain.steps_done >= saved_after) backup_.commit();

  if (ok(status) && config_.ack_early) {
    ports_.cpu.spawn(restore_later(std::move(range), std::move(turn), run, neighbours, begun), "restore");
    co_return Status::ok;
  }
  if (!ok(status) && chain.steps_done >= saved_after) co_await restore_all(neighbours);
  end_rmw(run, begun);
  co_return status;
}

/// A write that failed has destroyed what it reached all the same; a rewrite that fails keeps no other one from being tried.
Task<void> ReadModifyWrite::restore_all(Neighbours neighbours) {
  for (std::uint32_t i = 0; i < neighbours.count; ++i) {
    MediaChain chain(MediaClass::dependent);
    chain.write(neighbours.runs[i], saved_.part(neighbours.sectors_before(i), neighbours.runs[i].count), StepHint::same_angle);
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) ++failed_restores_;
  }
}

/// Steps 5 and 6 after the acknowledgement; the locks stay until they are done.
Task<void> ReadModifyWrite::restore_later(RangeLock range, Turn turn, PhysicalRun run, Neighbours neighbours, Picoseconds begun) {
  MediaChain chain(MediaClass::dependent);
  add_restore(chain, neighbours, saved_.part(0, neighbours.sectors()));
  const Status status = co_await ports_.media.run(chain);
  // The record stays in force: the next boot restores what could not be restored now.
  if (!ok(status)) ++failed_restores_;
  end_rmw(run, begun);
  turn.unlock();
  range.unlock();
}

void ReadModifyWrite::add_restore(MediaChain& chain, const Neighbours& neighbours, DataSpan saved) const {
  std::uint32_t offset = 0;
  for (std::uint32_t i = 0; i < neighbours.count; ++i) {
    chain.write(neighbours.runs[i], saved.part(offset, neighbours.runs[i].count), StepHint::same_angle);
    offset += neighbours.runs[i].count;
  }
}

void ReadModifyWrite::end_rmw(const PhysicalRun& run, Picoseconds begun) {
  rmws_.record(ports_.cpu.now() - begun);
  ports_.cpu.event({"rmw", FirmwareEvent::Edge::end, tracks_.number(run.track), run.count});
}

Task<Status> ReadModifyWrite::recover() {
  // Which tops hold data was only known in DRAM; to assume that all do is safe.
  holds_data_.set_below(holds_data_.size());
  co_return co_await backup_.recover(saved_);
}

Neighbours ReadModifyWrite::holding_data(const Neighbours& neighbours) const {
  Neighbours holding;
  for (std::uint32_t i = 0; i < neighbours.count; ++i) {
    if (holds_data(neighbours.runs[i].track)) holding.add(neighbours.runs[i]);
  }
  return holding;
}

void ReadModifyWrite::report(MetricSet& metrics) const {
  report_read_modify_writes(metrics, rmws_, "read-modify-writes of bottom tracks",
                            "time in read-modify-writes, from the turn at the backup region to the last rewrite");
  metrics.count("rmw_free.count", static_cast<double>(free_rmws_), "1",
                "writes of bottom tracks that found no data on the tops beside them");
  metrics.count("rmw.failed_restores", static_cast<double>(failed_restores_), "1",
                "rewrites of tops that failed after the acknowledgement");
  metrics.count("backup.sectors", static_cast<double>(backup_.sectors_written()), "sectors", "sectors written to the backup region");
  metrics.count("backup.voids", static_cast<double>(backup_.voids()), "1", "backup records that were voided");
}

}  // namespace tessera
