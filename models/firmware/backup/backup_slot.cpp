#include "firmware/backup/backup_slot.hpp"

#include <algorithm>

#include "firmware/defects/lost_sectors.hpp"
#include "firmware/locks/range_locks.hpp"
#include "firmware/logs/header_scan.hpp"

namespace tessera {

BackupSlot::BackupSlot(MediaPort& media, const Place& place, RecordNumbers& numbers, DataBuffer staging)
    : media_(media), numbers_(numbers), layout_(place.layout), first_(place.first), ring_(place.sectors), staging_(std::move(staging)) {}

PhysicalRun BackupSlot::place(std::uint64_t position, std::uint32_t count) const {
  return layout_.piece({LogicalSector(first_ + position), static_cast<std::uint32_t>(std::min<std::uint64_t>(count, ring_ - position))});
}

/// The track behind the newest record.
BackupSlot::Extent BackupSlot::next_track() const {
  std::uint64_t start = 0;
  if (newest_.count != 0) {
    const std::uint64_t last = newest_.last(ring_);
    const PhysicalRun newest = place(last, 1);
    const std::uint32_t rest = media_.sectors_on(newest.track) - newest.first;
    start = (last + rest) % ring_;
  }
  return {start, media_.sectors_on(place(start, 1).track)};
}

/// What fits on one track goes half a turn away from `angle`, where the head has just been and must be again: the way there and the
/// way back then have half a turn each. Where slipped defects have made the region's tracks too short for a record that begins with
/// a track, it begins behind the newest one.
BackupSlot::Extent BackupSlot::next_extent(std::uint32_t sectors, std::uint64_t angle) const {
  const Extent track = next_track();
  if (sectors < track.count) {
    const auto opposite = static_cast<std::uint32_t>(((angle + full_turn / 2) % full_turn * track.count) >> 32);
    return {track.start + std::min(opposite, track.count - sectors), sectors};
  }
  const Extent extent{track.start, sectors};
  return overwrites_newest(extent) ? Extent{(newest_.last(ring_) + 1) % ring_, sectors} : extent;
}

bool BackupSlot::overwrites_newest(const Extent& extent) const {
  if (newest_.count == 0) return false;
  const std::uint64_t to_newest = (newest_.start + ring_ - extent.start) % ring_;
  const std::uint64_t from_newest = (extent.start + ring_ - newest_.start) % ring_;
  return to_newest < extent.count || from_newest < newest_.count;
}

Task<Status> BackupSlot::make_room(std::uint32_t sectors) {
  if (ring_ == 0) co_return Status::ok;
  TESSERA_CHECK(sectors < ring_, "a backup slot is too small");
  const Extent track = next_track();
  if (!overwrites_newest({track.start, std::max(track.count, sectors)})) co_return Status::ok;
  co_return co_await void_record();
}

void BackupSlot::add_steps(MediaChain& chain, const PhysicalRun& target, const Neighbours& saved) {
  if (ring_ == 0) return;
  next_number_ = numbers_.next();
  next_ = next_extent(saved.sectors(), angle_of(target.first, media_.sectors_on(target.track)));
  next_described_ = saved;
  TESSERA_CHECK(!overwrites_newest(next_), "a backup would overwrite the newest record");
  headers_.clear();
  for (std::uint32_t i = 0; i < next_.count; ++i)
    headers_.push_back(encode({RecordType::backup, next_number_, next_.count, backup_payload(i, target, saved)}));
  for (std::uint32_t done = 0; done < next_.count;) {
    MediaStep step;
    step.op = MediaOp::write;
    step.hint = done == 0 ? StepHint::backup_round_trip : StepHint::position;
    step.run = place((next_.start + done) % ring_, next_.count - done);
    step.data = staging_.part(done, step.run.count);
    step.headers = std::span(headers_).subspan(done, step.run.count);
    chain.add(step);
    done += step.run.count;
  }
}

void BackupSlot::commit() {
  if (ring_ == 0) return;
  number_ = next_number_;
  newest_ = next_;
  described_ = next_described_;
  sectors_written_ += newest_.count;
}

/// Runs may wrap.
bool BackupSlot::describes(std::span<const PhysicalRun> runs) const {
  for (std::uint32_t i = 0; i < described_.count; ++i) {
    const PhysicalRun& saved = described_.runs[i];
    for (const PhysicalRun& run : runs) {
      if (saved.track == run.track && share_sectors(saved, run, media_.sectors_on(run.track))) return true;
    }
  }
  return false;
}

/// By its last sector; where that cannot be written, by any other, as nothing of the slot is needed any more.
Task<Status> BackupSlot::void_record() {
  const std::uint64_t last = newest_.last(ring_);
  const std::uint64_t number = numbers_.next();
  SectorHeader header = encode({RecordType::voided, number, 1, {}});
  Status status = Status::ok;
  for (std::uint64_t tried = 0; tried < ring_; ++tried) {
    const std::uint64_t position = (last + tried) % ring_;
    const PhysicalRun sector = place(position, 1);
    MediaChain chain(MediaClass::dependent);
    chain.write(sector, {}, StepHint::position, &header);
    status = co_await media_.run(chain);
    if (!ok(status)) continue;
    number_ = number;
    newest_ = {position, 1};
    described_ = {};
    ++voids_;
    ++sectors_written_;
    break;
  }
  co_return status;
}

/// What can be read of the saved runs needs no restoring (BackupRegion::recover() says why). What comes from neither place is looked at
/// again, and nothing is written where nothing came.
Task<Status> BackupSlot::restore() {
  if (described_.count == 0) co_return Status::ok;
  const DataSpan all = staged(described_.sectors());
  for (std::uint32_t i = 0; i < all.count; ++i) staging_.mark_lost(i);
  std::uint32_t came_back = all.count;
  for (std::uint32_t look = 0; look < most_looks && staging_.any_lost(0, all.count); ++look) {
    for (std::uint32_t i = 0; i < described_.count; ++i) {
      const Status status = co_await read_lost(media_, described_.runs[i], staged(described_, i));
      if (!ok(status)) co_return status;
    }
    const Status filled = co_await fill_in(came_back);
    if (!ok(filled)) co_return filled;
  }
  // Of a record that a cut left incomplete nothing comes back, as the target was not written yet: nothing may be rewritten either, since
  // another cut in the middle of that would destroy what is saved nowhere.
  std::uint32_t first = 0;
  while (first < described_.count && described_.sectors_before(first + 1) <= came_back) ++first;
  // In the order in which they were saved: a rewrite may destroy the runs behind it. Where one is not there or cannot be written the
  // record stays, and the drive can be read.
  bool whole = !staging_.any_lost(0, all.count);
  for (std::uint32_t i = first; i < described_.count; ++i) {
    const Status status = co_await write_present(media_, described_.runs[i], staged(described_, i));
    whole = whole && ok(status);
  }
  if (whole) static_cast<void>(co_await void_record());
  co_return Status::ok;
}

/// The newest record is known by any of its sectors that can be read. One sector alone may void it, and that one may need many reads; so
/// what cannot be read is looked at again, but for the sectors of the newest record itself that its void does not take.
Task<void> BackupSlot::find_newest() {
  HeaderScan scan(media_);
  std::vector<std::uint64_t> unknown;
  std::uint32_t looks = HeaderScan::most_looks_again;
  std::uint32_t count = 0;
  for (std::uint64_t begin = 0; begin < ring_; begin += count) {
    count = co_await scan.read(layout_, first_ + begin, first_ + ring_);
    for (std::uint32_t i = 0; i < count; ++i) {
      if (scan.unknown(i)) unknown.push_back(begin + i);
      note(begin + i, scan.record(i));
    }
  }
  for (const std::uint64_t position : unknown) {
    const bool inside = newest_.count > 1 && (position + ring_ - newest_.start) % ring_ + 1 < newest_.count;
    if (!inside) note(position, co_await scan.look_again(place(position, 1), looks));
  }
  numbers_.found(number_);
}

/// What the sector at `position` says, if it is newer than what was found so far.
void BackupSlot::note(std::uint64_t position, const std::optional<LogRecord>& record) {
  if (!record || record->sequence <= number_) return;
  const bool in_force = record->type == RecordType::backup;
  number_ = record->sequence;
  newest_ = {(position + ring_ - (in_force ? index_in_backup(*record) : 0)) % ring_, record->length};
  described_ = in_force ? saved_in_backup(*record) : Neighbours{};
}

/// The lost sectors of the described runs, as the newest record has them. `came_back`: the first of those that it has.
Task<Status> BackupSlot::fill_in(std::uint32_t& came_back) {
  const DataSpan all = staged(newest_.count);
  for (Stretch lost = next_stretch(all, {}, true); lost.count != 0; lost = next_stretch(all, lost, true)) {
    const Status status = co_await read_back(lost.first, all.part(lost.first, lost.count));
    if (!ok(status)) co_return status;
    for (std::uint32_t i = lost.first; i < lost.first + lost.count && came_back > i; ++i)
      if (!staging_.is_lost(i)) came_back = i;
  }
  co_return Status::ok;
}

/// Sectors of the newest record from `first` on; one that cannot be read, or was not written when a cut came, stays lost.
Task<Status> BackupSlot::read_back(std::uint32_t first, DataSpan data) {
  for (std::uint32_t done = 0; done < data.count;) {
    MediaStep step;
    step.run = place((newest_.start + first + done) % ring_, data.count - done);
    step.data = data.part(done, step.run.count);
    headers_.assign(step.run.count, SectorHeader{});
    step.headers = headers_;
    MediaChain chain(MediaClass::host, LostSectors::carry);
    chain.add(step);
    const Status status = co_await media_.run(chain);
    if (!ok(status)) co_return status;
    for (std::uint32_t i = 0; i < step.run.count; ++i) {
      const std::optional<LogRecord> record = decode(headers_[i]);
      const bool saved = record && record->sequence == number_ && index_in_backup(*record) == first + done + i;
      if (!saved) step.data.buffer->mark_lost(step.data.first + i);
    }
    done += step.run.count;
  }
  co_return Status::ok;
}

}  // namespace tessera
