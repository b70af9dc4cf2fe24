#include "firmware/layers/amphisbaena/amphisbaena_layer.hpp"

#include <algorithm>

#include "firmware/layers/layer_statistics.hpp"
#include "firmware/zones/zone_plan.hpp"

namespace tessera::amphisbaena {

namespace {

/// In chunks: a high-frequency buffer at its largest and what it remembers. A boot may find more blocks in it, but remembers none.
std::uint32_t most_roles(const AmphisbaenaConfig& config, std::uint32_t frames) {
  return std::max(frames, config.most_hfb(frames) * (1 + config.history));
}

}  // namespace

Amphisbaena::Amphisbaena(const Ports& ports, const AmphisbaenaConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : Amphisbaena(ports, config, geometry, plan,
                  std::make_unique<StaleRecords>(ports.memory, static_cast<std::uint32_t>(buffer_sectors(config.zones, geometry, plan)),
                                                 geometry.sector_bytes)) {}

Amphisbaena::Amphisbaena(const Ports& ports, const AmphisbaenaConfig& config, const DriveGeometry& geometry, const FormatPlan& plan,
                         std::unique_ptr<StaleRecords> stale)
    : ZoneBufferLayer(ports, config.zones, geometry, plan, stale.get(), SlotOwners::ZoneLists::none),
      config_(config),
      frames_(buffer_.slots() / config.chunk_sectors(geometry.sector_bytes)),
      stale_(std::move(stale)),
      hot_(ports.memory, ports.cpu, config.window, config.zones.paper),
      chunks_(ports.memory, ports.cpu, frames_, config.chunk_sectors(geometry.sector_bytes), store_.zones(), store_.zone_sectors()),
      blocks_(ports.memory, frames_, chunks_.chunk_sectors(), store_.user_sectors(), config.give_back),
      roles_(ports.memory, ports.cpu, most_roles(config, frames_) * chunks_.chunk_sectors() + 1, store_.user_sectors(), config),
      ranking_(ports.memory, store_.zones(), std::min(store_.zones(), 2 * frames_)),  // a zone keeps its weight until it is weighed again
      collection_(ports.host, buffer_, chunks_, store_, *stale_, blocked_, config.abort_scope),
      space_(ports.cpu),
      moving_(ports.memory.reserve_buffer(MemoryCategory::merge_buffer, chunks_.chunk_sectors(), "blocks on the way to their chunk")),
      hfb_gauge_(ports.cpu, {"hfb.sectors", "1", "sectors that the high-frequency buffer has room for"}),
      lfb_gauge_(ports.cpu, {"lfb.sectors", "1", "sectors that the low-frequency buffer has room for"}) {
  stale_->ask(*this);
}

Task<Status> Amphisbaena::format() {
  for (std::uint32_t frame = 0; frame < frames_; ++frame) {
    if (frame < config_.least_hfb(frames_))
      blocks_.add_frame(frame, false);
    else
      chunks_.add_frame(frame);
  }
  roles_.resize(blocks_.slots());
  show_sizes();
  co_return co_await store_.format();
}

/// Half of the least high-frequency buffer, and chunks for it in the least low-frequency buffer, so that room can always be made.
std::uint32_t Amphisbaena::largest_write() const {
  const std::uint32_t blocks = config_.least_hfb(frames_) * chunks_.chunk_sectors() / 2;
  const std::uint32_t chunks = (frames_ - config_.most_hfb(frames_) - 1) * chunks_.chunk_sectors();
  return std::max<std::uint32_t>(1, std::min(blocks, chunks));
}

bool Amphisbaena::predicts_hot(std::uint32_t sectors) {
  ++requests_;
  if (requests_ % config_.sampling == 0) review_due_ = true;
  return hot_.add(sectors);
}

/// A write that needs no space, or finds enough of it with nobody waiting, goes ahead. Others queue up and make room (figure 6). The
/// zone is let go for that, as it may be the one to clean; what is needed can be more afterwards.
Task<Status> Amphisbaena::write_piece(ZoneRun run, DataSpan data, const Request& request) {
  const auto roles = role_scratch_.take();
  const auto held = slots_.take();
  const LogicalRun blocks = store_.logical(run);
  std::optional<NumberLocks::Lock> guard;
  std::optional<FifoMutex::Lock> turn;
  for (;;) {
    guard.emplace(locks_, NumberRange::of(run.zone), LockMode::shared);
    NumberLocks::Lock& zone = *guard;
    blocked_.add(run);
    co_await zone;
    blocked_.remove(run);
    Status status = co_await owners_.find(blocks, *held);
    if (!ok(status)) co_return status;
    const Room needed = room_for(run, request.hot, *roles);
    if (!review_due_ && (needed.none() || ((turn || space_.empty()) && fits(needed)))) break;
    guard.reset();
    if (!turn) {
      turn.emplace(space_, SamePlace{}, LockMode::exclusive);
      FifoMutex::Lock& mine = *turn;
      co_await mine;
    }
    if (review_due_) status = co_await review(request.tag);
    if (ok(status)) status = co_await make_room(needed, request.tag);
    if (!ok(status)) co_return status;
  }
  const auto placements = placements_.take();
  placements->clear();
  for (std::uint32_t i = 0; i < run.count; ++i) placements->push_back(place(blocks.first + i, (*held)[i], (*roles)[i], request.hot));
  turn.reset();
  statistics_.sectors_written += run.count;
  const Placements& to = *placements;
  co_return co_await store(run, data, to, request.priority);
}

/// Notes the roles that decide; what an earlier block of the same write does to a later one's role comes too late.
Amphisbaena::Room Amphisbaena::room_for(ZoneRun run, bool hot, Roles& roles) {
  Room needed;
  roles.clear();
  std::uint32_t counted = ChunkSpace::none;  // the last chunk that needs a frame
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const std::uint32_t offset = run.offset + i;
    const Role role = roles_.role_of(store_.sector_at(run.zone, offset));
    roles.push_back(role);
    if (resident(role)) continue;
    if (hot || role != Role::none) {
      ++needed.blocks;
      continue;
    }
    const std::uint32_t chunk = chunks_.chunk_of(offset);
    if (chunk == counted || chunks_.find(run.zone, chunk) != ChunkSpace::none) continue;
    ++needed.frames;
    counted = chunk;
  }
  return needed;
}

/// Section 5.2.2 and figure 11. A block has one copy: what enters the high-frequency buffer leaves its chunk when it is written. `old`:
/// the slot that holds the block already, or none.
Amphisbaena::Placement Amphisbaena::place(LogicalSector block, std::uint32_t old, Role was, bool hot) {
  if (old != SlotOwners::none) {
    ++statistics_.updates;
    ++(blocks_.owns(old) ? hits_hfb_ : hits_lfb_);
  }
  if (resident(was)) {
    roles_.hit(block);
    blocks_.touch(old);
    return {old, high_frequency};
  }
  if (was == Role::ghost) ++ghost_hits_, ++period_ghost_hits_;
  if (was == Role::shadow) ++shadow_hits_;
  if (was == Role::none && !hot) {
    roles_.pass(block);
    return place_in_chunk(store_.zone_of(block), store_.offset_of(block));
  }
  roles_.admit(block, was);
  const std::uint32_t slot = blocks_.take(block);
  blocks_.touch(slot);
  return {slot, high_frequency};
}

Amphisbaena::Placement Amphisbaena::place_in_chunk(std::uint32_t zone, std::uint32_t offset) {
  const std::uint32_t chunk = chunks_.chunk_of(offset);
  std::uint32_t frame = chunks_.find(zone, chunk);
  if (frame == ChunkSpace::none) frame = chunks_.allocate(zone, chunk);
  const std::uint32_t slot = chunks_.slot_in(frame, offset);
  if (!owners_.in_use(slot)) chunks_.put(slot);
  return {slot, low_frequency};
}

/// A record of the write that failed is newer than the copy that counts, and its frame may be another chunk's next: a boot would take the
/// sector for trimmed. So the log says first that such records are void. Where it cannot, it takes no more write-backs either.
Task<void> Amphisbaena::abandoned(std::uint32_t zone, std::span<const Placement> placements) {
  std::vector<StaleRecords::Run> runs;
  const std::uint64_t until = buffer_.newest_sequence();
  for (const Placement& placement : placements)
    if (!owners_.in_use(placement.slot)) runs.push_back({placement.slot, 1, until});
  for (std::size_t done = 0; done < runs.size();) {
    const std::span<const StaleRecords::Run> part = std::span(runs).subspan(done, std::min(runs.size() - done, stale_->most_runs()));
    const std::span<const std::byte> note = std::as_bytes(part);
    const Status status = co_await store_.log(zone, note);
    if (!ok(status)) co_return;
    done += part.size();
  }
}

/// Of a slot without an owner all records that are there: those of a write that is under way are later ones.
std::uint64_t Amphisbaena::void_until(std::uint32_t slot) const {
  if (owners_.occupied(slot)) return 0;
  return writes_.sequence_before(slot).value_or(buffer_.newest_sequence());
}

void Amphisbaena::released(std::uint32_t slot) {
  stale_->add(slot);
  if (!blocks_.owns(slot)) return chunks_.remove(slot);
  if (const std::optional<LogicalSector> block = blocks_.block_in(slot)) roles_.forget(*block);
  blocks_.release(slot);
}

// --- Section 5.2.3: the sizes of the two buffers follow the workload ---

/// More ghosts were written again than a chunk has blocks: the high-frequency buffer was too small for blocks with long update periods.
/// Otherwise it gives back what it does not use, as `give_back` says.
Task<Status> Amphisbaena::review(HostTag in_hand) {
  review_due_ = false;
  const std::uint64_t ghost_hits = period_ghost_hits_;
  period_ghost_hits_ = 0;
  Status status = Status::ok;
  ++periods_;
  if (ghost_hits > chunks_.chunk_sectors()) {
    ++periods_short_;
    status = co_await take_chunks(chunks_for(ghost_hits), in_hand);
  } else {
    status = co_await return_chunks(in_hand);
  }
  blocks_.begin_period();
  co_return status;
}

std::uint32_t Amphisbaena::chunks_for(std::uint64_t ghost_hits) const {
  const std::uint64_t blocks = chunks_.chunk_sectors();
  const std::uint64_t added = config_.chunk_rounding == ChunkRounding::floor   ? 0
                              : config_.chunk_rounding == ChunkRounding::round ? blocks / 2
                                                                               : blocks - 1;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>((ghost_hits + added) / blocks, frames_));
}

