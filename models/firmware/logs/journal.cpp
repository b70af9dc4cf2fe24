#include "firmware/logs/journal.hpp"

#include <algorithm>

#include "firmware/logs/header_scan.hpp"

namespace tessera {

namespace {
PhysicalRun sector_of(const ConventionalLayout& layout, std::uint64_t position) { return layout.piece({LogicalSector(position), 1}); }
}  // namespace

Journal::Journal(const Ports& ports, const DriveGeometry& geometry, const FormatPlan& regions, std::uint64_t most)
    : media_(ports.media),
      layout_(geometry, regions, ports.media, ConventionalLayout::Reserve::none),
      superblock_(ports.media, {sector_of(layout_, 0), sector_of(layout_, 1), sector_of(layout_, 2), sector_of(layout_, 3)}),
      space_(ports.cpu),
      capacity_(std::min(layout_.sectors() - superblocks, most)) {
  TESSERA_CHECK(layout_.sectors() >= least_sectors && most >= 2, "a journal region is too small");
}

Journal::Pin::~Pin() {
  if (journal_ != nullptr) journal_->detach(*this);
}

void Journal::attach(Pin& pin) {
  pin.journal_ = this;
  pin.older_ = newest_;
  (newest_ != nullptr ? newest_->newer_ : oldest_) = &pin;
  newest_ = &pin;
}

void Journal::detach(Pin& pin) {
  (pin.older_ != nullptr ? pin.older_->newer_ : oldest_) = pin.newer_;
  (pin.newer_ != nullptr ? pin.newer_->older_ : newest_) = pin.older_;
}

PhysicalRun Journal::place(std::uint64_t sequence, std::uint32_t count) const {
  const std::uint64_t position = sequence % capacity_;
  const auto unwrapped = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, capacity_ - position));
  return layout_.piece({LogicalSector(superblocks + position), unwrapped});
}

Task<Status> Journal::write_start(std::uint64_t start) {
  const std::uint64_t era = era_ + (in_doubt_ ? 1 : 0);
  const Superblock::Payload payload{start, era, in_doubt_ ? head_ : era_begin_};
  const Status status = co_await superblock_.write(payload);
  ++sectors_written_;
  if (!ok(status)) co_return status;
  start_ = released_ = start;
  era_ = era;
  era_begin_ = payload[2];
  in_doubt_ = false;
  co_return Status::ok;
}

void Journal::release_before(std::uint64_t sequence) {
  if (oldest_ != nullptr) sequence = std::min(sequence, oldest_->sequence_);
  if (sequence <= released_) return;
  released_ = sequence;
  space_.wake_all();
}

void Journal::end_releases() {
  releases_ended_ = true;
  space_.wake_all();
}

