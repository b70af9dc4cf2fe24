#include "firmware/interlaced/read_modify_write.hpp"

#include <array>

#include "firmware/defects/write_rest.hpp"
#include "firmware/layers/layer_statistics.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera {

namespace {
/// Ours: of a track, one in so many sectors; less would raise the write amplification of small writes.
constexpr std::uint32_t least_share = 8;
}  // namespace

ReadModifyWrite::ReadModifyWrite(const Ports& ports, const InterlacedConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : config_(config),
      ports_(ports),
      tracks_(ports.media, geometry, regions_named(plan, "data")),
      holds_data_(ports.memory, MemoryCategory::metadata, geometry.tracks(), "tops that hold data"),
      backup_(ports, geometry, regions_named(plan, "backup"), config.backup_shape(geometry), "sectors saved by a read-modify-write"),
      written_gauge_(ports.cpu, {"tops.written", "1", "top tracks that hold data, or count as if they did"}, 0) {}

Task<Status> ReadModifyWrite::write(PhysicalRun run, DataSpan data, MediaClass priority, RangeLock& lock) {
  if (tracks_.is_bottom(run.track)) co_return co_await write_bottom(run, data, priority, lock);
  co_return co_await write_top(run, data, priority);
}

/// The backup region is cleared lazily: only here can a record go stale (section 2.1, "Safety and crash consistency").
Task<Status> ReadModifyWrite::forget(PhysicalRun run) {
  const std::array runs{run};
  if (backup_.describing(runs) == nullptr) co_return Status::ok;
  co_return co_await backup_.forget(runs);
}

Task<Status> ReadModifyWrite::write_top(PhysicalRun run, DataSpan data, MediaClass priority) {
  const Status forgotten = co_await forget(run);
  if (!ok(forgotten)) co_return forgotten;
  set_holds_data(run.track);
  MediaChain chain(priority);
  chain.write(run, data);
  co_return co_await ports_.media.run(chain);
}

void ReadModifyWrite::trim(PhysicalTrack top) {
  if (!config_.skip_unwritten || !holds_data(top)) return;
  any_trimmed_ = true;
  holds_data_.set(trimmed_bit(top));
}

bool ReadModifyWrite::clears_tops(const PhysicalRun& run) const {
  if (!any_trimmed_ || !tracks_.is_bottom(run.track) || run.count * least_share < tracks_.length(run.track)) return false;
  return trimmed(tracks_.in_front(run.track)) || trimmed(tracks_.behind(run.track));
}

/// Where one cannot be written it is saved and restored, as what holds data is.
Task<Status> ReadModifyWrite::clear_tops(PhysicalTrack bottom, MediaClass priority) {
  auto slot = backup_.any();
  co_await slot;
  for (const std::optional<PhysicalTrack>& top : std::array{tracks_.in_front(bottom), tracks_.behind(bottom)}) {
    if (!trimmed(top)) continue;
    const PhysicalRun run = tracks_.whole(*top);
    const DataSpan nothing = slot->staged(run.count);
    ports_.memory.clear(nothing);
    MediaChain chain(priority);
    chain.write(run, nothing, StepHint::whole_track);
    const Status status = co_await ports_.media.run(chain);
    holds_data_.reset(trimmed_bit(*top));
    if (!ok(status)) co_return status;
    holds_data_.reset(tracks_.number(*top));
    written_gauge_.fall(1);
  }
  co_return Status::ok;
}

/// Section 2.1, "Timing", steps 1 to 6.
Task<Status> ReadModifyWrite::write_bottom(PhysicalRun run, DataSpan data, MediaClass priority, RangeLock& range) {
  if (clears_tops(run)) static_cast<void>(co_await clear_tops(run.track, priority));
  const Neighbours neighbours = worth_saving(holding_data(tracks_.neighbours_of(run)));
  if (neighbours.count == 0) {
    ++free_rmws_;
    MediaChain chain(priority);
    chain.write(run, data);
    co_return co_await ports_.media.run(chain);
  }

  auto slot = backup_.any();
  co_await slot;
  const Picoseconds begun = ports_.cpu.now();
  ports_.cpu.event({"rmw", FirmwareEvent::Edge::begin, tracks_.number(run.track), run.count});
  const Status room = co_await slot->make_room(neighbours.sectors());
  if (!ok(room)) {
    end_rmw(run, begun);
    co_return room;
  }

  MediaChain chain(priority, LostSectors::carry);
  for (std::uint32_t i = 0; i < neighbours.count; ++i)  // 1, 2: read S on T-1 and T+1
    chain.read(neighbours.runs[i], slot->staged(neighbours, i), StepHint::same_angle);
  slot->add_steps(chain, run, neighbours);  // 3: save both, with the record
  const std::size_t saved_after = chain.steps().size();
  chain.write(run, data, StepHint::same_angle);                  // 4: write S on T
  if (!config_.ack_early) add_restore(chain, neighbours, slot);  // 5, 6: rewrite T-1 and T+1
  const Status status = co_await ports_.media.run(chain);
  if (chain.steps_done >= saved_after) slot->commit();

  if (ok(status) && config_.ack_early) {
    ports_.cpu.spawn(restore_later(std::move(range), std::move(slot), run, neighbours, begun), "restore");
    co_return Status::ok;
  }
  if (!ok(status) && chain.steps_done >= saved_after) co_await restore_all(slot, neighbours);
  end_rmw(run, begun);
  co_return status;
}

/// A write that failed has destroyed what it reached all the same; a rewrite that fails keeps no other one from being tried.
Task<void> ReadModifyWrite::restore_all(const Turn& slot, Neighbours neighbours) {
  for (std::uint32_t i = 0; i < neighbours.count; ++i) {
    MediaChain chain(MediaClass::dependent);
    chain.write(neighbours.runs[i], slot->staged(neighbours, i), StepHint::same_angle);
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) ++failed_restores_;
  }
}