Task<Status> Amphisbaena::take_chunks(std::uint32_t count, HostTag in_hand) {
  for (; count != 0 && blocks_.frames() < config_.most_hfb(frames_); --count) {
    const Status status = co_await free_frame(in_hand);
    if (!ok(status)) co_return status;
    blocks_.add_frame(chunks_.take_frame(), blocks_.frames() >= config_.least_hfb(frames_));
    roles_.resize(blocks_.slots());
    show_sizes();
    ++taken_;
  }
  co_return Status::ok;
}

Task<Status> Amphisbaena::return_chunks(HostTag in_hand) {
  ports_.cpu.scan(blocks_.frames());
  for (std::uint32_t from = 0; blocks_.frames() > config_.least_hfb(frames_);) {
    const std::optional<std::uint32_t> frame = blocks_.next_to_return(from);
    if (!frame) co_return Status::ok;
    const Status status = co_await return_frame(*frame, in_hand);
    if (!ok(status)) co_return status;
    ++returned_;
    from = *frame + 1;
  }
  co_return Status::ok;
}

/// Its blocks move to their chunks first, as in a cleanup.
Task<Status> Amphisbaena::return_frame(std::uint32_t frame, HostTag in_hand) {
  const std::uint32_t end = (frame + 1) * chunks_.chunk_sectors();
  for (std::uint32_t slot = frame * chunks_.chunk_sectors(); slot < end;) {
    const std::optional<LogicalSector> block = blocks_.block_in(slot);
    if (!block) {
      ++slot;
      continue;
    }
    const LogicalSector leaving = *block;
    const Status status = co_await evict_block(leaving, Leaving::any, in_hand);
    if (!ok(status)) co_return status;
  }
  blocks_.remove_frame(frame);
  chunks_.add_frame(frame);
  roles_.resize(blocks_.slots());
  show_sizes();
  co_return Status::ok;
}

