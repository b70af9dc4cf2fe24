// Room in map and log: checkpoints and cleaning.
#include "firmware/layers/lap_timer.hpp"
#include "firmware/layers/media_cache/media_cache_layer.hpp"

#include <algorithm>

namespace tessera::media_cache {

/// Nothing in front of this is needed any more.
std::uint64_t MediaCache::tail() const {
  std::uint64_t tail = std::min(map_.logged() == 0 ? log_.head() : map_.oldest().position, merging_from_);
  for (const std::uint64_t position : on_their_way_) tail = std::min(tail, position);
  return tail;
}

/// Room in the map for so many runs, beside all that packets on their way may take, each of whose runs takes two entries at most. Where
/// merges give room step by step those are counted, too: each has its own.
std::int64_t MediaCache::entries_left() const {
  const std::int64_t used = map_.size() + 2 * most_leaders * Packet::most_runs - 1;
  return std::int64_t{map_limit_} + entries_.given() - used - (config_.stepwise() ? runs_now_ : 0);
}

/// With so much left that packets on their way can say how far the tail has come before their space is needed.
std::int64_t MediaCache::log_left() const {
  const std::uint64_t used = log_.head() + 2 * most_leaders * std::uint64_t{log_.most_sectors()} - tail();
  return static_cast<std::int64_t>(log_.sectors() - log_room_.reserve()) + log_room_.given() - static_cast<std::int64_t>(used);
}

/// After so many writes; or where a boot would find too much, or space is to be used again that the platters still count as needed.
bool MediaCache::checkpoint_due() const {
  return hole_ || shares_since_ >= std::uint64_t{config_.checkpoint_every} * config_.packet_writes ||
         extents_since_ + 2 * most_leaders * Packet::most_runs > config_.map_slack() || wraps_round();
}

/// The next packet would reach what a boot from the last checkpoint needs.
bool MediaCache::wraps_round_to(std::uint64_t kept_from) const { return log_.head() + log_.most_sectors() - kept_from > log_.sectors(); }

Task<Status> MediaCache::make_room() {
  while (!has_room()) {
    if (!cleanable()) forgive_room();
    const bool full = map_full() || log_full();
    if (full && !cleanable()) {  // packets on their way hold all of the log that is in use
      ++finding_nothing_;
      co_await progress_.change(LifePhase::lock);
      --finding_nothing_;
      continue;
    }
    const Status status = !full                ? co_await checkpoint()
                          : config_.stepwise() ? co_await await_step()
                                               : co_await clean(MediaClass::dependent);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

Task<Status> MediaCache::checkpoint() {
  const std::uint64_t before = checkpoints_.count();
  auto lock = log_use_.exclusive({});
  co_await lock;
  if (checkpoints_.count() != before) co_return Status::ok;  // somebody else's
  const Picoseconds begun = ports_.cpu.now();
  ports_.cpu.event({"checkpoint", FirmwareEvent::Edge::begin, checkpoints_.count(), map_.size()});
  const MapCheckpoint::Log log{log_.head(), tail(), images_done_};
  const std::uint32_t extents = map_.size();
  const Status status = co_await checkpoint_.write(log);
  ports_.cpu.event({"checkpoint", FirmwareEvent::Edge::end, checkpoints_.count(), extents});
  if (!ok(status)) {
    hole_ = true;  // a boot may find either: no packet may follow before one is whole
    co_return status;
  }
  checkpoints_.record(ports_.cpu.now() - begun);
  durable_tail_ = log.tail;
  shares_since_ = 0;
  extents_since_ = extents - std::min(extents, map_limit_ + reserve_);
  hole_ = false;
  co_return Status::ok;
}

/// The bands of what lies longest in the log, unless that stays there.
Task<Status> MediaCache::clean(MediaClass priority) {
  const std::uint64_t before = turns_;
  if (config_.clean_mark < 100 && priority != MediaClass::background) cleaning_class_ = priority;
  auto turn = cleaning_.exclusive({});
  co_await turn;
  if (turns_ != before || !cleanable()) co_return Status::ok;
  cleaning_now_ = true;
  cleaning_class_ = priority;
  Status status = Status::ok;
  if (map_.logged() != 0 && stays(map_.oldest())) {
    const std::uint64_t moves = moves_;
    ports_.cpu.event({"move", FirmwareEvent::Edge::begin, moves, map_.size()});
    status = co_await move_oldest();
    ports_.cpu.event({"move", FirmwareEvent::Edge::end, moves, map_.size()});
    if (!ok(status) || moves_ != moves) {
      ++turns_;
      cleaning_now_ = false;
      co_return status;
    }
  }
  const Picoseconds begun = ports_.cpu.now();
  ports_.cpu.event({"clean", FirmwareEvent::Edge::begin, 0, map_.size()});
  dirty_bands_.record(map_.cached_bands());
  for (std::uint32_t i = 0; ok(status) && i < config_.bands_a_cleaning && cleanable(); ++i) {
    if (i > 0 && map_.logged() != 0 && stays(map_.oldest())) break;
    const Band band = bands_.band(policy_.choose(shown_));
    status = co_await clean_band(band, cleaning_class_);
  }
  ports_.cpu.event({"clean", FirmwareEvent::Edge::end, 0, map_.size()});
  cleanings_.record(ports_.cpu.now() - begun);
  ++turns_;
  cleaning_now_ = false;
  co_return status;
}

/// Merged part by part. Back in its place: from the first track with a cached sector to the end, as a part that is written destroys the
/// track behind it, and first as a copy in the merge area. To a spare band: all of it, once. Writes to the band get in between the steps,
/// where there are any: they go to the log, and stay there.
Task<Status> MediaCache::clean_band(Band band, const MediaClass& priority) {
  auto use = buffer_use_.exclusive({});
  co_await use;
  std::optional<NumberLocks::Lock> held;
  NumberLocks::Lock& lock = held.emplace(writers_, NumberRange::of(band.number), LockMode::exclusive);
  co_await lock;
  extents_.clear();
  const LogicalRun whole{band.first, band.sectors};
  map_.find(band.number, whole, extents_);
  if (extents_.empty()) co_return Status::ok;
  const Picoseconds begun = ports_.cpu.now();
  ports_.cpu.event({"rmw", FirmwareEvent::Edge::begin, band.number, extents_.size()});
  Merge merge{.band = band};
  MergeTimes times;
  Status status = select_merge(merge);
  if (ok(status) && zones_ != nullptr) status = co_await zones_->before_merge(whole);
  const std::uint64_t tail_before = tail();
  std::uint32_t freed = 0;
  if (config_.stepwise()) {
    for (const Extent& extent : extents_)
      if (!extent.hole) merging_from_ = std::min(merging_from_, extent.position);
    expect_merge(merge);
    step_begun_ = begun;
    held.reset();
  }
  if (ok(status)) {
    const bool by_phase = by_phases(merge);
    status = by_phase ? co_await merge_phases(merge, false, priority, times) : co_await merge_whole(merge, priority, times);
  }
  if (ok(status) && config_.stepwise()) freed = forget_merged(merge);
  if (ok(status) && !config_.stepwise()) {
    if (map_.holes() == 0)
      map_.clear(band.number);
    else
      static_cast<void>(forget_merged(merge));
  }
  if (ok(status) && zones_ != nullptr) zones_->freed(whole);
  // Where holes at its end were written over, no hole hides what its next place holds there.
  if (ok(status) && zones_ == nullptr && !trimmed_bands_.empty()) bands_.use(band, merge.run.end());
  merging_from_ = ~std::uint64_t{0};
  ports_.cpu.event({"rmw", FirmwareEvent::Edge::end, band.number, merge.run.count});
  if (!ok(status) && (!trimmed_bands_.empty() || finding_nothing_ != 0)) progress_.wake_all();
  if (ok(status)) {
    band_cleanings_.record(ports_.cpu.now() - begun);
    merge_times_ += times;
  }
  if (ok(status) && config_.stepwise()) {
    entries_.settle(freed, times.sum());
    log_room_.settle(tail() - tail_before, times.sum());
    co_await let_in();
  }
  show_levels();
  co_return status;
}

/// Of the band whose cached extents are in extents_. In place each sector is written twice. Holes are written over with nothing where they
/// are in the way, or where there is nothing else.
Status MediaCache::select_merge(Merge& merge) {
  if (!ok(unfinished_)) return unfinished_;
  const Band& band = merge.band;
  const auto logged = std::ranges::find(extents_, false, &Extent::hole);
  const Extent& first = logged != extents_.end() ? *logged : extents_.front();
  const LogicalSector end = logged != extents_.end() ? held_end(band) : written_end(band);
  const auto first_dirty = static_cast<std::uint32_t>(first.first - band.first);
  const std::uint32_t offset = first_dirty / band.track_sectors * band.track_sectors;
  merge.run = {band.first + offset, static_cast<std::uint32_t>(end - band.first) - offset};
  if (!bands_.to_spare()) return Status::ok;
  LogicalRun all = bands_.to_write_of_spare(band);
  all.count = std::max(all.count, static_cast<std::uint32_t>(end - band.first));
  merge.to_spare = !merge_area_ || all.count <= 2 * merge.run.count;
  if (!merge.to_spare) return bands_.places_status();
  merge.run = all;
  bands_.begin_spare(band, all);
  return bands_.places_status();
}

/// All of it as a copy, then all of it to where it goes.
Task<Status> MediaCache::merge_whole(const Merge& merge, const MediaClass& priority, MergeTimes& times) {
  const Status copied = co_await write_copy(merge, priority, times);
  if (!ok(copied)) co_return copied;
  auto no_reads = readers_.exclusive(NumberRange::of(merge.band.number));
  co_await no_reads;
  co_return co_await take_copy(merge, priority, times);
}

/// The merged band, part by part, beside the one that counts. Reads come in while packets are collected, and between the phases; with a
/// spare band all the time.
Task<Status> MediaCache::write_copy(const Merge& merge, const MediaClass& priority, MergeTimes& times) {
  const LogicalRun& run = merge.run;
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun part{run.first + done, std::min(phase_sectors(merge.band), run.count - done)};
    const DataSpan data = buffer_.part(0, part.count);
    ++phases_;
    LapTimer timer(ports_.cpu);
    Status status = co_await read_band(merge.band, part, data, priority);
    if (!ok(status)) co_return status;
    if (zones_ != nullptr) clear_destroyed(part.first, data);
    times.band_read += timer.lap();
    status = co_await collect(part, 0, priority, times);
    if (!ok(status)) co_return status;
    status = co_await write_part(merge, part, priority, times);
    if (!ok(status)) co_return status;
    done += part.count;
    if (config_.stepwise()) co_await let_in();
  }
  if (merge.to_spare) co_return Status::ok;
  LapTimer timer(ports_.cpu);
  const Status status = co_await merge_area_->complete(run, priority);
  times.copy += timer.lap();
  co_return status;
}

/// What is in the buffer.
Task<Status> MediaCache::write_part(const Merge& merge, LogicalRun part, const MediaClass& priority, MergeTimes& times) {
  const DataSpan data = buffer_.part(0, part.count);
  if (merge.to_spare) {
    LapTimer timer(ports_.cpu);
    const Status status = co_await bands_.write_spare(part, data, priority);
    times.band_write += timer.lap();
    co_return status;
  }
  auto no_reads = readers_.exclusive(NumberRange::of(merge.band.number));
  co_await no_reads;
  LapTimer timer(ports_.cpu);
  const auto done = static_cast<std::uint32_t>(part.first - merge.run.first);
  const Status status = co_await merge_area_->write(done, data, priority);
  times.copy += timer.lap();
  co_return status;
}

/// The merged band is complete, and is to be the one that counts. An image in the merge area must not come back over what went to a spare
/// band since.
Task<Status> MediaCache::take_copy(const Merge& merge, const MediaClass& priority, MergeTimes& times) {
  if (!merge.to_spare) co_return co_await write_home(merge.band, merge.run, priority, times);
  if (has_image(merge.band)) {
    const Status status = co_await merge_area_->make_void();
    if (!ok(status)) co_return status;
  }
  const LogicalSector written = written_end(merge.band);
  const Status status = co_await bands_.move_to_spare(merge.band, merge.run, written);
  band_moves_ += ok(status) ? 1 : 0;
  co_return status;
}

/// The cached sectors of `run` into the buffer, in the order in which they lie in the log; or one after the other by their address, as many
/// as a step takes.
Task<Status> MediaCache::collect(LogicalRun run, std::uint32_t at, const MediaClass& priority, MergeTimes& times) {
  select_collected(run, at);
  collected_extents_ += collected_.size();
  if (config_.collect_order == CollectOrder::log) {
    LapTimer timer(ports_.cpu);
    const Status status = co_await read_collected(priority);
    times.log_read += timer.lap();
    co_return status;
  }
  const std::vector<Collected> all = std::move(collected_);
  Picoseconds step;
  for (const Collected& one : all) {
    collected_.assign(1, one);
    LapTimer timer(ports_.cpu);
    const Status status = co_await read_collected(priority);
    if (!ok(status)) co_return status;
    const Picoseconds worked = timer.lap();
    times.log_read += worked;
    step += worked;
    if (!config_.stepwise() || step < config_.merge_step) continue;
    co_await let_in();
    step = {};
  }
  co_return Status::ok;
}

/// Of `run`, which begins at sector `at` of the buffer. Of holes there is nothing to collect.
void MediaCache::select_collected(LogicalRun run, std::uint32_t at) {
  collected_.clear();
  for (const Extent& extent : extents_) {
    const LogicalSector first = std::max(extent.first, run.first);
    const LogicalSector end = std::min(extent.end(), run.end());
    if (first >= end) continue;
    if (extent.hole) {
      const auto count = static_cast<std::uint32_t>(end - first);
      ports_.memory.clear(buffer_.part(at + static_cast<std::uint32_t>(first - run.first), count));
      continue;
    }
    const Extent part{first, extent.position + (first - extent.first), static_cast<std::uint32_t>(end - first)};
    collected_.push_back({part, at + static_cast<std::uint32_t>(first - run.first)});
  }
  if (config_.collect_order == CollectOrder::log)
    std::ranges::sort(collected_, {}, [](const Collected& one) { return one.extent.position; });
}

Task<Status> MediaCache::read_collected(const MediaClass& priority) {
  MediaChain chain(priority, LostSectors::carry);
  std::size_t next = 0;
  for (std::uint32_t done = 0; next < collected_.size();) {
    chain.clear();
    while (next < collected_.size() && chain.steps().size() < MediaChain::max_steps) {
      const auto& [extent, at] = collected_[next];
      const PhysicalRun place = log_.place(extent.position + done, extent.count - done);
      chain.read(place, buffer_.part(at + done, place.count));
      done += place.count;
      if (done < extent.count) continue;
      done = 0;
      ++next;
    }
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// Whole tracks, where the buffer holds one: they are read and written from whatever sector comes first.
std::uint32_t MediaCache::phase_sectors(const Band& band) const {
  return buffer_.sectors() < band.track_sectors ? buffer_.sectors() : buffer_.sectors() / band.track_sectors * band.track_sectors;
}

/// What one phase merged is still in the buffer; of several the copy is read again, as all of it had to be written first.
/// A phase that could not be written keeps no later one from it: its writes have destroyed what they reached all the same.
Task<Status> MediaCache::write_home(const Band& band, LogicalRun run, const MediaClass& priority, MergeTimes& times) {
  Status written = Status::ok;
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun part{run.first + done, std::min(phase_sectors(band), run.count - done)};
    const DataSpan data = buffer_.part(0, part.count);
    LapTimer timer(ports_.cpu);
    if (part.count != run.count) {
      const Status read = co_await merge_area_->read(done, data, priority);
      if (!ok(read)) co_return read;
    }
    times.copy += timer.lap();
    const Status status = co_await bands_.transfer(MediaOp::write, part, data, priority, LostSectors::carry);
    if (ok(written)) written = status;
    times.band_write += timer.lap();
    done += part.count;
  }
  if (ok(written)) images_done_ = merge_area_->newest();
  co_return written;
}

// --- When the host is idle ---

void MediaCache::start_background() {
  if (policy_.cleans_ahead()) ports_.cpu.spawn(clean_when_idle(), "idle_clean");
}

bool MediaCache::used_above(std::uint32_t percent) const {
  if (map_.logged() == 0) return false;
  return std::uint64_t{map_.logged()} * 100 > std::uint64_t{map_limit_} * percent ||
         (log_.head() - tail()) * 100 > log_.sectors() * percent;
}

Task<void> MediaCache::clean_when_idle() {
  while (!idle_failed_) {
    const Picoseconds when = map_.logged() == 0 ? CleaningPolicy::never : policy_.when(shown_);
    if (when == CleaningPolicy::never) {
      co_await cached_.change(LifePhase::cpu_wait);
      continue;
    }
    if (when > ports_.cpu.now()) {
      co_await ports_.cpu.sleep_until(when);
      continue;
    }
    const std::uint64_t before = cleanings_.count();
    const Picoseconds begun = ports_.cpu.now();
    const Status status = co_await clean(MediaClass::background);
    idle_cleanings_ += cleanings_.count() - before;
    idle_failed_ = !ok(status);
    if (config_.idle_period.value() != 0) co_await ports_.cpu.sleep_until(std::max(ports_.cpu.now(), begun + config_.idle_period));
  }
}

// --- When it is not ---

void MediaCache::begin_cleaning_ahead() {
  const bool wanted = log_used_ * 100 > log_.sectors() * config_.clean_mark ||
                      std::uint64_t{map_.logged()} * 100 > std::uint64_t{map_limit_} * config_.clean_mark;
  if (!wanted || cleaning_ahead_ || ahead_failed_) return;
  cleaning_ahead_ = true;
  ports_.cpu.spawn(clean_ahead(), "clean_ahead");
}

/// Behind the host's commands, so that nobody has to wait for several cleanings in a row.
Task<void> MediaCache::clean_ahead() {
  while (!ahead_failed_ && used_above(config_.clean_mark)) {
    const Status status = co_await clean(MediaClass::background);
    ahead_failed_ = !ok(status);
  }
  cleaning_ahead_ = false;
}

}  // namespace tessera::media_cache
