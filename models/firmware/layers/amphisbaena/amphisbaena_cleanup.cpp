// Section 5.3: the cleanups of the low-frequency and the high-frequency buffer.
#include <algorithm>

#include "firmware/layers/amphisbaena/amphisbaena_layer.hpp"

namespace tessera::amphisbaena {

/// The high-frequency buffer first: its blocks may need chunks.
Task<Status> Amphisbaena::make_room(Room needed, HostTag in_hand) {
  while (blocks_.free_slots() < needed.blocks) {
    const LogicalSector block = roles_.next_to_leave();
    const Status status = co_await evict_block(block, Leaving::filtered, in_hand);
    if (!ok(status)) co_return status;
  }
  while (chunks_.free_frames() < needed.frames) {
    const Status status = co_await clean_chunks(in_hand);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// Until there is a free frame.
Task<Status> Amphisbaena::free_frame(HostTag in_hand) {
  while (chunks_.free_frames() == 0) {
    const Status status = co_await clean_chunks(in_hand);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

// The low-frequency buffer

VictimZone Amphisbaena::victim_of(std::uint32_t zone) const {
  VictimZone victim;
  victim.pointer = store_.write_pointer(zone);
  victim.native = store_.count_valid(zone);
  victim.first = store_.zone_sectors();
  for (std::uint32_t frame = chunks_.first_of(zone); frame != ChunkSpace::none; frame = chunks_.after(frame)) {
    ++victim.chunks;
    chunks_.for_each_offset(frame, [&](std::uint32_t offset) {
      ++victim.blocks;
      victim.first = std::min(victim.first, offset);
      victim.last = std::max(victim.last, offset);
      if (store_.valid(zone, offset)) ++victim.overlap;
    });
  }
  return victim;
}

void Amphisbaena::weigh_changed_zones() {
  for (std::uint32_t i = 0; i < chunks_.changed_zones(); ++i) {
    const std::uint32_t zone = chunks_.changed_zone(i);
    ranking_.set(zone, victim_weight(victim_of(zone), config_.victim));
  }
  chunks_.forget_changes();
  ports_.cpu.scan(chunks_.chunks());
}

/// Writes back the zone with the highest weight: all its chunks, or fewer where a write to it waits.
Task<Status> Amphisbaena::clean_chunks(HostTag in_hand) {
  const Picoseconds begin = ports_.cpu.now();
  weigh_changed_zones();
  TESSERA_CHECK(ranking_.highest() != 0, "the low-frequency buffer is full of nothing");
  const std::uint32_t zone = ranking_.best();
  auto guard = locks_.exclusive(NumberRange::of(zone));
  co_await guard;
  collection_.begin(zone, in_hand);
  if (collection_.offsets().empty()) co_return Status::ok;  // trimmed while the zone was waited for
  Status status = co_await log_stale_records(zone);
  if (!ok(status)) co_return status;
  ports_.cpu.event({"clean", FirmwareEvent::Edge::begin, zone, collection_.offsets().size()});
  statistics_.dirty_zones.record(owners_.dirty_zones());
  const SlotWrites::Leaving unnamed(writes_, store_.sectors_of(zone));
  const ZoneStore::WriteBack job{zone, 0};
  status = co_await store_.write_back(job, collection_);
  while (ok(status) && collection_.continue_note()) {
    const std::span<const std::byte> note = stale_->note();
    status = co_await store_.log(zone, note);
  }
  ports_.cpu.event({"clean", FirmwareEvent::Edge::end, zone, collection_.offsets().size()});
  if (!ok(status)) co_return status;
  collection_.settle();
  const std::span<const std::uint32_t> slots = collection_.slots();
  status = co_await owners_.remove(slots);
  for (const std::uint32_t slot : slots)
    if (ok(status) || !owners_.in_use(slot)) chunks_.remove(slot);
  chunks_.mark_changed(zone);
  collected_ += collection_.chunks_collected();
  collected_sectors_ += slots.size();
  if (collection_.aborted()) ++(collection_.aborted_by_update() ? aborted_by_update_ : aborted_by_zone_);
  statistics_.cleaning.record(ports_.cpu.now() - begin);
  co_return status;
}

/// Records of this zone that are out of date must fit the note of its write-back; nobody adds to them while the zone is held.
Task<Status> Amphisbaena::log_stale_records(std::uint32_t zone) {
  while (stale_->crowded()) {
    stale_->begin_note();
    stale_->fill_note();
    const std::span<const std::byte> note = stale_->note();
    const Status status = co_await store_.log(zone, note);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

// The high-frequency buffer

/// Moves a block to its chunk: alone where the low-frequency buffer has the chunk, else with all filtered blocks of the chunk.
Task<Status> Amphisbaena::evict_block(LogicalSector block, Leaving which, HostTag in_hand) {
  const std::uint32_t zone = store_.zone_of(block);
  const std::uint32_t chunk = chunks_.chunk_of(store_.offset_of(block));
  if (chunks_.find(zone, chunk) == ChunkSpace::none) {
    const Status status = co_await free_frame(in_hand);
    if (!ok(status)) co_return status;
  }
  auto guard = locks_.exclusive(NumberRange::of(zone));
  co_await guard;
  // Written again or trimmed while the zone was waited for, or its chunk was cleaned.
  const Role role = roles_.role_of(block);
  if (which == Leaving::filtered ? role != Role::lup : !resident(role)) co_return Status::ok;
  const bool has_chunk = chunks_.find(zone, chunk) != ChunkSpace::none;
  if (!has_chunk && chunks_.free_frames() == 0) co_return Status::ok;
  collect_group(block, has_chunk);
  co_return co_await move_to_chunk(zone, chunk);
}

void Amphisbaena::collect_group(LogicalSector block, bool alone) {
  group_.clear();
  if (alone) {
    group_.push_back(block);
    return;
  }
  ports_.cpu.scan(roles_.filtered());
  const std::uint32_t zone = store_.zone_of(block);
  const std::uint32_t first = chunks_.chunk_of(store_.offset_of(block)) * chunks_.chunk_sectors();
  const std::uint32_t end = std::min(first + chunks_.chunk_sectors(), store_.zone_sectors());
  for (std::uint32_t offset = first; offset < end; ++offset) {
    const LogicalSector member = store_.sector_at(zone, offset);
    if (member == block || roles_.in_filter(member)) group_.push_back(member);
  }
}

/// A read for each block, then a write for each run of neighbours.
Task<Status> Amphisbaena::move_to_chunk(std::uint32_t zone, std::uint32_t chunk) {
  const std::uint32_t first = chunk * chunks_.chunk_sectors();
  const std::span<const LogicalSector> group(group_);
  Status status = co_await owners_.find(group, group_slots_);
  if (!ok(status)) co_return status;
  group_runs_.clear();
  for (std::size_t i = 0; i < group.size(); ++i)
    group_runs_.push_back({group_slots_[i], moving_.part(store_.offset_of(group[i]) - first, 1)});
  const std::span<const SlotRun> sources(group_runs_);
  status = co_await buffer_.read(sources, MediaClass::dependent);
  if (!ok(status)) co_return status;

  const auto placements = placements_.take();
  for (std::size_t done = 0; ok(status) && done < group_.size();) {
    placements->clear();
    std::uint32_t count = 0;
    const std::uint32_t offset = store_.offset_of(group_[done]);
    for (; done + count < group_.size() && store_.offset_of(group_[done + count]) == offset + count; ++count) {
      blocks_.let_go(group_slots_[done + count]);
      roles_.leave(group_[done + count]);
      placements->push_back(place_in_chunk(zone, offset + count));
    }
    const ZoneRun run{zone, offset, count};
    const DataSpan data = moving_.part(offset - first, count);
    const Placements& to = *placements;
    status = co_await store(run, data, to, MediaClass::dependent);
    for (std::size_t i = done; !ok(status) && i < done + count; ++i) stay_in_slot(group_[i], group_slots_[i]);
    done += count;
    moved_ += count;
  }
  co_return status;
}

/// A block that could not be written to its chunk, unless it is there.
void Amphisbaena::stay_in_slot(LogicalSector block, std::uint32_t slot) {
  if (!owners_.in_use(slot)) return;
  blocks_.keep(slot, block);
  roles_.stay(block);
}

}  // namespace tessera::amphisbaena
