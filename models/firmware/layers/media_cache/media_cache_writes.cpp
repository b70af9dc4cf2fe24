// Writes: how they share packets, and which go to their band directly.
#include "firmware/layers/media_cache/media_cache_layer.hpp"

#include <algorithm>

namespace tessera::media_cache {

namespace {
constexpr std::uint32_t most_packets = 8;  // ours: one after the other, in which a write's packet is tried until it can be read back
}  // namespace

Task<Status> MediaCache::write(LogicalRun run, DataSpan data, WriteOptions options) {
  trims_.written(run);
  Pending pending;
  pending.run = run;
  pending.data = data;
  pending.priority = options.background ? MediaClass::background : MediaClass::host;
  pending.alone = options.tag != no_host_tag;
  pending.small = run.count <= packet_sectors_ / std::min<std::uint32_t>(config_.packet_writes, 2U) && bands_.piece(run) == run &&
                  (zones_ == nullptr || run.end() <= zones_->zone_end(run.first));
  co_return co_await carry_out(pending);
}

/// Until all of it is on the platter. Whoever finds something to do and a place among the leaders leads.
Task<Status> MediaCache::carry_out(Pending& pending) {
  queue_.push_back(&pending);
  while (!pending.complete()) {
    if (leaders_ == most_leaders || candidate(leaders_) == nullptr) {
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

/// What to begin next beside `others`, if anything: what waits longest. While a packet is on its way small writes gather until they fill
/// the next one, and while a stream is, what continues it until it fills a track; others let the stream pass, but not for ever.
MediaCache::Pending* MediaCache::candidate(std::uint32_t others) const {
  Pending* first_small = nullptr;
  std::uint32_t small = 0;
  std::uint32_t sectors = 0;
  const auto waited = [](const Pending* pending) { return pending->passed >= most_passing; };
  if (streams_now_ != 0 && std::ranges::any_of(queue_, waited)) return nullptr;
  for (Pending* const pending : queue_) {
    if (streams_now_ != 0 && pending->next() == stream_end_) {
      if (streams_now_ < most_leaders && stream_length(*pending) >= bands_.band_of(stream_end_).track_sectors) return pending;
    } else if (shares(*pending)) {
      if (first_small == nullptr) first_small = pending;
      sectors += pending->run.count;
      if (others == 0 || ++small == config_.packet_writes || sectors >= packet_sectors_) return first_small;
    } else if (streams_now_ == 0) {
      return pending;
    }
  }
  return nullptr;
}

/// Whether the write is one of those of which a packet takes several.
bool MediaCache::shares(const Pending& pending) const { return !pending.alone && pending.begun == 0 && pending.small; }

/// Waits until the log has room, which stays while `use` is held.
Task<Status> MediaCache::use_log(std::optional<FifoMutex::Lock>& use) {
  for (;;) {
    const Status room = co_await make_room();
    if (!ok(room)) co_return room;
    use.emplace(log_use_, SamePlace{}, LockMode::shared);
    FifoMutex::Lock& shared = *use;
    co_await shared;
    if (has_room()) co_return Status::ok;
    use.reset();
  }
}

Task<void> MediaCache::lead() {
  std::optional<FifoMutex::Lock> use;
  const Status room = co_await use_log(use);
  if (!ok(room)) {
    fail_all(room);
    co_return;
  }
  Pending* const front = candidate(leaders_ - 1);
  if (front == nullptr) co_return;
  if (const std::uint32_t length = stream_length(*front); length != 0) {
    const auto stream = streams_.take();
    select_stream(*front, length, *stream);
    const bool recorded = co_await write_stream(*stream);
    if (recorded) co_return;
    const Status status = co_await record_in_band(stream->run, use);
    end(stream->parts, status);
    co_return;
  }
  Batch batch = select_batch(*front);
  Status status = co_await write_packet(batch);
  if (batch.unread) {
    use.reset();
    status = co_await use_log(use);
    if (ok(status)) status = co_await write_packet(batch);
  }
  end(std::span(batch.parts).first(batch.count), status);
}

/// Further packets of a write that is alone at the drive, so that one follows another without a turn in between.
Task<void> MediaCache::lead_beside() {
  const Pending* next = nullptr;
  do {
    co_await lead();
    next = candidate(leaders_ - 1);
  } while (next != nullptr && next->alone);
  --leaders_;
  progress_.wake_all();
}

/// The next `count` sectors of it go on their way.
MediaCache::Part MediaCache::begin(Pending& pending, std::uint32_t count, WriteWay way) {
  const Part part{&pending, {pending.next(), count}, pending.data.part(pending.begun, count)};
  pending.begun += count;
  if (pending.left() == 0) std::erase(queue_, &pending);
  bands_.use(bands_.band_of(part.run.first), part.run.end());
  if (zones_ != nullptr) zones_->begun(part.run, way);
  return part;
}

/// How much goes to the band of `front` directly: nothing, unless enough lies side by side after all that the band holds, or it
/// continues the last stream; where the host sees zones, whatever continues its zone there. Up to the last track that it fills, so that the
/// next part begins with one and no turn is lost.
std::uint32_t MediaCache::stream_length(const Pending& front) const {
  const LogicalSector first = front.next();
  if (zones_ != nullptr ? !zones_->at_pointer(first) : stream_sectors_ == 0 || (front.alone && synced_share_ != 0)) return 0;
  const Band band = bands_.band_of(first);
  if (first < bands_.used_end(band)) return 0;
  const LogicalSector end = zones_ != nullptr ? std::min(band.end(), zones_->zone_end(first)) : band.end();
  std::uint32_t length = front.left();
  for (auto next = queue_.begin(); next != queue_.end() && first + length < end;) {
    const bool follows = (*next)->next() == first + length && *next != &front;
    length += follows ? (*next)->left() : 0;
    next = follows ? queue_.begin() : next + 1;
  }
  if (zones_ == nullptr && length < stream_sectors_ && first != stream_end_) return 0;
  length = std::min({length, buffer_.sectors() / most_leaders, static_cast<std::uint32_t>(end - first)});
  const auto offset = static_cast<std::uint32_t>(first - band.first);
  const std::uint32_t track_end = (offset + length) / band.track_sectors * band.track_sectors;
  return offset + length != band.sectors && track_end > offset ? track_end - offset : length;
}

void MediaCache::select_stream(const Pending& front, std::uint32_t length, Stream& stream) {
  stream.band = bands_.band_of(front.next());
  stream.run = {front.next(), length};
  stream.parts.clear();
  for (LogicalSector at = stream.run.first; at < stream.run.end();) {
    const auto next = std::ranges::find_if(queue_, [at](const Pending* pending) { return pending->next() == at; });
    const Part part =
        begin(**next, static_cast<std::uint32_t>(std::min<std::uint64_t>((*next)->left(), stream.run.end() - at)), WriteWay::band);
    stream.parts.push_back(part);
    at = part.run.end();
  }
  stream_end_ = stream.run.end();
  for (Pending* const pending : queue_) ++pending->passed;
}

/// One write, or so many small ones as share a packet; of a long one as much as a packet takes.
MediaCache::Batch MediaCache::select_batch(Pending& front) {
  Batch batch;
  const bool sharing = shares(front);
  const auto most = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(config_.stepwise() ? entries_left() : config_.packet_writes, 1, config_.packet_writes));
  if (front.begun == 0) {
    if (!sharing || !config_.checkpoint_shares) shares_since_ += config_.packet_writes;
    ++writes_;
  }
  std::uint32_t length = std::min(bands_.piece({front.next(), front.left()}).count, packet_sectors_);
  if (zones_ != nullptr)
    length = static_cast<std::uint32_t>(std::min<std::uint64_t>(length, zones_->zone_end(front.next()) - front.next()));
  batch.parts[batch.count++] = begin(front, length, WriteWay::log);
  std::uint32_t sectors = batch.parts[0].run.count;
  for (std::size_t i = 0; sharing && i < queue_.size() && batch.count < most;) {
    Pending& next = *queue_[i];
    const bool to_band = next.next() == stream_end_ || (zones_ != nullptr && stream_length(next) != 0);
    if (!shares(next) || to_band || sectors + next.run.count > packet_sectors_) {
      ++i;
      continue;
    }
    ++writes_;
    sectors += next.run.count;
    batch.parts[batch.count++] = begin(next, next.run.count, WriteWay::log);
  }
  if (sharing && config_.checkpoint_shares) shares_since_ += batch.count;
  return batch;
}

/// Each band once and in ascending order: a stream or a merge that waits for one alone stands between two shared locks of it.
Task<void> MediaCache::lock_bands(const Packet& packet, NumberLocks& of, LockMode mode, BandLocks& locks) {
  std::array<std::uint64_t, Packet::most_runs> bands{};
  for (std::uint32_t i = 0; i < packet.count; ++i) bands[i] = bands_.band_of(packet.runs[i].run.first).number;
  std::sort(bands.begin(), bands.begin() + packet.count);
  for (std::uint32_t i = 0; i < packet.count; ++i) {
    if (i != 0 && bands[i] == bands[i - 1]) continue;
    NumberLocks::Lock& lock = locks[i].emplace(of, NumberRange::of(bands[i]), mode);
    co_await lock;
  }
}

Task<Status> MediaCache::write_packet(Batch& batch) {
  extents_since_ += 2 * batch.count;
  runs_now_ += batch.count;
  batch.unread = false;
  Packet packet;
  packet.count = batch.count;
  packet.priority = batch.parts[0].pending->priority;
  for (std::uint32_t i = 0; i < batch.count; ++i) packet.runs[i] = {batch.parts[i].run, batch.parts[i].data};
  const bool alone = batch.parts[0].pending->alone;
  packet.sectors = std::max(packet.data_sectors() + 1, alone ? least_packet_ : 0);
  const bool last = batch.parts[0].pending->left() == 0;
  if (alone && last) packet.sectors = std::min(packet.sectors + synced_share_, log_.most_sectors());
  log_.take(packet, checkpoint_.generation());
  on_their_way_.push_back(packet.position);
  packet.tail = tail();
  if (alone && !last && synced_share_ != 0 && leaders_ < most_leaders) {
    ++leaders_;
    ports_.cpu.spawn(lead_beside(), "packet");
  }

  BandLocks locks;
  co_await lock_bands(packet, writers_, LockMode::shared, locks);
  Status status = co_await log_.write(packet);
  if (ok(status) && alone && config_.verify_packets) {
    status = co_await log_.verify(packet);
    // The sectors are bad, the data is still here.
    for (std::uint32_t again = 0; status == Status::media_error && again < most_packets && another_fits(); ++again) {
      std::erase(on_their_way_, packet.position);
      log_.take(packet, checkpoint_.generation());
      on_their_way_.push_back(packet.position);
      status = co_await log_.write(packet);
      if (ok(status)) status = co_await log_.verify(packet);
    }
    batch.unread = status == Status::media_error && !another_fits();
  }
  std::erase(on_their_way_, packet.position);
  runs_now_ -= batch.count;
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
  if (config_.clean_mark < 100) begin_cleaning_ahead();
  co_return status;
}

/// While one stream is written the next is gathered in the other half of the buffer. Those of one band keep the order in which they were
/// selected, as the later one lies behind the track that the earlier one destroys: both may find the buffer free at the same instant. A
/// band's copy in the merge area must not come back over what is written behind it. Whether the stream is over: where the band was trimmed
/// a boot has to be told first that it holds this.
Task<bool> MediaCache::write_stream(const Stream& stream) {
  ++streams_now_;
  if (config_.stepwise()) progress_.wake_all();  // a merge that lets writes in need not wait for this one
  auto order = stream_order_.exclusive({});
  co_await order;
  auto use = buffer_use_.shared({});
  co_await use;
  auto lock = writers_.exclusive(NumberRange::of(stream.band.number));
  const std::uint32_t half = half_in_use_[0] ? 1 : 0;
  half_in_use_[half] = true;
  std::uint32_t copied = 0;
  const DataSpan data = buffer_.part(half * (buffer_.sectors() / most_leaders), stream.run.count);
  for (const Part& part : stream.parts) {
    ports_.memory.copy(part.data, data.part(copied, part.run.count));
    copied += part.run.count;
  }
  co_await lock;
  std::optional<NumberLocks::Lock> zone;
  if (zones_ != nullptr) {
    NumberLocks::Lock& alone = zone.emplace(zone_writes_, NumberRange::of(zones_->zone_end(stream.run.first).value()), LockMode::exclusive);
    co_await alone;
  }
  order.unlock();
  Status status = Status::ok;
  if (has_image(stream.band) && ok(unfinished_))
    status = co_await merge_area_->make_void();
  else if (has_image(stream.band))
    status = unfinished_;
  const MediaClass priority = stream.parts.front().pending->priority;
  if (ok(status) && zones_ != nullptr)
    status = co_await write_marked(stream.run, data, priority);
  else if (ok(status))
    status = co_await bands_.transfer(MediaOp::write, stream.run, data, priority, LostSectors::carry);
  half_in_use_[half] = false;
  --streams_now_;
  streamed_ += copied;
  ++stream_writes_;
  if (ok(status) && zones_ == nullptr && trimmed_bands_.contains(stream.band.first)) {
    map_.erase(stream.band.number, stream.run);
    co_return false;
  }
  end(stream.parts, status);
  co_return true;
}

/// Whether a boot would write the newest image of the merge area to this band.
bool MediaCache::has_image(const Band& band) const {
  const std::optional<LogicalRun> image = merge_area_ ? merge_area_->image() : std::nullopt;
  return image && bands_.band_of(image->first).number == band.number;
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