Task<Status> Journal::make_space(std::uint32_t sectors) {
  while (head_ + sectors - start_ > capacity_) {
    if (released_ == start_ || moving_start_) {
      if (releases_ended_ && !moving_start_) co_return Status::read_only;
      co_await space_.change(LifePhase::cleaning);
      continue;
    }
    moving_start_ = true;
    const std::uint64_t start = released_;
    const Superblock::Payload payload{start, era_, era_begin_};
    const Status status = co_await superblock_.write(payload);
    moving_start_ = false;
    ++sectors_written_;
    if (ok(status)) start_ = start;
    space_.wake_all();
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

Task<Status> Journal::append(LogicalRun run, DataSpan data, Pin& pin) {
  TESSERA_CHECK(run.count < capacity_, "a record is too long for its journal");
  const Status space = co_await make_space(run.count + 1);
  if (!ok(space)) co_return space;
  pin.sequence_ = head_;
  attach(pin);
  head_ += run.count + 1;
  const auto headers = headers_.take();
  headers->assign(run.count, encode({pin.sequence_, run, last_, era_}));
  std::shift_right(last_.begin(), last_.end(), 1);
  last_.front() = run;
  for (std::uint32_t done = 0; done < run.count;) {
    MediaStep step;
    step.op = MediaOp::write;
    step.run = place(pin.sequence_ + done, run.count - done);
    step.data = data.part(done, step.run.count);
    step.headers = std::span(*headers).first(step.run.count);
    done += step.run.count;
    MediaChain chain(MediaClass::dependent);
    chain.add(step);
    if (done == run.count) chain.write(place(pin.sequence_ + done, 1), data.part(done - 1, 1), StepHint::position, &headers->front());
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
  }
  sectors_written_ += run.count + 1;
  co_return Status::ok;
}

Task<Status> Journal::recover(std::vector<Record>& records) {
  const Status loaded = co_await superblock_.load();
  if (!ok(loaded)) co_return loaded;
  start_ = released_ = head_ = superblock_.payload()[0];
  era_ = superblock_.payload()[1];
  era_begin_ = superblock_.payload()[2];
  FoundRecords found;
  UnknownPositions unknown;
  co_await find_records(found, unknown);
  if (untold(found, unknown)) co_return Status::corrupt;
  std::vector<Found> counted;
  for (const Found& record : found) {
    const std::uint64_t end = record.sequence + record.sectors.size();
    head_ = std::max(head_, end);  // behind what is torn, too, so that no number is used twice
    // The log may start inside a record: what is in front of that is home, and its place in use again.
    const std::uint64_t first = std::max(record.sequence, start_);
    if (first + 1 == end || !counts(record, unknown)) continue;
    records.push_back({first, {LogicalSector(record.first + (first - record.sequence)), static_cast<std::uint32_t>(end - 1 - first)}});
    note_unread(records.back(), record);
    counted.push_back(record);
  }
  last_ = {};
  std::uint64_t end = head_;
  for (std::size_t i = 0; i < last_.size() && i < counted.size(); ++i) {
    const Found& record = counted[counted.size() - 1 - i];
    if (record.sequence + record.sectors.size() != end) break;
    last_[i] = {LogicalSector(record.first), static_cast<std::uint32_t>(record.sectors.size() - 1)};
    end = record.sequence;
  }
  in_doubt_ = unknown.lower_bound(head_) != unknown.end();
  co_return Status::ok;
}

/// A track at a time, from the log's start on, so that records are met in the order of their numbers.
Task<void> Journal::find_records(FoundRecords& found, UnknownPositions& unknown) {
  const auto headers = headers_.take();
  std::vector<bool> unread;
  for (std::uint64_t position = start_; position < start_ + capacity_;) {
    MediaStep step;
    step.run = place(position, static_cast<std::uint32_t>(start_ + capacity_ - position));
    headers->assign(step.run.count, SectorHeader{});
    step.headers = *headers;
    co_await read_headers(media_, step, unread);
    for (std::uint32_t i = 0; i < step.run.count; ++i) {
      if (unread[i]) unknown.insert(position + i);
      if (const std::optional<JournalRecord> record = journal_record((*headers)[i])) note_header(*record, position + i, found);
    }
    position += step.run.count;
  }
}

/// By what was written in its place since a boot that could not read it.
bool Journal::voided(const JournalRecord& record) const { return record.sequence >= era_begin_ ? record.era != era_ : record.era >= era_; }

void Journal::note_header(const JournalRecord& record, std::uint64_t position, FoundRecords& found) const {
  if (voided(record)) return;
  const std::uint64_t sector = (position + capacity_ - record.sequence % capacity_) % capacity_;
  std::uint64_t sequence = record.sequence + sector;
  if (sector > record.run.count || sequence < start_ || sequence >= start_ + capacity_) return;  // of an earlier lap
  note_record(found, record.sequence, record.run.first.value(), record.run.count).sectors[sector] = 1;
  sequence = record.sequence;
  for (const LogicalRun& named : record.in_front) {
    if (named.count == 0 || sequence <= start_) return;
    sequence -= sectors_in_journal(named);
    note_record(found, sequence, named.first.value(), named.count);
  }
}

Journal::Found& Journal::note_record(FoundRecords& found, std::uint64_t sequence, std::uint64_t first, std::uint64_t length) {
  auto at = found.end();
  while (at != found.begin() && (at - 1)->sequence >= sequence) --at;
  if (at == found.end() || at->sequence != sequence) at = found.insert(at, {sequence, 0, {}});
  at->first = first;
  at->sectors.resize(length + 1);
  return *at;
}

bool Journal::counts(const Found& record, const UnknownPositions& unknown) const {
  for (std::uint64_t i = std::max(record.sequence, start_) - record.sequence; i < record.sectors.size(); ++i)
    if (record.sectors[i] == 0 && !unknown.contains(record.sequence + i)) return false;
  return true;
}

void Journal::note_unread(const Record& record, const Found& found) {
  const LogicalRun run = record.run;
  std::erase_if(unread_, [&run](const Unread& earlier) { return earlier.sector >= run.first && earlier.sector < run.end(); });
  const std::uint64_t skipped = record.sequence - found.sequence;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const bool copied = i + 1 == run.count && found.sectors.back() != 0;
    if (found.sectors[skipped + i] != 0 || copied) continue;
    const PhysicalRun at = place(record.sequence + i, 1);
    unread_.push_back({run.first + i, {at.track, at.first}});
  }
}

/// A record that was written to its end has its last sector right in front of the next one.
bool Journal::untold(const FoundRecords& found, const UnknownPositions& unknown) const {
  std::uint64_t told = start_;
  for (const Found& record : found) {
    if (record.sequence > told && unknown.contains(record.sequence - 1)) return true;
    told = std::max(told, record.sequence + record.sectors.size());
  }
  return false;
}

Task<Status> Journal::read(const Record& record, std::uint32_t done, DataSpan data) {
  const std::uint64_t end = record.sequence + done + data.count;
  const Status status = co_await read_run(end - data.count, data);
  const std::uint32_t last = data.count - 1;
  if (!ok(status) || done + data.count != record.run.count || !any_lost(data.part(last, 1))) co_return status;
  const DataSpan copied = data.part(last, 1);
  co_return co_await read_run(end, copied);
}

Task<Status> Journal::read_run(std::uint64_t sequence, DataSpan data) {
  for (std::uint32_t done = 0; done < data.count;) {
    const PhysicalRun piece = place(sequence + done, data.count - done);
    MediaChain chain(MediaClass::host, LostSectors::carry);
    chain.read(piece, data.part(done, piece.count));
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  co_return Status::ok;
}

}  // namespace tessera
