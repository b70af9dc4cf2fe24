#include "firmware/layers/amphisbaena/amphisbaena_layer.hpp"

#include <algorithm>

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

}  // namespace tessera::amphisbaena
