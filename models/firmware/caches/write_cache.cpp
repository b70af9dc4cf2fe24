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
      sweep_(ports.memory, MemoryCategory::metadata, slots_count_, "write cache sweep"),
      inner_locks_(ports.cpu),
      work_(ports.cpu),
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
  for (std::uint32_t worker = 0; worker < workers; ++worker) {
    staging_.push_back(ports.memory.reserve_buffer(
        MemoryCategory::write_cache, static_cast<std::uint32_t>(std::min<std::uint64_t>(largest, slots_count_)), "write cache staging"));
  }
}

// --- The directory ---

WriteCache::Index WriteCache::find(LogicalSector lsn) {
  ports_.cpu.hash();
  return index_.find(lsn.value());
}

/// As find(), where the sector is likely to be in slot `guess`, if there is one of that number: what came together lies side by side.
WriteCache::Index WriteCache::find_near(Index guess, LogicalSector lsn) {
  if (guess < slots_count_) {
    const Slot& slot = slots_.read(guess);
    if (slot.state != SlotState::free && slot.lsn == lsn.value()) return guess;
  }
  return find(lsn);
}

/// A slot for `lsn`, which has none: a free one, or that of the clean sector used least recently.
WriteCache::Index WriteCache::take_slot(LogicalSector lsn) {
  Index index = lists_.front(free_list);
  if (index == DramLists::none) {
    index = lists_.front(clean_list);
    if (index == DramLists::none) return DramLists::none;
    index_.erase(slots_.read(index).lsn);
  }
  lists_.remove(index);
  slots_.write(index) = {lsn.value(), 0, 0, SlotState::free, {}};
  index_.insert(lsn.value(), index);
  return index;
}

/// One with a lock is on its way, or past the cache: whoever has it may have written it already.
bool WriteCache::holds_newest(LogicalSector sector) { return ready(find(sector)) && !inner_locks_.wanted(SectorRange::of(sector)); }