void Amphisbaena::show_sizes() {
  hfb_gauge_.set(blocks_.slots());
  lfb_gauge_.set(std::uint64_t{frames_} * chunks_.chunk_sectors() - blocks_.slots());
}

// --- Section 5.3: cleanups of the low-frequency and the high-frequency buffer ---

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

// --- Boot ---

// Boot after a power cut. The records of the slots say what is where; roles and sizes are hints that start anew.

/// The parts may have got other sizes than they may have: frames whose blocks were all trimmed are back with them.
Task<Status> Amphisbaena::recover() {
  Status status = co_await ZoneBufferLayer::recover();
  if (!ok(status)) co_return status;
  const std::uint32_t least = config_.least_hfb(frames_);
  if (blocks_.frames() < least) status = co_await take_chunks(least - blocks_.frames(), {});
  for (std::uint32_t frame = 0; ok(status) && blocks_.frames() > config_.most_hfb(frames_); ++frame)
    if (blocks_.owns(frame * chunks_.chunk_sectors())) status = co_await return_frame(frame, {});
  show_sizes();
  co_return status;
}

void Amphisbaena::restore_space(std::vector<FoundSlot>& found, std::span<const std::uint32_t>) {
  buffer_.skip_sequences(stale_->newest());
  std::erase_if(found, [this](const FoundSlot& slot) { return !stale_->counts(slot.slot, slot.record.sequence); });
}

