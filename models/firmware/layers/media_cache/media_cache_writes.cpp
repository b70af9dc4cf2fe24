// Writes: how they share packets, and which go to their band directly.
#include "firmware/layers/media_cache/media_cache_layer.hpp"

#include <algorithm>

namespace tessera::media_cache {

Task<Status> MediaCache::write(LogicalRun run, DataSpan data, WriteOptions options) {
  const MediaClass priority = options.background ? MediaClass::background : MediaClass::host;
  for (std::uint32_t done = 0; done < run.count;) {
    Pending pending;
    pending.run = bands_.piece({run.first + done, run.count - done});
    pending.data = data.part(done, pending.run.count);
    pending.priority = priority;
    pending.alone = options.tag != no_host_tag;
    const Status status = co_await carry_out(pending);
    if (!ok(status)) co_return status;
    done += pending.run.count;
  }
  co_return Status::ok;
}

/// Until all of it is on the platter. Whoever finds something to do and a place among the leaders leads.
Task<Status> MediaCache::carry_out(Pending& pending) {
  queue_.push_back(&pending);
  while (!pending.complete()) {
    if (leaders_ == most_leaders || !work_waits()) {
      co_await progress_.change(LifePhase::lock);
      continue;
    }
    ++leaders_;
    co_await lead();
    --leaders_;
    progress_.wake_all();
  }
  co_return pending.status;
}

bool MediaCache::work_waits() const {
  return std::ranges::any_of(
      queue_, [this](const Pending* pending) { return !streaming_ || bands_.band_of(pending->run.first).number != *streaming_; });
}

/// Takes what waits longest.
Task<void> MediaCache::lead() {
  std::optional<FifoMutex::Lock> use;
  for (;;) {
    const Status room = co_await make_room();
    if (!ok(room)) {
      fail_all(room);
      co_return;
    }
    use.emplace(log_use_, SamePlace{}, LockMode::shared);
    FifoMutex::Lock& shared = *use;
    co_await shared;
    if (has_room()) break;
    use.reset();
  }
  const auto front = std::ranges::find_if(
      queue_, [this](const Pending* pending) { return !streaming_ || bands_.band_of(pending->run.first).number != *streaming_; });
  if (front == queue_.end()) co_return;
  if (!streaming_ && select_stream(**front)) {
    co_await write_stream();
    co_return;
  }
  Batch batch = select_batch(**front);
  co_await write_packet(batch);
}

/// The next `count` sectors of it go on their way.
MediaCache::Part MediaCache::begin(Pending& pending, std::uint32_t count) {
  const Part part{&pending, {pending.next(), count}, pending.data.part(pending.begun, count)};
  pending.begun += count;
  if (pending.left() == 0) std::erase(queue_, &pending);
  bands_.use(bands_.band_of(part.run.first), part.run.end());
  return part;
}

/// Whether so much lies side by side behind all that its band holds that it goes there: up to the last track that it fills, so that the
/// next part begins with one and no turn is lost.
bool MediaCache::select_stream(Pending& front) {
  if (stream_sectors_ == 0) return false;
  const Band band = bands_.band_of(front.next());
  const LogicalSector first = front.next();
  if (first < bands_.used_end(band)) return false;
  std::uint32_t length = front.left();
  for (auto next = queue_.begin(); next != queue_.end() && first + length < band.end();) {
    const bool follows = (*next)->next() == first + length && *next != &front;
    length += follows ? (*next)->left() : 0;
    next = follows ? queue_.begin() : next + 1;
  }
  if (length < stream_sectors_ && first != stream_end_) return false;
  length = std::min(length, buffer_.sectors());
  const auto offset = static_cast<std::uint32_t>(first - band.first);
  const std::uint32_t track_end = (offset + length) / band.track_sectors * band.track_sectors;
  if (offset + length != band.sectors && track_end > offset) length = track_end - offset;

  streaming_ = band.number;
  stream_.band = band;
  stream_.run = {first, length};
  stream_.parts.clear();
  for (LogicalSector at = first; at < stream_.run.end();) {
    const auto next = std::ranges::find_if(queue_, [at](const Pending* pending) { return pending->next() == at; });
    const Part part = begin(**next, static_cast<std::uint32_t>(std::min<std::uint64_t>((*next)->left(), stream_.run.end() - at)));
    stream_.parts.push_back(part);
    at = part.run.end();
  }
  stream_end_ = stream_.run.end();
  return true;
}

/// One write, or so many small ones as share a packet; of a long one as much as a packet takes.
MediaCache::Batch MediaCache::select_batch(Pending& front) {
  Batch batch;
  if (front.begun == 0) ++writes_since_;
  const std::uint32_t share = packet_sectors_ / config_.packet_writes;
  const bool shares = !front.alone && front.run.count <= share;
  writes_ += front.begun == 0 ? 1 : 0;
  batch.parts[batch.count++] = begin(front, std::min(front.left(), packet_sectors_));
  for (std::size_t i = 0; shares && i < queue_.size() && batch.count < config_.packet_writes;) {
    Pending& next = *queue_[i];
    const bool fits =
        !next.alone && next.begun == 0 && next.run.count <= share && (!streaming_ || bands_.band_of(next.run.first).number != *streaming_);
    if (!fits) {
      ++i;
      continue;
    }
    ++writes_;
    batch.parts[batch.count++] = begin(next, next.run.count);
  }
  return batch;
}

Task<void> MediaCache::write_packet(Batch& batch) {
  extents_since_ += 2 * batch.count;
  Packet packet;
  packet.count = batch.count;
  packet.priority = batch.parts[0].pending->priority;
  for (std::uint32_t i = 0; i < batch.count; ++i) packet.runs[i] = {batch.parts[i].run, batch.parts[i].data};
  const bool alone = batch.parts[0].pending->alone;
  packet.sectors = std::max(packet.data_sectors() + 1, alone ? least_packet_ : 0);
  packet.position = log_.take(packet.sectors);
  on_their_way_.push_back(packet.position);
  packet.tail = tail();

  std::array<std::optional<NumberLocks::Lock>, Packet::most_runs> locks;
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    locks[i].emplace(writers_, NumberRange::of(bands_.band_of(batch.parts[i].run.first).number), LockMode::shared);
    NumberLocks::Lock& lock = *locks[i];
    co_await lock;
  }
  Status status = co_await log_.write(packet);
  if (ok(status) && alone && config_.verify_packets) status = co_await log_.verify(packet);
  std::erase(on_their_way_, packet.position);
  if (ok(status)) {
    durable_tail_ = std::max(durable_tail_, packet.tail);
    std::uint64_t position = packet.position;
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      enter({batch.parts[i].run.first, position, batch.parts[i].run.count});
      position += batch.parts[i].run.count;
    }
    ++packets_;
    shared_packets_ += batch.count > 1 ? 1 : 0;
  } else {
    hole_ = true;
  }
  show_levels();
  if (!cached_.empty()) cached_.wake_all();
  end(std::span(batch.parts).first(batch.count), status);
}