/// Steps 5 and 6 after the acknowledgement; the locks stay until they are done.
Task<void> ReadModifyWrite::restore_later(RangeLock range, Turn slot, PhysicalRun run, Neighbours neighbours, Picoseconds begun) {
  MediaChain chain(MediaClass::dependent);
  add_restore(chain, neighbours, slot);
  const Status status = co_await ports_.media.run(chain);
  if (!ok(status)) {  // the record stays in force: the next boot tries again what could not be restored now
    ++failed_restores_;
    co_await write_rest(ports_.media, chain);
  }
  end_rmw(run, begun);
  slot.end();
  range.unlock();
}

void ReadModifyWrite::add_restore(MediaChain& chain, const Neighbours& neighbours, const Turn& slot) {
  for (std::uint32_t i = 0; i < neighbours.count; ++i) chain.write(neighbours.runs[i], slot->staged(neighbours, i), StepHint::same_angle);
}

void ReadModifyWrite::end_rmw(const PhysicalRun& run, Picoseconds begun) {
  rmws_.record(ports_.cpu.now() - begun);
  ports_.cpu.event({"rmw", FirmwareEvent::Edge::end, tracks_.number(run.track), run.count});
}

void ReadModifyWrite::prefill(std::uint32_t first, std::uint32_t end) { written_gauge_.rise(mark_tops(first, end)); }

/// Without a charge; gives how many there are.
std::uint64_t ReadModifyWrite::mark_tops(std::uint32_t first, std::uint32_t end) {
  std::uint64_t tops = 0;
  for (std::uint32_t radius = first; radius < end; ++radius) {
    if (!tracks_.is_top({0, radius})) continue;
    const std::uint64_t at = tracks_.number({0, radius});
    const std::uint64_t behind = tracks_.number({0, radius + 1});
    holds_data_.set_between(at, behind);
    tops += behind - at;
  }
  return tops;
}

Task<Status> ReadModifyWrite::recover() {
  // Which tops hold data was only known in DRAM; to assume that all do is safe.
  written_gauge_.set(mark_tops(0, tracks_.track(tracks_.count()).radius));
  co_return co_await backup_.recover();
}

Neighbours ReadModifyWrite::holding_data(const Neighbours& neighbours) const {
  Neighbours holding;
  for (std::uint32_t i = 0; i < neighbours.count; ++i) {
    if (holds_data(neighbours.runs[i].track)) holding.add(neighbours.runs[i]);
  }
  return holding;
}

/// Without what is worthless at the ends of each run; what is worthless between sectors that are not goes with them.
Neighbours ReadModifyWrite::worth_saving(const Neighbours& neighbours) {
  if (worthless_ == nullptr) return neighbours;
  Neighbours worth;
  for (std::uint32_t i = 0; i < neighbours.count; ++i) {
    PhysicalRun run = neighbours.runs[i];
    const std::uint32_t sectors = tracks_.length(run.track);
    const auto worthless = [&](std::uint32_t sector) { return worthless_->worthless({run.track, sector % sectors}); };
    while (run.count > 0 && worthless(run.first)) run = {run.track, (run.first + 1) % sectors, run.count - 1};
    while (run.count > 0 && worthless(run.first + run.count - 1)) --run.count;
    spared_ += neighbours.runs[i].count - run.count;
    if (run.count > 0) worth.add(run);
  }
  return worth;
}

// --- Figures ---

void ReadModifyWrite::report(MetricSet& metrics) const {
  report_read_modify_writes(metrics, rmws_, "read-modify-writes of bottom tracks",
                            "time in read-modify-writes, from their backup slot to the last rewrite");
  metrics.count("rmw_free.count", static_cast<double>(free_rmws_), "1",
                "writes of bottom tracks that found no data on the tops beside them");
  if (worthless_ != nullptr)
    metrics.count("rmw.spared", static_cast<double>(spared_), "sectors",
                  "sectors of tops that were neither saved nor written back, as their newest copy was in buffer or flash");
  metrics.count("rmw.failed_restores", static_cast<double>(failed_restores_), "1",
                "rewrites of tops that failed after the acknowledgement");
  backup_.report(metrics);
}

}  // namespace tessera