/// As the newest record in its frame says, where that is of a chunk that has the block at this place; else it may be either.
std::uint64_t Amphisbaena::restore_unreadable(SlotOwners::Owner slot, const std::vector<FoundSlot>& found) {
  const auto chunk_of = [this](LogicalSector block) { return std::pair(store_.zone_of(block), chunks_.chunk_of(store_.offset_of(block))); };
  const std::uint32_t frame = chunks_.frame_of_slot(slot.slot);
  const FoundSlot* newest = nullptr;
  for (const FoundSlot& other : found) {
    if (chunks_.frame_of_slot(other.slot) != frame || other.record.sequence <= store_.watermark(store_.zone_of(other.record.sector)))
      continue;
    if (newest == nullptr || other.record.sequence > newest->record.sequence) newest = &other;
  }
  if (newest == nullptr || newest->record.tag == high_frequency) return high_frequency;
  const bool at_its_place = chunks_.slot_in(frame, store_.offset_of(slot.sector)) == slot.slot;
  return at_its_place && chunk_of(newest->record.sector) == chunk_of(slot.sector) ? low_frequency : high_frequency;
}

/// The newest record of a frame says whose it is, but a chunk has one frame: others with records of it are of the high-frequency buffer,
/// which takes any block. It has to, as an earlier boot may have had to guess whose a frame was that a record says more of now. What a
/// chunk's frame has no place for is of trimmed sectors.
Task<Status> Amphisbaena::restored(std::vector<FoundSlot>& found, std::span<const std::uint32_t> unreadable) {
  std::vector<bool> known(frames_);
  std::vector<std::uint32_t> adopted;
  std::vector<FoundSlot> unfit;
  const std::uint32_t least = config_.least_hfb(frames_);
  for (auto newest = found.rbegin(); newest != found.rend(); ++newest) {
    const FoundSlot& slot = *newest;
    if (!owners_.in_use(slot.slot)) continue;
    const std::uint32_t frame = chunks_.frame_of_slot(slot.slot);
    const std::uint32_t zone = store_.zone_of(slot.record.sector);
    const std::uint32_t offset = store_.offset_of(slot.record.sector);
    const std::uint32_t chunk = chunks_.chunk_of(offset);
    if (!known[frame] && slot.record.tag == low_frequency && chunks_.find(zone, chunk) == ChunkSpace::none) {
      chunks_.add_frame(frame);
      chunks_.assign(frame, zone, chunk);
    } else if (!known[frame]) {
      blocks_.adopt_frame(frame, blocks_.frames() >= least);
      adopted.push_back(frame);
    }
    known[frame] = true;
    const bool in_chunk = chunks_.find(zone, chunk) == frame && chunks_.slot_in(frame, offset) == slot.slot;
    if (!in_chunk && !blocks_.owns(slot.slot)) unfit.push_back(slot);
  }
  std::ranges::sort(unfit, {}, [](const FoundSlot& slot) { return slot.record.sector; });
  SlotOwners::Slots slots;
  for (const FoundSlot& slot : unfit) slots.push_back(slot.slot);
  const std::span<const std::uint32_t> leaving(slots);
  const Status status = co_await owners_.remove(leaving);
  if (!ok(status)) co_return status;
  for (const FoundSlot& slot : found) {
    if (!owners_.in_use(slot.slot)) {
      stale_->add(slot.slot);
    } else if (!blocks_.owns(slot.slot)) {
      chunks_.put(slot.slot);
    } else {
      blocks_.assign(slot.slot, slot.record.sector);
      roles_.restore(slot.record.sector);
    }
  }
  for (const std::uint32_t slot : unreadable)
    if (!owners_.in_use(slot)) stale_->add(slot);
  stale_->end_boot();
  for (const std::uint32_t frame : adopted) blocks_.release_rest(frame);
  for (std::uint32_t frame = 0; frame < frames_; ++frame) {
    if (known[frame]) continue;
    if (blocks_.frames() < least)
      blocks_.add_frame(frame, false);
    else
      chunks_.add_frame(frame);
  }
  roles_.resize(blocks_.slots());
  co_return Status::ok;
}

