// Write cache: sectors of which the host wrote a part, and how they become whole.
#include "firmware/caches/write_cache.hpp"

namespace tessera {

namespace {
constexpr std::uint32_t whole_share = 4;  // ours: a quarter of the slots holds whole sectors alone, as much as is left for a burst
}

WriteCache::Blocks WriteCache::Blocks::with(Blocks other) const {
  if (count == 0) return other;
  const std::uint16_t begin = std::min(first, other.first);
  return {begin, static_cast<std::uint16_t>(std::max(end(), other.end()) - begin)};
}

/// What the write brings of its sector of that number.
WriteCache::Blocks WriteCache::written_of(const Filling& filling, std::uint32_t sector) const {
  const std::uint32_t head = sector == 0 ? filling.head : 0;
  const std::uint32_t tail = sector + 1 == filling.data.count ? filling.tail : 0;
  return {static_cast<std::uint16_t>(head), static_cast<std::uint16_t>(all_blocks_.count - head - tail)};
}

bool WriteCache::lacks_blocks(LogicalSector lsn) {
  if (in_part_ == 0) return false;
  const Index index = find(lsn);
  return index != DramHashMap::none && in_part(slots_.read(index).held);
}

bool WriteCache::lacks_blocks(LogicalRun run) {
  if (in_part_ == 0) return false;
  for (std::uint32_t i = 0; i < run.count; ++i)
    if (lacks_blocks(run.first + i)) return true;
  return false;
}

// --- Writes ---

bool WriteCache::takes_parts(LogicalRun run, std::uint32_t head, std::uint32_t tail) {
  if (config_.edges == EdgeReads::before || journal_ != nullptr || ended()) return false;
  if (head == 0 && tail == 0) return true;
  const Filling write{{nullptr, 0, run.count}, 0, head, tail};
  std::uint64_t lacking = in_part_ + edges_;
  const bool takes = takes_part(run.first, written_of(write, 0), lacking) &&
                     (run.count == 1 || takes_part(run.end() - 1, written_of(write, run.count - 1), lacking));
  return takes && lacking <= slots_count_ - std::max<Index>(1, slots_count_ / whole_share);
}

/// A slot says of one stretch that it holds it: a part that leaves a gap to it waits until the sector is whole, as does one of a sector
/// that was lost in the DRAM. Counts in `lacking` a sector that may come to lack blocks: a slot that holds all of them may be another's by
/// the time that the write finds room.
bool WriteCache::takes_part(LogicalSector lsn, Blocks written, std::uint64_t& lacking) {
  const Index index = find(lsn);
  const Blocks held = index == DramHashMap::none ? Blocks{} : slots_.read(index).held;
  if (in_part(written) && !in_part(held)) ++lacking;
  return index == DramHashMap::none || (!buffer_->is_lost(index) && held.joins(written));
}

void WriteCache::set_held(Slot& slot, Blocks held) {
  in_part_ -= in_part(slot.held) ? 1 : 0;
  in_part_ += in_part(held) ? 1 : 0;
  slot.held = held;
}

/// The write's own buffer gets what the slots of its first and last sector hold beside it, so that one copy renews the slots.
void WriteCache::join_edges(const Filling& filling) {
  if (filling.head == 0 && filling.tail == 0) return;
  const std::uint32_t last = filling.data.count - 1;
  if (filling.done == 0) join_edge(filling, 0);
  if (filling.end() == filling.data.count && last != 0) join_edge(filling, last);
}

void WriteCache::join_edge(const Filling& filling, std::uint32_t sector) {
  const Index index = filling.slot + (sector - filling.done);
  const Blocks written = written_of(filling, sector);
  if (written.count == all_blocks_.count) return;
  ++parts_written_;
  if (slots_.read(index).held.inside(written)) return;
  ports_.memory.merge_blocks(filling.data.part(sector, 1), buffer_->part(index, 1), written.first, written.count);
}

// --- The other blocks ---

/// Sectors that the cache lacks, in whole or in part. The inner layer's copies do not change while these become whole.
Task<Status> WriteCache::read_lacking(LogicalRun run, DataSpan data) {
  auto lock = inner_locks_.exclusive(SectorRange::of(run));
  co_await lock;
  const Status status = co_await inner_.read(run, data);
  if (!ok(status)) co_return status;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const DataSpan sector = data.part(i, 1);
    if (!any_lost(sector)) complete_slot(run.first + i, sector);
    const Index index = find(run.first + i);
    if (index != DramHashMap::none && !in_part(slots_.read(index).held)) ports_.memory.copy(buffer_->part(index, 1), sector);
  }
  co_return Status::ok;
}

