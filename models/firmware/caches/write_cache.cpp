#include "firmware/caches/write_cache.hpp"

#include "firmware/layout/plan_regions.hpp"

namespace tessera {

WriteCache::WriteCache(const WriteCacheConfig& config, const Ports& ports, const DriveGeometry& geometry, const FormatPlan& plan,
                       TranslationLayer& inner, const WriteCacheNames& names)
    : config_(config),
      ports_(ports),
      inner_(inner),
      prefix_(names.prefix),
      slots_count_(static_cast<Index>(config.capacity.value() / ports.memory.shape().sector_bytes)),
      all_blocks_{0, static_cast<std::uint16_t>(ports.memory.shape().blocks())},
      buffer_(&own_buffer_),
      slots_(ports.memory, MemoryCategory::metadata, slots_count_, "write cache directory",
             config.durability == CacheDurability::plp ? Survival::dumped : Survival::volatile_memory),
      lists_(ports.memory, MemoryCategory::metadata, slots_count_, lists, "write cache lists"),
      index_(ports.memory, MemoryCategory::metadata, slots_count_, "write cache index"),
      groups_(ports.memory, slots_count_, "write cache groups"),
      sweep_(ports.memory, MemoryCategory::metadata, slots_count_, "write cache sweep"),
      inner_locks_(ports.cpu),
      writers_(ports.cpu),
      progress_(ports.cpu),
      activity_(ports.cpu),
      dirty_gauge_(ports.cpu, names.dirty, 0) {
  if (config.durability == CacheDurability::plp)
    buffer_ = &ports.memory.reserve_dumped_buffer(MemoryCategory::write_cache, slots_count_, "write cache");
  else
    own_buffer_ = ports.memory.reserve_buffer(MemoryCategory::write_cache, slots_count_, "write cache");

  part_sectors_ = std::max<Index>(1, slots_count_ / 4);
  if (config.durability == CacheDurability::journal) {
    journal_ = std::make_unique<Journal>(ports, geometry, regions_named(plan, "journal"), slots_count_);
    part_sectors_ = static_cast<std::uint32_t>(std::clamp<std::uint64_t>(journal_->capacity() / 4, 1, part_sectors_));
  }
  const auto largest = std::max<std::uint64_t>(1, config.largest_destage.value() / ports.memory.shape().sector_bytes);
  const std::uint32_t workers = config.order == DestageOrder::positioning ? config.destage_depth : 1;
  for (std::uint32_t worker = 0; worker < workers; ++worker) work_.emplace_back(ports.cpu);
  largest_ = static_cast<std::uint32_t>(std::min<std::uint64_t>(largest, slots_count_));
  const auto together = static_cast<std::uint32_t>(std::min<std::uint64_t>(std::uint64_t{workers} * largest_, slots_count_));
  staging_ = ports.memory.reserve_buffer(MemoryCategory::write_cache, together, "write cache staging");
  staged_ = ExtentAllocator(together);
}

// --- The directory ---

WriteCache::Index WriteCache::find(LogicalSector lsn) {
  ports_.cpu.hash();
  return index_.find(lsn.value());
}

/// As find(), where the sector is likely to be in slot `guess`, if there is one of that number: what came together lies side by side.
WriteCache::Index WriteCache::find_near(SlotReader& directory, Index guess, LogicalSector lsn) {
  if (guess < slots_count_) {
    const Slot& slot = directory.at(guess);
    if (slot.state != SlotState::free && slot.lsn == lsn.value()) return guess;
  }
  return find(lsn);
}

/// The sectors from the first of `run` on that have no slot.
WriteCache::Gap WriteCache::gap_before(LogicalRun run) {
  for (std::uint32_t sector = 0; sector < run.count;) {
    sector += groups_.absent({run.first + sector, run.count - sector});
    const std::uint32_t group_end = std::min(run.count, sector + SectorGroups::left_of_group(run.first + sector));
    for (; sector < group_end; ++sector) {
      const Index slot = find(run.first + sector);
      if (slot != DramHashMap::none) return {sector, slot};
    }
  }
  return {run.count, DramLists::none};
}

/// How many sectors of `run` lie side by side from `slot`, that of the first, on.
std::uint32_t WriteCache::side_by_side(Index slot, LogicalRun run) {
  SlotReader directory(slots_);
  std::uint32_t count = 1;
  while (count < run.count && slot + count < slots_count_) {
    const Slot& next = directory.at(slot + count);
    if (next.state == SlotState::free || next.lsn != (run.first + count).value()) break;
    ++count;
  }
  return count;
}

/// Slots side by side for the first sectors of `run`, which have none: free ones, those of the clean sectors used least recently, or those
/// of a segment that the read cache gives back. Gives the first, and for how many sectors in `count`.
WriteCache::Index WriteCache::take_slots(LogicalRun run, std::uint32_t& count) {
  Index first = lists_.front(free_list);
  bool recycled = false;
  if (first == DramLists::none) {
    first = lists_.front(clean_list);
    recycled = first != DramLists::none;
    if (!recycled && borrower_ != nullptr && borrower_->give_back_one()) first = lists_.front(free_list);
  }
  if (first == DramLists::none) return DramLists::none;
  count = lists_.chain(first, std::min(run.count, slots_count_ - first));
  lists_.remove_chain(first, count);
  if (recycled) {
    for (const Slot& slot : slots_.read_run(first, count)) {
      index_.erase(slot.lsn);
      groups_.remove(LogicalSector(slot.lsn));
    }
  }
  Index index = first;
  for (Slot& slot : slots_.write_run(first, count)) {
    slot = {run.first.value() + (index - first), 0, 0, SlotState::free, {}};
    index_.insert(slot.lsn, index++);
  }
  groups_.add({run.first, count});
  return first;
}

/// One with a lock is on its way, or past the cache: whoever has it may have written it already.
bool WriteCache::holds_newest(LogicalSector sector) {
  SlotReader directory(slots_);
  return ready(directory, find(sector)) && !inner_locks_.wanted(SectorRange::of(sector));
}

/// Whether a slot that is dirty since that write belongs after all others.
bool WriteCache::is_newest(std::uint64_t since) {
  if (since > newest_since_) {
    newest_since_ = since;
    return true;
  }
  return false;
}

/// Puts a slot into the dirty list, in its place by `since`: behind all others, unless its write waited for slots while later ones
/// found theirs. The sectors of such a write follow one another, so each belongs right behind `previous`, the slot of the one in front, if
/// that has not left the list while the write waited.
void WriteCache::enlist(Index index, Index previous) {
  const std::uint64_t since = slots_.peek(index).since;
  if (is_newest(since)) return lists_.push_back(dirty_list, index);
  passed_ = DramLists::none;
  Index place = previous;
  if (previous == DramLists::none || !is_dirty_listed(slots_.read(previous)) || slots_.peek(previous).since + 1 != since) {
    place = lists_.back(dirty_list);
    while (place != DramLists::none && slots_.read(place).since > since) place = lists_.before(place);
  }
  if (place == DramLists::none)
    lists_.push_front(dirty_list, index);
  else
    lists_.insert_after(place, index);
}

/// From its list.
void WriteCache::take_out(Index index) {
  if (index == passed_) passed_ = lists_.before(index);
  lists_.remove(index);
}

/// Blocks of the slot were replaced by those of write `sequence`. Gives whether it is to go into the dirty list; it is in no list then.
/// What was stuck holds older blocks, too, and one renewed twice those of both writes: such a slot is dirty since the older of them.
bool WriteCache::mark_written(Slot& slot, std::uint64_t sequence, Blocks written) {
  if (slot.state != SlotState::renewed) slot.newest = sequence;
  set_held(slot, slot.held.with(written));
  switch (slot.state) {
    case SlotState::clean:
    case SlotState::free: slot.since = sequence; break;
    case SlotState::stuck: --stuck_; break;
    case SlotState::destaging: slot.state = SlotState::renewed; return false;
    case SlotState::dirty:
    case SlotState::renewed: ++absorbed_; return false;
  }
  slot.state = SlotState::dirty;
  if (dirty_++ == 0) activity_.wake_all();
  return true;
}

/// The copies that were taken of slots side by side are written.
void WriteCache::mark_destaged(Index first, Index count) {
  const std::span<Slot> slots = slots_.write_run(first, count);
  for (Index done = 0; done < count;) {
    Slot& slot = slots[done];
    if (slot.state == SlotState::renewed) {
      take_out(first + done);
      slot.state = SlotState::dirty;
      slot.since = slot.newest;
      enlist(first + done, DramLists::none);
      ++done;
      continue;
    }
    Index clean = 1;
    while (done + clean < count && slots[done + clean].state == SlotState::destaging) ++clean;
    clean = lists_.chain(first + done, clean);
    if (passed_ >= first + done && passed_ < first + done + clean) passed_ = lists_.before(first + done);
    lists_.remove_chain(first + done, clean);
    for (Slot& written : slots.subspan(done, clean)) written.state = SlotState::clean;
    lists_.push_back_chain(clean_list, first + done, clean);
    dirty_ -= clean;
    done += clean;
  }
  dirty_gauge_.set(dirty_);
}

/// Forgets what the slot holds. No copy of it may be on its way.
void WriteCache::drop(Index index) {
  Slot& slot = slots_.write(index);
  const bool stuck = slot.state == SlotState::stuck;
  if (stuck)
    --stuck_;
  else if (holds_unwritten(slot))
    dirty_gauge_.set(--dirty_);
  index_.erase(slot.lsn);
  groups_.remove(LogicalSector(slot.lsn));
  slot.state = SlotState::free;
  set_held(slot, {});
  if (!stuck) take_out(index);
  lists_.push_back(free_list, index);
}

void WriteCache::drop(LogicalRun run) {
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const Index slot = find(run.first + i);
    if (slot != DramHashMap::none) drop(slot);
  }
}

/// Forgets those of these slots that were lost in the DRAM and that the inner layer has; whether there are any.
bool WriteCache::drop_lost(Index first, std::uint32_t count) {
  bool dropped = false;
  for (Index index = first; index < first + count; ++index) {
    if (!buffer_->is_lost(index) || slots_.read(index).state != SlotState::clean) continue;
    drop(index);
    dropped = true;
  }
  if (dropped) wake_waiting();
  return dropped;
}

}  // namespace tessera
