#include "firmware/layers/static_mapping/static_mapping_layer.hpp"

#include <algorithm>

#include "firmware/defects/write_rest.hpp"
#include "firmware/layers/layer_statistics.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "firmware/layout/same_angles.hpp"
#include "firmware/locks/shared_locks.hpp"

namespace tessera::static_mapping {

namespace {

/// The superblock's sectors: the first ones of the log region.
std::optional<Superblock::Places> record_places(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan) {
  const FormatPlan log = regions_named(plan, "log");
  if (log.empty()) return std::nullopt;
  const ConventionalLayout layout(geometry, log, ports.media, ConventionalLayout::Reserve::none);
  Superblock::Places places;
  for (std::uint32_t i = 0; i < Superblock::sectors; ++i) places[i] = layout.piece({LogicalSector(i), 1});
  return places;
}

}  // namespace

StaticMapping::StaticMapping(const Ports& ports, const StaticMappingConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : config_(config),
      ports_(ports),
      surfaces_(geometry.surfaces),
      spares_(geometry.track_spares),
      layout_(geometry, regions_named(plan, "data"), ports.media, passes_of(config.scheme, config.band_tracks)),
      allocation_(ports, layout_.tracks(), config.paper ? Allocation::Usage::high_water : Allocation::Usage::tracks,
                  record_places(ports, geometry, plan)),
      locks_(ports.cpu),
      backup_(ports, geometry, regions_named(plan, "backup"), config.backup_shape(geometry), "sectors saved by an update in place") {}

/// What lies in front needs no lock: sectors that an update has not restored yet cannot be read, and end it.
Task<Status> StaticMapping::read_in_order(LogicalRun run, DataSpan data, EarlySectors* early) {
  for (std::uint32_t done = 0; done < run.count;) {
    SharedLocks locks(locks_);
    MediaChain chain(MediaClass::host);
    do {  // of staggered numbers also what goes on on the next track: a chain of its own would come after the next read's, a turn late
      ports_.cpu.array();
      const Piece place = layout_.piece({run.first + done, run.count - done});
      const PhysicalRun& piece = place.run;
      locks.add(box(piece));
      EarlySectors* const kept = done == 0 && early != nullptr && early->limit(place.before) ? early : nullptr;
      chain.add({MediaOp::read, StepHint::position, piece, data.part(done, piece.count), {}, nullptr, {}, kept});
      done += piece.count;
    } while (layout_.staggered() && done < run.count && !locks.full());
    for (auto* lock = locks.first(); lock != nullptr; lock = locks.next()) co_await *lock;
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

Task<Status> StaticMapping::write(LogicalRun run, DataSpan data, WriteOptions options) {
  const MediaClass priority = options.background ? MediaClass::background : MediaClass::host;
  for (std::uint32_t done = 0; done < run.count;) {
    ports_.cpu.array();
    const Piece piece = layout_.piece({run.first + done, run.count - done});
    const DataSpan part = data.part(done, piece.run.count);
    const Status status = co_await write_piece(piece, part, priority);
    if (!ok(status)) co_return status;
    done += piece.run.count;
  }
  co_return Status::ok;
}

Task<Status> StaticMapping::write_piece(Piece piece, DataSpan data, MediaClass priority) {
  auto range = locks_.exclusive(reach_of(piece));
  co_await range;
  const bool update = allocation_.holds(piece.track);
  const Status claimed = co_await allocation_.claim(piece.track);
  if (!ok(claimed)) co_return claimed;

  const Neighbours behind = behind_with_data(piece);
  count_write(update, behind.count);
  Status status = Status::ok;
  if (behind.count == 0) {
    status = co_await write_free(piece.run, data, priority);
  } else {
    status = co_await read_modify_write(piece.run, behind, data, priority);
  }
  co_return status;
}

Task<Status> StaticMapping::write_free(PhysicalRun run, DataSpan data, MediaClass priority) {
  const InFront in_front = in_front_of(run);
  if (backup_.describing(in_front.all()) != nullptr) {
    const Status forgotten = co_await backup_.forget(in_front.all());
    if (!ok(forgotten)) co_return forgotten;
  }
  MediaChain chain(priority);
  chain.write(run, data);
  co_return co_await ports_.media.run(chain);
}

/// Section 3: the valid data behind is read, the update is written, and what was read is written back; in between it is saved.
Task<Status> StaticMapping::read_modify_write(PhysicalRun run, Neighbours behind, DataSpan data, MediaClass priority) {
  // A record that this write makes stale is superseded by its own.
  const InFront in_front = in_front_of(run);
  BackupSlot* const stale = backup_.describing(in_front.all());
  if (stale != nullptr) {
    const Status forgotten = co_await backup_.forget(in_front.all(), stale);
    if (!ok(forgotten)) co_return forgotten;
  }
  auto slot = stale != nullptr ? backup_.at(*stale) : backup_.any();
  co_await slot;
  const Picoseconds begun = ports_.cpu.now();
  ports_.cpu.event({"rmw", FirmwareEvent::Edge::begin, std::uint64_t{run.track.radius} * surfaces_ + run.track.surface, run.count});
  const Status room = co_await slot->make_room(behind.sectors());
  if (!ok(room)) {
    end_rmw(run, begun);
    co_return room;
  }

  MediaChain chain(priority, LostSectors::carry);
  const auto each_behind = [&](MediaOp op) {
    for (std::uint32_t i = 0; i < behind.count; ++i)
      chain.add({op, StepHint::same_angle, behind.runs[i], slot->staged(behind, i), {}, nullptr});
  };
  each_behind(MediaOp::read);
  slot->add_steps(chain, run, behind);
  const std::size_t saved_after = chain.steps().size();
  chain.write(run, data, StepHint::same_angle);
  each_behind(MediaOp::write);
  const Status status = co_await ports_.media.run(chain);
  if (chain.steps_done >= saved_after) {
    slot->commit();
    if (!ok(status)) co_await write_rest(ports_.media, chain);
  }
  end_rmw(run, begun);
  co_return status;
}

// --- What lies behind a track ---

/// The runs that a write of `piece` would destroy and that hold data, in ascending order. Rewriting a track destroys those behind
/// it in turn, so that for W = 2 this is the unbroken chain of tracks with data behind `piece`.
Neighbours StaticMapping::behind_with_data(const Piece& piece) const {
  Neighbours behind;
  PhysicalRun rewritten = piece.run;
  std::uint32_t destroyed_below = piece.position + config_.head_width;
  for (std::uint32_t position = piece.position + 1; position < std::min(destroyed_below, config_.band_tracks); ++position) {
    if (!allocation_.holds(layout_.track_at(piece.band, position))) continue;
    const std::uint32_t radius = piece.run.track.radius + (position - piece.position);
    rewritten = covering(rewritten, {piece.run.track.surface, radius}, ports_.media, spares_);
    behind.add(rewritten);
    destroyed_below = position + config_.head_width;
  }
  return behind;
}

/// The angles of `piece` on its track and on all behind it in the band: a track there may be written for the first time meanwhile.
AngularBox StaticMapping::reach_of(const Piece& piece) const {
  AngularBox reach = box(piece.run);
  PhysicalRun run = piece.run;
  for (std::uint32_t position = piece.position + 1; position < config_.band_tracks; ++position) {
    run = covering(run, {run.track.surface, run.track.radius + 1}, ports_.media, spares_);
    reach.enclose(box(run));
  }
  return reach;
}

/// Where a backup record describes one of these runs, recovery from it would overwrite or destroy a sector of `run`. The record stays in
/// force after its update; it does no harm until the host writes `run`.
StaticMapping::InFront StaticMapping::in_front_of(const PhysicalRun& run) const {
  InFront in_front;
  for (std::uint32_t distance = 0; distance < config_.head_width && distance <= run.track.radius; ++distance)
    in_front.runs[in_front.count++] = covering(run, {run.track.surface, run.track.radius - distance}, ports_.media, spares_);
  return in_front;
}

// --- Boot ---

Task<Status> StaticMapping::format() { co_return co_await allocation_.format(); }

Task<Status> StaticMapping::recover() { co_return co_await restore(); }

/// Finds the used tracks, and ends an update that a cut may have interrupted.
Task<Status> StaticMapping::restore() {
  const Status allocated = co_await allocation_.recover();
  if (!ok(allocated)) co_return allocated;
  // In ascending order, as they were saved: each rewrite destroys the tracks behind it.
  co_return co_await backup_.recover();
}

// A completed write is on the platter.
Task<Status> StaticMapping::flush() { co_return Status::ok; }
// The paper's mappings know no unused sectors on a track that was ever used.

void StaticMapping::prefill(std::uint64_t sectors) {
  if (sectors != 0) allocation_.prefill(layout_.piece({LogicalSector(sectors - 1), 1}).track + 1);
}

// --- Statistics ---

void StaticMapping::count_write(bool update, std::uint32_t tracks_behind) {
  const std::uint64_t requests = 1 + 2 * std::uint64_t{tracks_behind};
  ++all_.writes;
  all_.requests += requests;
  if (!update) return;
  ++updates_.writes;
  updates_.requests += requests;
}

void StaticMapping::end_rmw(const PhysicalRun& run, Picoseconds begun) {
  rmws_.record(ports_.cpu.now() - begun);
  ports_.cpu.event({"rmw", FirmwareEvent::Edge::end, std::uint64_t{run.track.radius} * surfaces_ + run.track.surface, run.count});
}

// --- Figures ---

void StaticMapping::report(MetricSet& metrics) const {
  const auto war = [](const WriteCount& counted) {
    return counted.writes == 0 ? std::nullopt : std::optional(static_cast<double>(counted.requests) / static_cast<double>(counted.writes));
  };
  metrics.add("war.mean", war(all_), "1", "media requests a host write, each part of it inside one track counted apart: 1 + 2 |H|");
  metrics.add("war.update_mean", war(updates_), "1", "the same over writes of tracks that held data");
  report_read_modify_writes(metrics, rmws_, "updates that rewrote tracks behind their own",
                            "time in read-modify-writes, from their backup slot to the last rewrite");
  metrics.count("rmw_free.count", static_cast<double>(all_.writes - rmws_.count()), "1", "writes that found no data behind their track");
  backup_.report(metrics);
  metrics.count("log.sectors", static_cast<double>(allocation_.record_writes()), "sectors",
                "sectors written to record which tracks are in use");
  const Bytes bits((layout_.tracks() + 7) / 8);
  report_mapping_memory(metrics, bits, allocation_.bytes());
  metrics.add("capacity.space_gain", space_gain(config_.band_tracks, config_.head_width), "1",
              "gain of the bands alone, the random access zone left out: SG = W N / (N + W - 1)");
}

}  // namespace tessera::static_mapping
