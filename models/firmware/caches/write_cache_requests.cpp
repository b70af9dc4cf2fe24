// What the write cache does for the host: reads, writes, FLUSH and TRIM. The slots that it puts them in: write_cache.cpp.
#include "firmware/caches/write_cache.hpp"

namespace tessera {

namespace {
/// Ours: tasks that a read has in addition to its own. A request of 1 MiB of which every 64 KiB are cached has eight parts.
constexpr std::uint32_t most_others = 8;
}  // namespace

bool WriteCache::holds(LogicalRun run) {
  SlotReader directory(slots_);
  Index slot = find(run.first);
  for (std::uint32_t i = 1; i < run.count && slot != DramHashMap::none; ++i) slot = find_near(directory, slot + 1, run.first + i);
  return slot != DramHashMap::none && !lacks_blocks(run);
}

bool WriteCache::absorbs(LogicalRun run) { return !ended() && journal_ == nullptr && dirty_ + stuck_ + run.count <= slots_count_; }

/// How many sectors at the end of `run` the inner layer has as they were written last.
std::uint32_t WriteCache::written_home(LogicalRun run) {
  std::uint32_t home = run.count;
  for (std::uint32_t done = 0; done < run.count;) {
    const Gap gap = gap_before({run.first + done, run.count - done});
    done += gap.count + 1;
    if (gap.slot != DramLists::none && holds_unwritten(slots_.read(gap.slot))) home = run.count - done;
  }
  return home;
}

Task<Status> WriteCache::read_early(LogicalRun run, DataSpan data, EarlySectors& early) {
  const std::uint32_t room = early.place.count;
  const std::uint32_t home = gap_before({run.first, 1}).count == 0 ? 0 : written_home({run.first - room, room});
  early.place = early.place.part(room - home, home);
  return read_parts(run, data, home == 0 ? nullptr : &early);
}

/// Parts of one read that other tasks have in hand.
struct WriteCache::OtherParts {
  explicit OtherParts(CpuPort& cpu) : ended(cpu) {}
  std::uint32_t under_way = 0;
  Status status = Status::ok;
  WaitQueue ended;
};

/// What the cache lacks is asked for at once, the first part by this task: one after another, each would lose a turn to what follows the
/// read.
Task<Status> WriteCache::read_parts(LogicalRun run, DataSpan data, EarlySectors* early) {
  OtherParts others(ports_.cpu);
  Missing own{{run.first, 0}};
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun rest{run.first + done, run.count - done};
    const Gap gap = gap_before(rest);
    std::uint32_t count = gap.count;
    if (count == 0 && !lacks_blocks(rest.first)) {
      const Index slot = gap.slot;
      count = side_by_side(slot, rest);
      if (in_part_ != 0)
        for (std::uint32_t whole = 1; whole < count; ++whole)
          if (lacks_blocks(rest.first + whole)) count = whole;
      use(slot, count);
      ports_.memory.copy(buffer_->part(slot, count), data.part(done, count));
      if (any_lost(data.part(done, count)) && drop_lost(slot, count)) continue;
      read_hits_ += count;
    } else {
      const auto missing_at = [&](LogicalSector lsn) { return find(lsn) == DramHashMap::none || lacks_blocks(lsn); };
      while (in_part_ != 0 && count < rest.count && missing_at(rest.first + count)) ++count;
      read_misses_ += count;
      const Missing missing{{rest.first, count}, lacks_blocks(LogicalRun{rest.first, count})};
      if (own.run.count == 0) {
        own = missing;
      } else {
        while (others.under_way == most_others) co_await others.ended.change(LifePhase::media_queue);
        ++others.under_way;
        ports_.cpu.spawn(read_other(others, missing, data.part(done, count)), "read_part");
      }
    }
    done += count;
  }
  Status status = Status::ok;
  if (own.run.count != 0) {
    const DataSpan part = data.part(static_cast<std::uint32_t>(own.run.first - run.first), own.run.count);
    make_way();
    if (own.in_part)
      status = co_await read_lacking(own.run, part);
    else if (early != nullptr && own.run.first == run.first)
      status = co_await inner_.read_early(own.run, part, *early);
    else
      status = co_await inner_.read(own.run, part);
  }
  while (others.under_way != 0) co_await others.ended.change(LifePhase::media_queue);
  if (ok(status)) status = others.status;
  if (!ok(status)) co_return status;
  co_return any_lost(data) ? Status::lost : Status::ok;
}

Task<void> WriteCache::read_other(OtherParts& others, Missing missing, DataSpan part) {
  Status status;
  if (missing.in_part)
    status = co_await read_lacking(missing.run, part);
  else
    status = co_await inner_.read(missing.run, part);
  if (!ok(status)) others.status = status;
  --others.under_way;
  others.ended.wake_all();
}