// --- Figures ---

/// Figure 10: 16 bytes for each block of the high-frequency buffer at its largest; for each chunk an entry of the CMT, a bitmap and a
/// node of the CLT; and table 1: the number of each ghost or shadow.
Bytes Amphisbaena::paper_bytes() const {
  constexpr std::uint64_t block_entry = 16, chunk_entry = 20, tree_node = 40, block_number = 4;
  const std::uint64_t most_blocks = std::uint64_t{config_.most_hfb(frames_)} * chunks_.chunk_sectors();
  const std::uint64_t bitmap = (chunks_.chunk_sectors() + 7) / 8;
  return Bytes(most_blocks * (block_entry + config_.history * block_number) + frames_ * (chunk_entry + bitmap + tree_node));
}

void Amphisbaena::report(MetricSet& metrics) const {
  report_common(metrics, paper_bytes(),
                hot_.bytes() + chunks_.bytes() + blocks_.bytes() + roles_.bytes() + ranking_.bytes() + stale_->table_bytes());
  const auto sectors = [&](const char* name, std::uint64_t count, const char* what) {
    metrics.count(name, static_cast<double>(count), "sectors", what);
  };
  const auto plain = [&](const char* name, std::uint64_t count, const char* what) {
    metrics.count(name, static_cast<double>(count), "1", what);
  };
  sectors("hit.write.hfb", hits_hfb_, "sectors written that were in the high-frequency buffer");
  sectors("hit.write.lfb", hits_lfb_, "sectors written that were in the low-frequency buffer");
  sectors("ghost.hits", ghost_hits_, "sectors written that were remembered as ghosts");
  sectors("shadow.hits", shadow_hits_, "sectors written that were remembered as shadows");
  plain("role.promotions", roles_.promotions(), "LUP blocks that became SUP");
  plain("role.demotions", roles_.demotions(), "SUP blocks that became LUP");
  metrics.add("role.sup", static_cast<double>(roles_.count(Role::sup)), "sectors", "blocks with a short update period");
  metrics.add("role.lup", static_cast<double>(roles_.count(Role::lup)), "sectors", "blocks with a long or unknown update period");
  metrics.add("role.ghost", static_cast<double>(roles_.count(Role::ghost)), "1", "blocks remembered that left the high-frequency buffer");
  metrics.add("role.shadow", static_cast<double>(roles_.count(Role::shadow)), "1", "blocks remembered that were labelled cold");
  metrics.add("hfb.sectors", static_cast<double>(blocks_.slots()), "sectors", "size of the high-frequency buffer");
  sectors("hfb.evicted", moved_, "sectors moved from the high-frequency to the low-frequency buffer");
  plain("hfb.chunks_taken", taken_, "chunks reallocated to the high-frequency buffer");
  plain("hfb.periods", periods_, "reviews of the buffers' sizes");
  report_rounds(metrics, "role_reviews", periods_, "reviews of the buffers' sizes");
  plain("hfb.periods_short", periods_short_,
        "of these, those that found more ghost hits than a chunk has blocks: the high-frequency buffer grows, if it may");
  plain("hfb.chunks_returned", returned_, "chunks reallocated to the low-frequency buffer");
  plain("victim.chunks", collected_, "chunks written back to their zones");
  metrics.add("victim.chunk_sectors_mean",
              collected_ == 0 ? std::nullopt : std::optional(static_cast<double>(collected_sectors_) / static_cast<double>(collected_)),
              "sectors", "sectors of a chunk at its write-back");
  plain("cleaning.aborted", aborted_by_update_ + aborted_by_zone_,
        "collections that stopped at a checkpoint because a write waited (abort_scope)");
  plain("cleaning.aborted.by_update", aborted_by_update_, "of these, those for a write of a block that was to be collected");
  plain("cleaning.aborted.by_zone", aborted_by_zone_, "of these, those for a write of other blocks of the zone");
}

}  // namespace tessera::amphisbaena