/// Puts a slot into the dirty list, in its place by `since`: behind all others, unless its write waited for slots while later ones
/// found theirs. The sectors of such a write follow one another, so each belongs right behind `previous`, the slot of the one in front, if
/// that has not left the list while the write waited.
void WriteCache::enlist(Index index, Index previous) {
  const std::uint64_t since = slots_.peek(index).since;
  if (since > newest_since_) {
    newest_since_ = since;
    lists_.push_back(dirty_list, index);
    return;
  }
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

/// Blocks of the slot were replaced by those of write `sequence`; `previous` is the slot of the sector in front. A free slot is in no
/// list here.
void WriteCache::mark_written(Index index, std::uint64_t sequence, Index previous, Blocks written) {
  Slot& slot = slots_.write(index);
  slot.newest = sequence;
  set_held(slot, slot.held.with(written));
  if (slot.state == SlotState::stuck) --stuck_;
  switch (slot.state) {
    case SlotState::clean:
    case SlotState::free:
    case SlotState::stuck:
      slot.since = sequence;
      slot.state = SlotState::dirty;
      enlist(index, previous);
      if (dirty_++ == 0) activity_.wake_all();
      dirty_gauge_.set(dirty_);
      peak_dirty_ = std::max(peak_dirty_, dirty_);
      break;
    case SlotState::dirty: ++absorbed_; break;
    case SlotState::destaging: slot.state = SlotState::renewed; break;
    case SlotState::renewed: ++absorbed_; break;
  }
  if (dirty_ * 100 > std::uint64_t{slots_count_} * config_.high_mark) draining_ = true;
  if (draining_ || dirty_ * 100 > std::uint64_t{slots_count_} * config_.trickle_mark) work_.wake_all();
}

/// The copy that was taken of the slot is written.
void WriteCache::mark_destaged(Index index) {
  Slot& slot = slots_.write(index);
  take_out(index);
  if (slot.state == SlotState::renewed) {
    slot.state = SlotState::dirty;
    slot.since = slot.newest;
    enlist(index, DramLists::none);
    return;
  }
  slot.state = SlotState::clean;
  lists_.push_back(clean_list, index);
  dirty_gauge_.set(--dirty_);
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
  if (dropped) progress_.wake_all();
  return dropped;
}

// --- Host operations ---

bool WriteCache::holds(LogicalRun run) {
  for (std::uint32_t i = 0; i < run.count; ++i)
    if (find(run.first + i) == DramHashMap::none) return false;
  return !lacks_blocks(run);
}

bool WriteCache::absorbs(LogicalRun run) { return !ended() && journal_ == nullptr && dirty_ + run.count <= slots_count_; }

Task<Status> WriteCache::read(LogicalRun run, DataSpan data) {
  for (std::uint32_t done = 0; done < run.count;) {
    const Index slot = find(run.first + done);
    std::uint32_t count = 1;
    if (slot != DramHashMap::none && !lacks_blocks(run.first + done)) {
      while (done + count < run.count && find_near(slot + count, run.first + done + count) == slot + count &&
             !lacks_blocks(run.first + done + count))
        ++count;
      for (Index index = slot; index < slot + count; ++index) {
        if (slots_.read(index).state == SlotState::clean) lists_.move_to_back(clean_list, index);
      }
      ports_.memory.copy(buffer_->part(slot, count), data.part(done, count));
      if (any_lost(data.part(done, count)) && drop_lost(slot, count)) continue;
      read_hits_ += count;
    } else {
      const auto missing_at = [&](LogicalSector lsn) { return find(lsn) == DramHashMap::none || lacks_blocks(lsn); };
      while (done + count < run.count && missing_at(run.first + done + count)) ++count;
      const LogicalRun missing{run.first + done, count};
      const DataSpan part = data.part(done, count);
      read_misses_ += count;
      make_way();
      Status status = Status::ok;
      if (lacks_blocks(missing))
        status = co_await read_lacking(missing, part);
      else
        status = co_await inner_.read(missing, part);
      if (!ok(status)) co_return status;
    }
    done += count;
  }
  co_return any_lost(data) ? Status::lost : Status::ok;
}

Task<Status> WriteCache::write(LogicalRun run, DataSpan data, WriteOptions options) {
  if (ended()) co_return Status::read_only;
  // A journalled write is on the platters in any case, and must not be overtaken by its own older records at recovery.
  if (options.durable && journal_ == nullptr) co_return co_await write_through(run, data, options);
  for (std::uint32_t done = 0; done < run.count;) {
    const std::uint32_t count = std::min(run.count - done, part_sectors_);
    const LogicalRun part{run.first + done, count};
    const DataSpan part_data = data.part(done, count);
    WriteOptions edges;
    edges.head = done == 0 ? options.head : 0;
    edges.tail = done + count == run.count ? options.tail : 0;
    const Status status = co_await write_part(part, part_data, edges);
    if (!ok(status)) co_return status;
    done += count;
  }
  co_return Status::ok;
}

Task<Status> WriteCache::write_part(LogicalRun run, DataSpan data, WriteOptions options) {
  if (journal_ == nullptr) {
    const Filling filling{data, sequence_, options.head, options.tail};
    sequence_ += run.count;
    co_return co_await fill(run, filling);
  }
  Status status = Status::ok;
  {
    Journal::Pin pin;
    status = co_await journal_->append(run, data, pin);
    const Filling filling{data, pin.sequence()};
    if (ok(status)) status = co_await fill(run, filling);
  }
  release_journal();
  if (journal_pressed()) work_.wake_all();
  co_return status;
}

/// The journal need keep only what is in no other place: the records from the oldest dirty sector on.
void WriteCache::release_journal() {
  if (journal_ == nullptr) return;
  const Index oldest = lists_.front(dirty_list);
  journal_->release_before(oldest == DramLists::none ? journal_->head() : slots_.read(oldest).since);
}

/// Puts the data into slots; waits where none is to be had, or gives up where none will be: `read_only`. The directory says of a slot that
/// it is dirty once the data is in it: under `plp` the power may fail between the two.
Task<Status> WriteCache::fill(LogicalRun run, Filling filling) {
  while (filling.end() < run.count) {
    const LogicalSector lsn = run.first + filling.end();
    Index slot = find(lsn);
    if (slot == DramHashMap::none)
      slot = take_slot(lsn);
    else
      keep(slot);
    if (filling.count != 0 && slot != filling.slot + filling.count) settle(filling);
    if (slot == DramLists::none) {
      if (ended()) co_return Status::read_only;
      ++full_waits_;
      draining_ = true;
      work_.wake_all();
      co_await progress_.change(LifePhase::cleaning);
      continue;
    }
    if (filling.count++ == 0) filling.slot = slot;
  }
  if (filling.count != 0) settle(filling);
  co_return Status::ok;
}

/// Nobody else takes a slot whose sector is about to be written again.
void WriteCache::keep(Index index) {
  if (slots_.read(index).state != SlotState::clean) return;
  lists_.remove(index);
  slots_.write(index).state = SlotState::free;
}

void WriteCache::settle(Filling& filling) {
  join_edges(filling);
  ports_.memory.copy(filling.data.part(filling.done, filling.count), buffer_->part(filling.slot, filling.count));
  for (; filling.count != 0; --filling.count) {
    mark_written(filling.slot, filling.sequence + filling.done, filling.previous, written_of(filling, filling.done));
    ++filling.done;
    filling.previous = filling.slot++;
  }
}

/// FUA without a journal: past the cache, and what the cache held of the run is out of date.
Task<Status> WriteCache::write_through(LogicalRun run, DataSpan data, WriteOptions options) {
  auto lock = inner_locks_.exclusive(SectorRange::of(run));
  co_await lock;
  const Status status = co_await inner_.write(run, data, options);
  if (!ok(status)) co_return status;
  drop(run);
  progress_.wake_all();
  co_return Status::ok;
}

Task<Status> WriteCache::flush() {
  // What is in the journal is on the platters already.
  const std::uint64_t target = journal_ != nullptr ? 0 : sequence_;
  for (;;) {
    if (ended() && dirty_ != 0) co_return failure_;
    const Index oldest = lists_.front(dirty_list);
    if (oldest == DramLists::none || slots_.read(oldest).since >= target) break;
    flush_target_ = std::max(flush_target_, target);
    work_.wake_all();
    co_await progress_.change(LifePhase::cleaning);
  }
  if (stuck_ != 0 && config_.durability != CacheDurability::plp) co_return Status::media_error;
  co_return co_await inner_.flush();
}

Task<Status> WriteCache::trim(LogicalRun run) {
  auto lock = inner_locks_.exclusive(SectorRange::of(run));
  co_await lock;
  drop(run);
  release_journal();
  progress_.wake_all();
  co_return co_await inner_.trim(run);
}

}  // namespace tessera