Task<Status> WriteCache::write(LogicalRun run, DataSpan data, WriteOptions options) {
  if (ended()) co_return Status::read_only;
  // A journalled write is on the platters in any case, and must not be overtaken by its own older records at recovery.
  if (options.durable && journal_ == nullptr) co_return co_await write_through(run, data, options);
  const std::uint64_t edges = (options.head != 0 ? 1U : 0U) + (options.tail != 0 ? 1U : 0U);
  edges_ += edges;
  Status status = Status::ok;
  for (std::uint32_t done = 0; ok(status) && done < run.count;) {
    const std::uint32_t count = std::min(run.count - done, part_sectors_);
    const LogicalRun part{run.first + done, count};
    const DataSpan part_data = data.part(done, count);
    WriteOptions of_part;
    of_part.head = done == 0 ? options.head : 0;
    of_part.tail = done + count == run.count ? options.tail : 0;
    status = co_await write_part(part, part_data, of_part);
    done += count;
  }
  edges_ -= edges;
  co_return status;
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
  if (journal_pressed()) wake_worker();
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
  std::uint64_t place = 0;  // among the writers that wait
  while (filling.end() < run.count) {
    const LogicalRun rest{run.first + filling.end(), run.count - filling.end()};
    const Gap gap = gap_before(rest);
    Index slot = gap.slot;
    std::uint32_t count = gap.count;
    if (count != 0) {
      slot = take_slots({rest.first, gap.count}, count);
    } else {
      count = side_by_side(slot, rest);
      keep(slot, count);
    }
    if (filling.count != 0 && slot != filling.slot + filling.count) settle(filling);
    if (slot == DramLists::none) {
      if (ended()) co_return Status::read_only;
      ++full_waits_;
      draining_ = true;
      wake_worker();
      co_await writers_.room(rest.count, LifePhase::cleaning, place);
      continue;
    }
    if (filling.count == 0) filling.slot = slot;
    filling.count += count;
  }
  if (filling.count != 0) settle(filling);
  if (place != 0) wake_waiting();  // it may have needed less than was kept for it
  co_return Status::ok;
}

/// Calls f(first, length) for the chains of clean slots among these.
template <class F>
void WriteCache::each_clean_chain(Index first, Index count, F&& f) {
  const std::span<const Slot> slots = slots_.read_run(first, count);
  for (Index done = 0; done < count;) {
    Index clean = 0;
    while (done + clean < count && slots[done + clean].state == SlotState::clean) ++clean;
    if (clean == 0) {
      ++done;
      continue;
    }
    clean = lists_.chain(first + done, clean);
    f(first + done, clean);
    done += clean;
  }
}

/// Nobody else takes slots whose sectors are about to be written again.
void WriteCache::keep(Index first, Index count) {
  each_clean_chain(first, count, [this](Index chain, Index length) {
    lists_.remove_chain(chain, length);
    for (Slot& slot : slots_.write_run(chain, length)) slot.state = SlotState::free;
  });
}

/// The clean ones become those used most recently.
void WriteCache::use(Index first, Index count) {
  each_clean_chain(first, count, [this](Index chain, Index length) {
    lists_.remove_chain(chain, length);
    lists_.push_back_chain(clean_list, chain, length);
  });
}

void WriteCache::settle(Filling& filling) {
  join_edges(filling);
  ports_.memory.copy(filling.data.part(filling.done, filling.count), buffer_->part(filling.slot, filling.count));
  Index newest = 0;  // of the slots before the one in hand: they go after all others of the dirty list, at once
  const auto enlist_newest = [&] {
    if (newest != 0) lists_.push_back_chain(dirty_list, filling.slot - newest, newest);
    newest = 0;
  };
  for (Slot& slot : slots_.write_run(filling.slot, filling.count)) {
    const bool enters = mark_written(slot, filling.sequence + filling.done, written_of(filling, filling.done));
    if (enters && is_newest(slot.since)) {
      ++newest;
    } else {
      enlist_newest();
      if (enters) enlist(filling.slot, filling.previous);
    }
    ++filling.done;
    filling.previous = filling.slot++;
  }
  enlist_newest();
  filling.count = 0;
  dirty_gauge_.set(dirty_);
  peak_dirty_ = std::max(peak_dirty_, dirty_);
  if (above(config_.high_mark)) draining_ = true;
  if (draining_ || above(config_.trickle_mark)) wake_worker();
}

/// FUA without a journal: past the cache, and what the cache held of the run is out of date.
Task<Status> WriteCache::write_through(LogicalRun run, DataSpan data, WriteOptions options) {
  auto lock = inner_locks_.exclusive(SectorRange::of(run));
  co_await lock;
  const Status status = co_await inner_.write(run, data, options);
  if (!ok(status)) co_return status;
  drop(run);
  wake_waiting();
  co_return Status::ok;
}

/// Of the sectors that were set aside each is tried once more; where that fails it is not durable, whatever a dump would save of it.
Task<Status> WriteCache::flush() {
  take_up();
  // What is in the journal is on the platters already.
  const std::uint64_t target = journal_ != nullptr ? 0 : sequence_;
  for (;;) {
    if (ended() && dirty_ != 0) co_return failure_;
    const Index oldest = lists_.front(dirty_list);
    if (oldest == DramLists::none || slots_.read(oldest).since >= target) break;
    flush_target_ = std::max(flush_target_, target);
    wake_worker();
    co_await progress_.change(LifePhase::cleaning);
  }
  if (stuck_ != 0) co_return Status::media_error;
  co_return co_await inner_.flush();
}

/// What the cache holds stays.
Task<Status> WriteCache::trim(LogicalRun run) {
  auto lock = inner_locks_.exclusive(SectorRange::of(run));
  co_await lock;
  co_return co_await inner_.trim(run);
}

/// What slots hold, and the journal, from which a boot may bring back more than that.
LogicalRun WriteCache::first_held(LogicalRun run) {
  if (journal_ != nullptr) return run;
  const LogicalRun held = inner_.first_held(run);
  const auto in_front = static_cast<std::uint32_t>(held.first - run.first);
  const Gap gap = gap_before({run.first, in_front});
  if (gap.slot == DramLists::none) return held;
  const LogicalSector first = run.first + gap.count;
  std::uint32_t count = 1;
  while (gap.count + count < in_front && find(first + count) != DramHashMap::none) ++count;
  return {first, count};
}

Task<Status> WriteCache::reset(LogicalRun zone) {
  auto lock = inner_locks_.exclusive(SectorRange::of(zone));
  co_await lock;
  const Status status = co_await inner_.reset(zone);
  if (!ok(status)) co_return status;
  drop(zone);
  wake_waiting();
  co_return Status::ok;
}

}  // namespace tessera