/// Makes the sectors of `run` whole; `scratch` is as long. Where reading several fails, one at a time shows which of them it is. The caller
/// has the lock that keeps others from writing them to the inner layer.
Task<void> WriteCache::complete(LogicalRun run, DataSpan scratch) {
  bool singly = false;
  for (std::uint32_t done = 0; done < run.count;) {
    std::uint32_t count = 0;
    while (done + count < run.count && (count == 0 || !singly) && lacks_blocks(run.first + done + count)) ++count;
    if (count == 0) {
      ++done;
      continue;
    }
    const LogicalRun part{run.first + done, count};
    const DataSpan old = scratch.part(done, count);
    clear_lost(old);
    Status status = Status::ok;
    if (draining_) {
      status = co_await inner_.read(part, old);
    } else {
      giving_way_.push_back(scratch.buffer);
      status = co_await inner_.read_behind(part, old);
      std::erase(giving_way_, scratch.buffer);
    }
    if (status == Status::aborted) continue;
    const bool whole = ok(status) && !any_lost(old);
    singly = !whole && count > 1;
    if (singly) continue;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (whole)
        complete_slot(part.first + i, old.part(i, 1));
      else
        set_aside(part.first + i);
    }
    done += count;
  }
}

/// The host reads: what is read for destages is given up under the head, and asked for again behind the host's read.
void WriteCache::make_way() {
  if (!config_.make_way) return;
  for (const DataBuffer* const buffer : giving_way_) ports_.media.abandon(*buffer);
}

/// Writes may have brought more of the sector, or all of it, while `old` was read.
void WriteCache::complete_slot(LogicalSector lsn, DataSpan old) {
  const Index index = find(lsn);
  if (index == DramHashMap::none) return;
  Slot& slot = slots_.write(index);
  if (!in_part(slot.held)) return;
  ports_.memory.merge_blocks(buffer_->part(index, 1), old, slot.held.first, slot.held.count);
  set_held(slot, all_blocks_);
  ++completed_;
  if (slot.state == SlotState::stuck) unstick(index);
}

/// The sector's other blocks cannot be read: it keeps its slot, and nobody waits for it any more.
void WriteCache::set_aside(LogicalSector lsn) {
  const Index index = find(lsn);
  if (index == DramHashMap::none) return;
  Slot& slot = slots_.write(index);
  if (!in_part(slot.held) || slot.state != SlotState::dirty) return;
  slot.state = SlotState::stuck;
  take_out(index);
  dirty_gauge_.set(--dirty_);
  ++stuck_;
  wake_waiting();
}

/// All that was set aside is as dirty as the rest.
void WriteCache::take_up() {
  SlotReader directory(slots_);
  for (Index index = 0; stuck_ != 0 && !ended() && index < slots_count_; ++index)
    if (directory.at(index).state == SlotState::stuck) unstick(index);
}

void WriteCache::unstick(Index index) {
  slots_.write(index).state = SlotState::dirty;
  --stuck_;
  enlist(index, DramLists::none);
  dirty_gauge_.set(++dirty_);
  activity_.wake_all();
}

}  // namespace tessera
