#include "firmware/layers/fluid/fluid_layer.hpp"

#include <algorithm>

namespace tessera::fluid {

Fluid::Fluid(const Ports& ports, const FluidConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : ZoneBufferLayer(ports, config.zones, geometry, plan),
      update_(config.update),
      segment_(config.segment_slots(geometry.sector_bytes)),
      reserve_(config.reserve()),
      most_requeued_(std::max<std::uint32_t>(1, static_cast<std::uint32_t>(config.loop_max * buffer_.slots()))),
      log_(ports.memory, buffer_.slots(), config.reserve(), config.log_holes),
      space_(ports.cpu),
      written_(ports.cpu) {
  if (!config.loop) return;
  heat_.emplace(ports.memory, ports.cpu, store_.zones(), config);
  moving_ = ports.memory.reserve_buffer(MemoryCategory::merge_buffer, 1, "sector that is re-queued");
}

/// `held`: the slots that hold the sectors already, or none.
std::uint32_t Fluid::slots_needed(const SlotOwners::Slots& held) const {
  return static_cast<std::uint32_t>(update_ == Update::append ? held.size() : std::ranges::count(held, SlotOwners::none));
}

/// A write that needs no slot, or finds enough of them with nobody waiting, goes ahead. Others queue up and clean. The zone is let go
/// for that, as it may be the one to clean; what was an update may need a slot afterwards.
Task<Status> Fluid::write_piece(ZoneRun run, DataSpan data, const Request& request) {
  if (heat_) heat_->count(run.zone, run.count);
  const auto held = slots_.take();
  const LogicalRun sectors = store_.logical(run);
  std::optional<NumberLocks::Lock> guard;
  std::optional<FifoMutex::Lock> turn;
  for (;;) {
    guard.emplace(locks_, NumberRange::of(run.zone), LockMode::shared);
    NumberLocks::Lock& zone = *guard;
    co_await zone;
    Status status = co_await owners_.find(sectors, *held);
    if (!ok(status)) co_return status;
    const std::uint32_t needed = slots_needed(*held);
    if (needed == 0 || ((turn || space_.empty()) && log_.room() >= needed)) break;
    guard.reset();
    if (!turn) {
      turn.emplace(space_, SamePlace{}, LockMode::exclusive);
      FifoMutex::Lock& mine = *turn;
      co_await mine;
    }
    status = co_await make_room(needed);
    if (!ok(status)) co_return status;
  }
  const auto placements = placements_.take();
  place(*held, *placements);
  turn.reset();  // the slots are taken: the next in the queue may look
  statistics_.sectors_written += run.count;
  const Placements& to = *placements;
  const Status status = co_await store(run, data, to, request.priority);
  written_.wake_all();
  co_return status;
}

/// Updates go where the sectors are, the others to the head of the log.
void Fluid::place(const SlotOwners::Slots& held, Placements& placements) {
  placements.clear();
  for (const std::uint32_t slot : held) {
    if (slot != SlotOwners::none) ++statistics_.updates;
    if (slot != SlotOwners::none && update_ == Update::in_place) {
      placements.push_back({slot, log_.position_of(slot)});
      continue;
    }
    const SlotLog::Taken taken = log_.take();
    placements.push_back({taken.slot, taken.position});
  }
}

/// A cleaning: until `needed` slots can be given out, and the segment that was begun has left.
Task<Status> Fluid::make_room(std::uint32_t needed) {
  if (log_.room() >= needed) co_return Status::ok;
  const Picoseconds begin = ports_.cpu.now();
  ports_.cpu.event({"clean", FirmwareEvent::Edge::begin, 0, needed});
  statistics_.dirty_zones.record(owners_.dirty_zones());
  while (log_.room() < needed || segment_is_leaving()) {
    const Status status = co_await clean_oldest();
    if (!ok(status)) co_return status;
  }
  ports_.cpu.event({"clean", FirmwareEvent::Edge::end, 0, log_.room()});
  statistics_.cleaning.record(ports_.cpu.now() - begin);
  co_return Status::ok;
}

/// The sector at the tail: back to its zone with all others of that zone, or, of a hot zone, to the head of the log.
Task<Status> Fluid::clean_oldest() {
  const std::uint32_t slot = log_.oldest();
  if (!owners_.in_use(slot)) {  // given out, and its data is on the way
    co_await written_.change(LifePhase::cleaning);
    co_return Status::ok;
  }
  const LogicalSector sector = owners_.sector_of(slot);
  const std::uint32_t zone = store_.zone_of(sector);
  auto guard = locks_.exclusive(NumberRange::of(zone));
  co_await guard;
  // Trimmed, or moved by an update, while the zone was waited for.
  if (log_.oldest() != slot || !owners_.in_use(slot) || owners_.sector_of(slot) != sector) co_return Status::ok;
  if (heat_ && !log_.full() && requeued_in_row_ < most_requeued_ && heat_->hot(zone)) co_return co_await requeue(slot);
  requeued_in_row_ = 0;
  // No further than the head: what is written from here on is newer than this write-back.
  if (segment_ != 0 && !segment_is_leaving()) segment_end_ = std::min(log_.position_of(slot) + segment_ - 1, log_.newest());
  co_return co_await evict(zone);
}

/// The copy at the head is on the platter, and newer, before the slot at the tail is given out again.
Task<Status> Fluid::requeue(std::uint32_t slot) {
  const LogicalSector sector = owners_.sector_of(slot);
  const ZoneRun run{store_.zone_of(sector), store_.offset_of(sector), 1};
  const DataSpan data = moving_.all();
  const SlotRun from{slot, data};
  const std::span<const SlotRun> source(&from, 1);
  const Status status = co_await buffer_.read(source, MediaClass::dependent);
  if (!ok(status)) co_return status;
  const SlotLog::Taken taken = log_.take();
  const auto placements = placements_.take();
  placements->assign(1, {taken.slot, taken.position});
  const Placements& to = *placements;
  const Status moved = co_await store(run, data, to, MediaClass::dependent);
  if (!ok(moved)) co_return moved;
  ++requeued_in_row_;
  ++requeued_;
  ports_.cpu.event({"requeue", FirmwareEvent::Edge::instant, run.zone, 1});
  co_return Status::ok;
}

// Boot: an overwritten slot keeps its position, so the highest position is the head although newer sequence numbers lie behind it.

void Fluid::restore_space(std::vector<FoundSlot>& found, std::span<const std::uint32_t> unreadable) {
  std::uint64_t last = 0;
  if (segment_ != 0) last = segment_end_ = store_.newest_watermark();
  for (const FoundSlot& slot : found) last = std::max(last, slot.record.tag);
  log_.restore_head(last, unreadable.empty());
  std::erase_if(found, [this](const FoundSlot& slot) { return !log_.possible(slot.record.tag); });
}

Task<Status> Fluid::restored(std::vector<FoundSlot>& found, std::span<const std::uint32_t>) {
  std::ranges::sort(found, {}, [](const FoundSlot& slot) { return slot.record.tag; });
  for (const FoundSlot& slot : found)
    if (owners_.in_use(slot.slot)) log_.restore(slot.slot, slot.record.tag);
  co_return Status::ok;
}

// --- Figures ---

void Fluid::report(MetricSet& metrics) const {
  report_common(metrics, Bytes(std::uint64_t{16} * buffer_.slots()), log_.bytes() + (heat_ ? heat_->bytes() : Bytes(0)));
  if (heat_) {
    metrics.count("loop.requeued", static_cast<double>(requeued_), "sectors",
                  "sectors of hot zones that were appended to the log again instead of being written back");
  }
}

}  // namespace tessera::fluid