/// A band's copy in the merge area must not come back over what is written behind it.
Task<void> MediaCache::write_stream() {
  const Band band = stream_.band;
  auto lock = writers_.exclusive(NumberRange::of(band.number));
  co_await lock;
  auto use = buffer_use_.exclusive({});
  co_await use;
  Status status = Status::ok;
  const std::optional<LogicalRun> image = merge_area_.image();
  if (image && bands_.band_of(image->first).number == band.number) status = co_await merge_area_.make_void();
  if (ok(status)) {
    std::uint32_t copied = 0;
    for (const Part& part : stream_.parts) {
      ports_.memory.copy(part.data, buffer_.part(copied, part.run.count));
      copied += part.run.count;
    }
    const DataSpan data = buffer_.part(0, copied);
    const MediaClass priority = stream_.parts.front().pending->priority;
    status = co_await bands_.transfer(MediaOp::write, stream_.run, data, priority, LostSectors::fail);
    if (ok(status)) streamed_ += copied;
  }
  end(stream_.parts, status);
  streaming_.reset();
}

void MediaCache::end(std::span<const Part> parts, Status status) {
  for (const Part& part : parts) {
    part.pending->done += part.run.count;
    if (!ok(status)) {
      part.pending->status = status;
      std::erase(queue_, part.pending);
    }
  }
}

/// Nothing can be cleaned, or the map cannot be written down: nobody who waits gets anything.
void MediaCache::fail_all(Status status) {
  for (Pending* const pending : queue_) pending->status = status;
  queue_.clear();
}

}  // namespace tessera::media_cache
