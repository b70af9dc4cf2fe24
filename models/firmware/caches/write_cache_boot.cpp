// The write cache's boot: the directory as it was dumped, or the journal's data in slots again.
#include <algorithm>

#include "firmware/caches/write_cache.hpp"

namespace tessera {

/// Lists and index from the directory: at the first boot from an empty one, after a cut from the dumped one.
void WriteCache::rebuild() {
  std::vector<std::pair<std::uint64_t, Index>> unwritten;  // by age
  for (Index index = 0; index < slots_count_; ++index) {
    Slot& slot = slots_.peek(index);
    if (holds_unwritten(slot)) {
      slot.state = SlotState::dirty;
      unwritten.emplace_back(slot.since, index);
      in_part_ += in_part(slot.held) ? 1 : 0;
    } else {
      slot.state = SlotState::free;
      slot.held = {};
      lists_.push_back(free_list, index);
    }
  }
  std::ranges::sort(unwritten);
  for (const auto& [since, index] : unwritten) {
    const Slot& slot = slots_.read(index);
    index_.insert(slot.lsn, index);
    groups_.add({LogicalSector(slot.lsn), 1});
    inner_.restored({LogicalSector(slot.lsn), 1});
    lists_.push_back(dirty_list, index);
    sequence_ = std::max(sequence_, slot.newest + 1);
    newest_since_ = since;
    lost_at_boot_ += any_lost(buffer_->part(index, 1)) ? 1 : 0;
  }
  dirty_ = peak_dirty_ = unwritten.size();
  dirty_gauge_.set(dirty_);
}

Task<Status> WriteCache::format() {
  const Status inner = co_await inner_.format();
  if (!ok(inner)) co_return inner;
  rebuild();
  if (journal_ == nullptr) co_return Status::ok;
  co_return co_await journal_->format();
}

Task<Status> WriteCache::recover() {
  const Status inner = co_await inner_.recover();
  if (!ok(inner)) co_return inner;
  rebuild();
  if (journal_ == nullptr) co_return Status::ok;
  const Status replayed = co_await replay();
  if (!ok(replayed)) co_return replayed;
  if (dirty_ != 0 && !journal_->in_doubt()) co_return Status::ok;  // the records of what did not get home stay
  const Status begun = dirty_ != 0 ? co_await journal_->renew() : co_await journal_->format();
  if (!ok(begun)) end(begun);  // no record can follow
  co_return Status::ok;
}

/// Puts the journalled data into slots, as it lay in them before the power went; the journal holds no more than they take. It goes home
/// when the cache destages, so that a boot takes as long as reading the journal: records that follow one another are read at once.
Task<Status> WriteCache::replay() {
  std::vector<Journal::Record> records;
  const Status found = co_await journal_->recover(records);
  if (!ok(found)) co_return found;
  for (auto first = records.begin(); first != records.end();) {
    std::uint32_t count = first->sectors();
    auto end = first + 1;
    while (end != records.end() && end->sequence == first->sequence + count && count + end->sectors() <= largest_)
      count += (end++)->sectors();
    const std::span<const Journal::Record> together(first, end);
    const Status status = count <= largest_ ? co_await replay(together, count) : co_await replay(*first);
    if (!ok(status)) co_return status;
    first = end;
  }
  co_return Status::ok;
}

Task<Status> WriteCache::replay(std::span<const Journal::Record> records, std::uint32_t count) {
  const Staged staging(*this, count);
  const DataSpan data = staging.part(0, count);
  const Status read = co_await journal_->read_run(records.front().sequence, data);
  if (!ok(read)) co_return read;
  std::uint32_t done = 0;
  for (const Journal::Record& record : records) {
    const DataSpan last = data.part(done + record.run.count - 1, 1);
    if (any_lost(last)) ports_.memory.copy(data.part(done + record.run.count, 1), last);
    const DataSpan part = data.part(done, record.run.count);
    const Filling filling{part, record.sequence};
    const Status kept = co_await fill(record.run, filling);
    if (!ok(kept)) co_return kept;
    done += record.sectors();
  }
  co_return Status::ok;
}

std::vector<ReadDoubt> WriteCache::in_doubt() const {
  std::vector<ReadDoubt> doubts;
  if (journal_ == nullptr) return doubts;
  for (const Journal::Unread& unread : journal_->unread())
    doubts.push_back(
        {{HostBlock(unread.sector.value() * all_blocks_.count), all_blocks_.count}, {{unread.place.track, unread.place.index, 1}}});
  return doubts;
}

/// A record that is longer than the staging buffer.
Task<Status> WriteCache::replay(const Journal::Record& record) {
  for (std::uint32_t done = 0; done < record.run.count;) {
    const std::uint32_t count = std::min(record.run.count - done, largest_);
    const Staged staging(*this, count);
    const DataSpan data = staging.part(0, count);
    const Status read = co_await journal_->read(record, done, data);
    if (!ok(read)) co_return read;
    const LogicalRun part{record.run.first + done, count};
    const Filling filling{data, record.sequence + done};
    const Status kept = co_await fill(part, filling);
    if (!ok(kept)) co_return kept;
    done += count;
  }
  co_return Status::ok;
}

}  // namespace tessera
