// The zones' write cache: what is in it, what the host asks of it, and how it is written.
#include "firmware/layers/zoned/zone_cache.hpp"

#include <algorithm>

#include "firmware/locks/idle_look.hpp"

namespace tessera::zoned {

namespace {

constexpr std::uint32_t most_segment = 64;    // sectors, ours: a write of 256 KiB
constexpr std::uint32_t least_segments = 16;  // ours, where the cache has as many sectors

std::uint32_t sectors_of(Bytes bytes, const MemoryPort& memory) {
  return static_cast<std::uint32_t>(bytes.value() / memory.shape().sector_bytes);
}

}  // namespace

ZoneCache::ZoneCache(const Ports& ports, const ZonedConfig& config, const BandLayout& layout, ZoneStates& states, ZoneLedger& ledger,
                     ZoneWriter& writer)
    : ports_(ports),
      layout_(layout),
      states_(states),
      ledger_(ledger),
      writer_(writer),
      idle_after_(config.cache_idle_after),
      segment_sectors_(std::clamp<std::uint32_t>(sectors_of(config.write_cache, ports.memory) / least_segments, 1, most_segment)),
      free_(sectors_of(config.write_cache, ports.memory) / segment_sectors_),
      most_(std::max<std::uint32_t>(1, free_ * segment_sectors_ / 2)),
      gathered_(std::clamp<std::uint32_t>(sectors_of(config.cache_run, ports.memory), 1, most_)),
      buffer_(ports.memory.reserve_buffer(MemoryCategory::write_cache, free_ * segment_sectors_, "write cache of the zones")),
      segments_(ports.memory, MemoryCategory::metadata, free_, "segments of the zones' write cache"),
      segment_of_(ports.memory, MemoryCategory::metadata, free_, "index of the zones' write cache"),
      free_segments_(ports.memory, MemoryCategory::metadata, free_, 1, "free segments of the zones' write cache"),
      entries_(ports.memory, MemoryCategory::metadata, free_, "zones with data in the write cache"),
      entry_of_(ports.memory, MemoryCategory::metadata, free_, "index of zones with data in the write cache"),
      lists_(ports.memory, MemoryCategory::metadata, free_, lists, "lists of zones with data in the write cache"),
      writers_(ports.cpu),
      progress_(ports.cpu),
      activity_(ports.cpu),
      logging_(ports.cpu),
      sectors_gauge_(ports.cpu, {"zones.cached", "1", "sectors in the zones' write cache that are not on the platters yet"}, 0) {
  free_segments_.push_back_chain(0, 0, free_);
  lists_.push_back_chain(free_list, 0, free_);
  for (std::uint32_t worker = 0; worker < config.cache_depth; ++worker) work_.emplace_back(ports.cpu);
}

// --- Segments and zones ---

std::uint64_t ZoneCache::key(std::uint32_t zone, std::uint32_t sector) const {
  return std::uint64_t{zone} << 32 | sector / segment_sectors_;
}

ZoneCache::Index ZoneCache::find(std::uint32_t zone) {
  ports_.cpu.hash();
  return entry_of_.find(zone);
}

std::uint32_t ZoneCache::entered(std::uint32_t zone) {
  const Index index = find(zone);
  return index == DramHashMap::none ? states_.peek(zone).written : entries_.read(index).entered;
}

/// Sectors from `first` on that lie side by side, at most `most`; all of them are here.
DataSpan ZoneCache::together(std::uint32_t zone, std::uint32_t first, std::uint32_t most) {
  ports_.cpu.hash();
  const Index segment = segment_of_.find(key(zone, first));
  const std::uint32_t in_segment = first % segment_sectors_;
  std::uint32_t count = std::min(most, segment_sectors_ - in_segment);
  for (Index next = segment; count < most; count += std::min(most - count, segment_sectors_)) {
    ports_.cpu.hash();
    if (segment_of_.find(key(zone, first + count)) != ++next) break;
  }
  return buffer_.part(segment * segment_sectors_ + in_segment, count);
}

/// The one after that of the sectors before, if it is to be had: a stream lies side by side.
ZoneCache::Index ZoneCache::take_segment(std::uint32_t zone, std::uint32_t first) {
  if (free_ == 0) return DramLists::none;
  Index segment = DramLists::none;
  if (first >= segment_sectors_) {
    ports_.cpu.hash();
    const Index before = segment_of_.find(key(zone, first - segment_sectors_));
    if (before != DramHashMap::none && before + 1 < segments_.size() && segments_.read(before + 1) == 0) segment = before + 1;
  }
  if (segment == DramLists::none) segment = free_segments_.front(0);
  free_segments_.remove(segment);
  segments_.write(segment) = 1;
  segment_of_.insert(key(zone, first), segment);
  --free_;
  ++used_;
  return segment;
}

/// Room for sectors of a zone from `first` on, at most `most`, in one segment; none where there is none.
DataSpan ZoneCache::take(std::uint32_t zone, std::uint32_t first, std::uint32_t most) {
  ports_.cpu.hash();
  Index segment = segment_of_.find(key(zone, first));
  if (segment == DramHashMap::none) segment = take_segment(zone, first);
  if (segment == DramLists::none) return {};
  const std::uint32_t in_segment = first % segment_sectors_;
  return buffer_.part(segment * segment_sectors_ + in_segment, std::min(most, segment_sectors_ - in_segment));
}

/// Sectors [first, end) of the zone are of no use here any more; nothing after `end` is, where it ends in the midst of a segment.
void ZoneCache::give_back(std::uint32_t zone, std::uint32_t first, std::uint32_t end) {
  for (std::uint32_t at = first / segment_sectors_ * segment_sectors_; at < end; at += segment_sectors_) {
    ports_.cpu.hash();
    const Index segment = segment_of_.find(key(zone, at));
    segment_of_.erase(key(zone, at));
    segments_.write(segment) = 0;
    free_segments_.push_back(0, segment);
    ++free_;
    --used_;
  }
}

ZoneCache::Index ZoneCache::entry_for(std::uint32_t zone) {
  const Index found = find(zone);
  if (found != DramHashMap::none) return found;
  const Index index = lists_.front(free_list);
  lists_.remove(index);
  entries_.write(index) = {.zone = zone, .entered = states_.peek(zone).written};
  entry_of_.insert(zone, index);
  activity_.wake_all();
  return index;
}

void ZoneCache::note_entered(Index index, std::uint32_t entered) {
  Entry& entry = entries_.write(index);
  sectors_ += entered - entry.entered;
  sectors_gauge_.set(sectors_);
  entry.entered = entered;
  enlist(index);
}

/// In the list where it belongs now, at its end unless it is there.
void ZoneCache::enlist(Index index) {
  Entry& entry = entries_.write(index);
  if (entry.busy != 0 || entry.held != 0 || fails(index)) return;
  const std::uint32_t written = states_.peek(entry.zone).written;
  const List list = entry.urged > written || entry.entered - written >= gathered_ ? due_list : gathering_list;
  if (entry.listed != list) {
    take_out(index);
    lists_.push_back(list, index);
    entry.listed = list;
  }
  if (list == due_list || short_of_room()) wake_worker();
}

void ZoneCache::take_out(Index index) {
  if (entries_.peek(index).listed == 0) return;
  lists_.remove(index);
  entries_.write(index).listed = 0;
}

void ZoneCache::drop_empty(Index index) {
  take_out(index);
  entry_of_.erase(entries_.peek(index).zone);
  entries_.write(index) = {};
  lists_.push_back(free_list, index);
}

// --- Writes ---

Task<Status> ZoneCache::write(std::uint32_t zone, std::uint32_t first, DataSpan data, bool durable) {
  const ZoneState& state = states_.state(zone);
  if (static_cast<Condition>(state.condition) == Condition::read_only) co_return co_await failure_of(zone);
  if (data.count > state.accepted - std::min(first, state.accepted)) co_return Status::unaligned_write;
  if (entered(zone) != first) {
    Early own{zone, first};
    early_.push_back(&own);
    while (own.waits) {
      Turn turn{ports_.cpu, own.wait, LifePhase::lock};
      co_await turn;
    }
    if (!ok(own.status)) co_return own.status;
  }
  const std::uint32_t resets = states_.peek(zone).resets;
  const Status status = co_await enter(zone, first, data);
  if (!ok(status)) {
    end_early(zone, first, status);
    co_return status;
  }
  wake_early(zone, first + data.count);
  if (!durable) co_return Status::ok;
  const Target target{zone, resets, first + data.count};
  urge(zone);
  co_await wait_for(target);
  if (states_.condition(zone) == Condition::read_only) co_return co_await failure_of(zone);
  co_return Status::ok;
}

/// Of a zone that is read only. Where something of it is stuck here, the write in hand may have brought a part of that: no mere refusal.
Task<Status> ZoneCache::failure_of(std::uint32_t zone) {
  while (is_busy(zone)) co_await progress_.change(LifePhase::lock);
  const Index index = find(zone);
  co_return index != DramHashMap::none&& fails(index) ? static_cast<Status>(entries_.peek(index).failure) : Status::zone_read_only;
}

/// Those that wait for data in front of theirs go on one by one.
Task<Status> ZoneCache::enter(std::uint32_t zone, std::uint32_t first, DataSpan data) {
  std::uint64_t place = 0;  // among the writers that wait
  for (std::uint32_t done = 0; done < data.count;) {
    if (states_.condition(zone) == Condition::read_only) co_return co_await failure_of(zone);
    const DataSpan rest = data.part(done, data.count - done);
    const DataSpan room = take(zone, first + done, rest.count);
    if (room.count != 0) {
      ports_.memory.copy(rest.part(0, room.count), room);
      done += room.count;
      note_entered(entry_for(zone), first + done);
      continue;
    }
    if (full_of_failures()) {
      past_ += rest.count;
      co_return co_await writer_.write(zone, first + done, rest);
    }
    ++room_waits_;
    wake_worker();
    co_await writers_.room((rest.count + segment_sectors_ - 1) / segment_sectors_, LifePhase::cleaning, place);
  }
  if (place != 0) wake_writers();  // it may have needed less than was kept for it
  co_return Status::ok;
}

void ZoneCache::wake_early(std::uint32_t zone, std::uint32_t first) {
  ports_.cpu.scan(early_.size());
  const auto next = std::ranges::find_if(early_, [&](const Early* early) { return early->zone == zone && early->first == first; });
  if (next == early_.end()) return;
  Early& early = **next;
  early_.erase(next);
  early.waits = false;
  ports_.cpu.make_ready(early.wait);
}

void ZoneCache::end_early(std::uint32_t zone, std::uint32_t from, Status status) {
  std::erase_if(early_, [&](Early* early) {
    if (early->zone != zone || early->first < from) return false;
    early->status = status;
    early->waits = false;
    ports_.cpu.make_ready(early->wait);
    return true;
  });
}

void ZoneCache::drop(std::uint32_t zone, std::uint32_t from) {
  end_early(zone, from, Status::unaligned_write);
  writer_.drop(zone, from);
}

/// Segments may have become free: as many go on as find some.
void ZoneCache::wake_writers() {
  std::uint32_t room = free_;
  writers_.wake([&](std::uint32_t segments) {
    const bool has_room = room != 0 || full_of_failures();
    room -= std::min(room, segments);
    return has_room;
  });
}

// --- Reads ---

void ZoneCache::read(std::uint32_t zone, std::uint32_t first, DataSpan data) {
  for (std::uint32_t done = 0; done < data.count;) {
    const DataSpan here = together(zone, first + done, data.count - done);
    ports_.memory.copy(here, data.part(done, here.count));
    done += here.count;
  }
  read_hits_ += data.count;
}

// --- What manages zones ---

void ZoneCache::urge(std::uint32_t zone) {
  const Index index = find(zone);
  if (index == DramHashMap::none || fails(index)) return;
  Entry& entry = entries_.write(index);
  entry.urged = entry.entered;
  enlist(index);
}

Task<void> ZoneCache::settle(std::uint32_t zone) {
  urge(zone);
  const Target all{zone, states_.peek(zone).resets, entered(zone)};
  co_await wait_for(all);
}

Task<void> ZoneCache::hold(std::uint32_t zone) {
  for (Index index = find(zone); index != DramHashMap::none; index = find(zone)) {
    entries_.write(index).held = 1;
    take_out(index);
    if (entries_.peek(index).busy == 0) co_return;
    co_await progress_.change(LifePhase::lock);
  }
}

void ZoneCache::release(std::uint32_t zone) {
  const Index index = find(zone);
  if (index == DramHashMap::none) return;
  entries_.write(index).held = 0;
  enlist(index);
}

void ZoneCache::forget(std::uint32_t zone) {
  const Index index = find(zone);
  if (index == DramHashMap::none) return;
  const std::uint32_t written = states_.peek(zone).written;
  const std::uint32_t end = entries_.read(index).entered;
  give_back(zone, written, end);
  sectors_gauge_.set(sectors_ -= end - written);
  drop_empty(index);
  wake_writers();
  progress_.wake_all();
}

bool ZoneCache::is_busy(std::uint32_t zone) {
  const Index index = find(zone);
  return index != DramHashMap::none && entries_.read(index).busy != 0;
}

/// A zone that was reset since, or has become read only, is waited for no longer; but for its last chain, which says what is stuck here.
bool ZoneCache::is_over(const Target& target) {
  const ZoneState& state = states_.state(target.zone);
  if (state.resets != target.resets || state.written >= target.end) return true;
  return static_cast<Condition>(state.condition) == Condition::read_only && !is_busy(target.zone);
}

Task<void> ZoneCache::wait_for(Target target) {
  while (!is_over(target)) co_await progress_.change(LifePhase::cleaning);
}

Task<Status> ZoneCache::flush() {
  std::vector<Target> targets;
  for (Index index = 0; index < entries_.size() && targets.size() < entry_of_.size(); ++index) {
    const Entry& entry = entries_.peek(index);
    if (entry.entered == 0) continue;
    targets.push_back({entry.zone, states_.peek(entry.zone).resets, entry.entered});
    urge(entry.zone);
  }
  for (const Target& target : targets) co_await wait_for(target);
  co_return pinned_ == 0 ? Status::ok : failure_;
}

// --- Which zone is written, when, and how much of it ---

void ZoneCache::start_background() {
  for (std::uint32_t worker = 0; worker < work_.size(); ++worker) ports_.cpu.spawn(write_loop(worker), "write_zones");
  ports_.cpu.spawn(watch_idle(), "watch_idle");
}

bool ZoneCache::host_idle() const {
  return ports_.host.outstanding() == 0 && ports_.cpu.now() >= ports_.host.last_activity() + idle_after_;
}

/// The zone that is due for longest. Where room is short or the host idle, one that has as much as others have: one that was just written
/// gathers more first, as long as some other is on its way.
ZoneCache::Index ZoneCache::next() {
  const Index due = lists_.front(due_list);
  if (due != DramLists::none || !(short_of_room() || host_idle())) return due;
  const Index oldest = lists_.front(gathering_list);
  for (Index index = oldest; index != DramLists::none; index = lists_.after(index)) {
    const Entry& entry = entries_.read(index);
    if (2 * entry_of_.size() * (entry.entered - states_.state(entry.zone).written) >= sectors_) return index;
  }
  return under_way_ == 0 ? oldest : DramLists::none;
}

void ZoneCache::wake_worker() {
  if (asleep_.empty()) return;
  WaitQueue& worker = work_[asleep_.back()];
  asleep_.pop_back();
  worker.wake_all();
}

Task<void> ZoneCache::write_loop(std::uint32_t worker) {
  for (;;) {
    const Index index = next();
    if (index == DramLists::none) {
      asleep_.push_back(worker);
      co_await work_[worker].change(LifePhase::cpu_wait);
      continue;
    }
    take_out(index);
    entries_.write(index).busy = 1;
    ++under_way_;
    if (next() != DramLists::none) wake_worker();
    co_await write_out(index);
  }
}

/// Wakes the workers once the host has been idle for long enough.
Task<void> ZoneCache::watch_idle() {
  IdleLooks looks(idle_after_);
  for (;;) {
    if (used_ == pinned_) {
      co_await activity_.change(LifePhase::cpu_wait);
      continue;
    }
    if (host_idle()) wake_worker();
    const Picoseconds look_again = looks.next(ports_.host.last_activity(), ports_.cpu.now());
    co_await ports_.cpu.sleep_until(look_again);
  }
}

/// The log knows of an active zone before anything is written to it.
Task<void> ZoneCache::write_out(Index index) {
  const std::uint32_t zone = entries_.peek(index).zone;
  const std::uint32_t before = states_.state(zone).written;
  Status status = Status::ok;
  if (states_.state(zone).logged == 0) status = co_await log_active(zone);
  if (ok(status))
    status = co_await write_chain(index);
  else
    states_.fail(zone);
  --under_way_;
  Entry& entry = entries_.write(index);
  entry.busy = 0;
  const std::uint32_t written = states_.state(zone).written;
  const bool all = written == entry.entered;
  give_back(zone, before, all ? written : written / segment_sectors_ * segment_sectors_);
  sectors_gauge_.set(sectors_ -= written - before);
  if (!ok(status))
    fail(index, status);
  else if (all)
    drop_empty(index);
  else
    enlist(index);
  wake_writers();
  progress_.wake_all();
}

/// What is not on the platters stays here.
void ZoneCache::fail(Index index, Status status) {
  Entry& entry = entries_.write(index);
  const std::uint32_t written = states_.peek(entry.zone).written;
  const std::uint32_t zone = entry.zone;
  failure_ = status;
  end_early(zone, 0, status);
  if (entry.entered == written) return drop_empty(index);
  entry.failure = static_cast<std::uint32_t>(status);
  pinned_ += (entry.entered - 1) / segment_sectors_ - written / segment_sectors_ + 1;
}

/// One record for all zones that have data here and that the log does not know of.
Task<Status> ZoneCache::log_active(std::uint32_t zone) {
  auto turn = logging_.exclusive({});
  co_await turn;
  if (states_.state(zone).logged != 0) co_return Status::ok;
  std::vector<ZoneLedger::Began> began{{zone, states_.peek(zone).resets}};
  for (const List list : {due_list, gathering_list}) {
    for (Index index = lists_.front(list); index != DramLists::none && began.size() < ledger_.most_together();
         index = lists_.after(index)) {
      const std::uint32_t other = entries_.read(index).zone;
      if (states_.state(other).logged == 0) began.push_back({other, states_.peek(other).resets});
    }
  }
  ports_.cpu.charge(CpuOperation::record_word, record_words(began.size() * sizeof(ZoneLedger::Began)));
  const Status status = co_await ledger_.append_active(began);
  if (!ok(status)) co_return status;
  ++records_;
  for (const ZoneLedger::Began& one : began)
    if (states_.peek(one.zone).resets == one.resets) states_.set_logged(one.zone);
  co_return Status::ok;
}

/// While other zones wait, as much as makes a zone due. Otherwise as much as there is, and what is left of its last track waits for more,
/// unless somebody waits for it: the next chain then begins with a whole track.
ZoneCache::Run ZoneCache::next_run(const Entry& entry, std::uint32_t written) {
  const std::uint32_t all = entry.entered - written;
  const bool alone = under_way_ == 1 && next() == DramLists::none;
  if (!alone) return {std::min(all, gathered_), false};
  return {std::min(all, most_), entry.urged <= written};
}

Task<Status> ZoneCache::write_chain(Index index) {
  const Entry& entry = entries_.read(index);
  const std::uint32_t zone = entry.zone;
  const std::uint32_t before = states_.state(zone).written;
  const Run run = next_run(entry, before);
  const bool awaited = entry.urged > before || short_of_room();
  MediaChain chain(awaited ? MediaClass::host : MediaClass::background);
  ZoneWriter::Marks marks;
  bool new_track = false;
  for (std::uint32_t next = before, end = before + run.most; next < end && chain.steps().size() < MediaChain::max_steps;) {
    const std::uint32_t track_end = next + layout_.locate(zone, next, states_.zone_sectors() - next).count;
    if (run.whole_tracks && new_track && track_end > end) break;
    const DataSpan data = together(zone, next, std::min(end, track_end) - next);
    next += writer_.add_step(chain, marks, zone, next, data);
    new_track = next == track_end;
  }
  const Status status = co_await ports_.media.run(chain);
  co_return co_await writer_.end_chain(zone, marks.written(chain, before), status);
}

// --- Figures ---

void ZoneCache::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* description) {
    metrics.count(name, static_cast<double>(value), unit, description);
  };
  count("zones.cache.room_waits", room_waits_, "1", "times that a write waited for room in the zones' write cache");
  count("zones.cache.read_hits", read_hits_, "sectors", "sectors read from the zones' write cache");
  count("zones.cache.records", records_, "1", "records in the log of zones that began to be written, several of them in each");
  count("zones.cache.past", past_, "sectors",
        "sectors written past the zones' write cache, which held nothing but data that cannot be written");
}

}  // namespace tessera::zoned
