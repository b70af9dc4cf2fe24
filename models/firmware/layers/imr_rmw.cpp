#include "firmware/layers/imr_rmw.hpp"

#include <algorithm>

#include "firmware/layout/same_angles.hpp"

namespace tessera {

ImrReadModifyWrite::ImrReadModifyWrite(const ImrRmwConfig& config, const Ports& ports, const DriveGeometry& geometry,
                                       const FormatPlan& plan)
    : config_(config),
      ports_(ports),
      surfaces_(geometry.surfaces),
      data_regions_(regions_named(plan, "data")),
      layout_(geometry, data_regions_, ports.media, config.layout_n, config.order),
      backup_(ports, geometry, regions_named(plan, "backup")),
      locks_(ports.cpu),
      holds_data_(ports.memory, MemoryCategory::metadata, geometry.tracks(), "tops that hold data") {
  std::uint32_t longest = 0;
  for (const GeometryZone& zone : geometry.zones) longest = std::max(longest, zone.sectors_per_track);
  saved_ = ports.memory.reserve_buffer(MemoryCategory::merge_buffer, 2 * longest, "sectors saved by a read-modify-write");
}

Task<Status> ImrReadModifyWrite::read(LogicalRun run, DataSpan data) {
  for (std::uint32_t done = 0; done < run.count;) {
    ports_.cpu.array();
    const PhysicalRun piece = layout_.piece({run.first + done, run.count - done});
    auto lock = locks_.shared(box(piece));
    co_await lock;
    MediaChain chain(MediaClass::host);
    chain.read(piece, data.part(done, piece.count));
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  co_return Status::ok;
}

Task<Status> ImrReadModifyWrite::write(LogicalRun run, DataSpan data, WriteOptions options) {
  const MediaClass priority = options.background ? MediaClass::background : MediaClass::host;
  for (std::uint32_t done = 0; done < run.count;) {
    ports_.cpu.array();
    const PhysicalRun piece = layout_.piece({run.first + done, run.count - done});
    const DataSpan part = data.part(done, piece.count);
    Status status = Status::ok;
    if (is_bottom(piece.track)) {
      status = co_await write_bottom(piece, part, priority);
    } else {
      status = co_await write_top(piece, part, priority);
    }
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  co_return Status::ok;
}

Task<Status> ImrReadModifyWrite::write_top(PhysicalRun run, DataSpan data, MediaClass priority) {
  auto lock = locks_.exclusive(box(run));
  co_await lock;
  // The backup region is cleared lazily: only here can a record go stale (section 2.1, "Safety and crash consistency").
  if (backup_.describes(run)) {
    auto turn = backup_.turn();
    co_await turn;
    if (backup_.describes(run)) {
      const Status voided = co_await backup_.void_record();
      if (!ok(voided)) co_return voided;
    }
  }
  holds_data_.set(number(run.track));
  MediaChain chain(priority);
  chain.write(run, data);
  co_return co_await ports_.media.run(chain);
}

/// Section 2.1, "Timing", steps 1 to 6.
Task<Status> ImrReadModifyWrite::write_bottom(PhysicalRun run, DataSpan data, MediaClass priority) {
  const Neighbours around = neighbours_of(run);
  AngularBox reach = box(run);
  for (std::uint32_t i = 0; i < around.count; ++i) reach.enclose(box(around.runs[i]));
  auto range = locks_.exclusive(reach);
  co_await range;

  const Neighbours neighbours = holding_data(around);
  if (neighbours.count == 0) {
    ++free_rmws_;
    MediaChain chain(priority);
    chain.write(run, data);
    co_return co_await ports_.media.run(chain);
  }

  auto turn = backup_.turn();
  co_await turn;
  const Picoseconds begun = ports_.cpu.now();
  ports_.cpu.event({"rmw", FirmwareEvent::Edge::begin, number(run.track), run.count});
  const Status room = co_await backup_.make_room(neighbours.sectors());
  if (!ok(room)) {
    end_rmw(run, begun);
    co_return room;
  }

  const DataSpan saved = saved_.part(0, neighbours.sectors());
  SectorHeader record;
  MediaChain chain(priority);
  std::uint32_t offset = 0;
  for (std::uint32_t i = 0; i < neighbours.count; ++i) {  // 1, 2: read S on T-1 and T+1
    chain.read(neighbours.runs[i], saved.part(offset, neighbours.runs[i].count), StepHint::same_angle);
    offset += neighbours.runs[i].count;
  }
  backup_.add_steps(chain, run, neighbours, saved, record);  // 3: save both, with the record
  const std::size_t saved_after = chain.steps().size();
  chain.write(run, data, StepHint::same_angle);                   // 4: write S on T
  if (!config_.ack_early) add_restore(chain, neighbours, saved);  // 5, 6: rewrite T-1 and T+1
  const Status status = co_await ports_.media.run(chain);
  if (chain.steps_done >= saved_after) backup_.commit();

  if (ok(status) && config_.ack_early) {
    ports_.cpu.spawn(restore_later(std::move(range), std::move(turn), run, neighbours, begun));
    co_return Status::ok;
  }
  end_rmw(run, begun);
  co_return status;
}

/// Steps 5 and 6 after the acknowledgement; the locks stay until they are done.
Task<void> ImrReadModifyWrite::restore_later(RangeLock range, Turn turn, PhysicalRun run, Neighbours neighbours, Picoseconds begun) {
  MediaChain chain(MediaClass::dependent);
  add_restore(chain, neighbours, saved_.part(0, neighbours.sectors()));
  const Status status = co_await ports_.media.run(chain);
  // The record stays in force: the next boot restores what could not be restored now.
  if (!ok(status)) ++failed_restores_;
  end_rmw(run, begun);
  turn.unlock();
  range.unlock();
}

void ImrReadModifyWrite::add_restore(MediaChain& chain, const Neighbours& neighbours, DataSpan saved) const {
  std::uint32_t offset = 0;
  for (std::uint32_t i = 0; i < neighbours.count; ++i) {
    chain.write(neighbours.runs[i], saved.part(offset, neighbours.runs[i].count), StepHint::same_angle);
    offset += neighbours.runs[i].count;
  }
}

void ImrReadModifyWrite::end_rmw(const PhysicalRun& run, Picoseconds begun) {
  ++rmws_;
  const Picoseconds taken = ports_.cpu.now() - begun;
  rmw_time_ += taken;
  longest_rmw_ = std::max(longest_rmw_, taken);
  ports_.cpu.event({"rmw", FirmwareEvent::Edge::end, number(run.track), run.count});
}

Task<Status> ImrReadModifyWrite::format() { co_return Status::ok; }

Task<Status> ImrReadModifyWrite::recover() {
  // Which tops hold data was only known in DRAM; to assume that all do is safe.
  holds_data_.set_below(holds_data_.size());
  std::optional<BackupRegion::Found> found;
  const Status searched = co_await backup_.recover(found);
  if (!ok(searched)) co_return searched;
  if (!found) co_return Status::ok;

  for (std::uint32_t i = 0; i < found->saved.count; ++i) {
    const PhysicalRun run = found->saved.runs[i];
    const DataSpan data = saved_.part(0, run.count);
    const Status read = co_await backup_.read_back(*found, i, data);
    if (!ok(read)) co_return read;
    MediaChain chain(MediaClass::host);
    chain.write(run, data);
    const Status written = co_await ports_.media.run(chain);
    if (!ok(written)) co_return written;
  }
  co_return co_await backup_.void_record();
}

// A completed write is on the platter.
Task<Status> ImrReadModifyWrite::flush() { co_return Status::ok; }
Task<Status> ImrReadModifyWrite::trim(LogicalRun) { co_return Status::ok; }

void ImrReadModifyWrite::prefill(std::uint64_t sectors) {
  for (std::uint64_t at = 0; at < sectors;) {
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(sectors - at, ~std::uint32_t{0}));
    const PhysicalRun piece = layout_.piece({LogicalSector(at), count});
    holds_data_.set_uncharged(number(piece.track));
    at += piece.count;
  }
}

// --- Geometry of the interlace ---

const Region& ImrReadModifyWrite::region_of(PhysicalTrack track) const {
  const auto found = std::find_if(data_regions_.begin(), data_regions_.end(), [track](const Region& region) {
    return track.radius >= region.first && track.radius < region.first + region.count;
  });
  TESSERA_CHECK(found != data_regions_.end(), "a data track lies outside the data regions");
  return *found;
}

bool ImrReadModifyWrite::is_bottom(PhysicalTrack track) const { return (track.radius - region_of(track).first) % 2 == 0; }

/// The runs on T-1 and T+1 that a write of `run` destroys, as far as these tracks exist.
Neighbours ImrReadModifyWrite::neighbours_of(const PhysicalRun& run) const {
  const Region& region = region_of(run.track);
  const std::uint32_t radius = run.track.radius;
  Neighbours neighbours;
  if (radius > region.first) neighbours.add(covering(run, {run.track.surface, radius - 1}, ports_.media));
  if (radius + 1 < region.first + region.count) neighbours.add(covering(run, {run.track.surface, radius + 1}, ports_.media));
  return neighbours;
}

Neighbours ImrReadModifyWrite::holding_data(const Neighbours& neighbours) const {
  if (!config_.skip_unwritten) return neighbours;
  Neighbours holding;
  for (std::uint32_t i = 0; i < neighbours.count; ++i) {
    if (holds_data_.test(number(neighbours.runs[i].track))) holding.add(neighbours.runs[i]);
  }
  return holding;
}

void ImrReadModifyWrite::report(MetricSet& metrics) const {
  const auto milliseconds = [](Picoseconds time) { return static_cast<double>(time.value()) / 1e9; };
  metrics.count("rmw.count", static_cast<double>(rmws_), "1", "read-modify-writes of bottom tracks");
  metrics.count("rmw_free.count", static_cast<double>(free_rmws_), "1",
                "writes of bottom tracks that found no data on the tops beside them");
  metrics.count("rmw.time_total", rmw_time_, "time in read-modify-writes, from the turn at the backup region to the last rewrite");
  metrics.add("rmw.time.mean", rmws_ == 0 ? std::nullopt : std::optional(milliseconds(rmw_time_) / static_cast<double>(rmws_)), "ms",
              "mean time of a read-modify-write");
  metrics.add("rmw.time.max", longest_rmw_, "longest read-modify-write");
  metrics.count("rmw.failed_restores", static_cast<double>(failed_restores_), "1",
                "rewrites of tops that failed after the acknowledgement");
  metrics.count("backup.sectors", static_cast<double>(backup_.sectors_written()), "sectors", "sectors written to the backup region");
  metrics.count("backup.voids", static_cast<double>(backup_.voids()), "1", "backup records that were voided");
}

}  // namespace tessera
