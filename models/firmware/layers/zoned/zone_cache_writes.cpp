// The zones' write cache: which zone is written, when, and how much of it.
#include <algorithm>

#include "firmware/layers/zoned/zone_cache.hpp"
#include "firmware/locks/idle_look.hpp"

namespace tessera::zoned {

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

}  // namespace tessera::zoned
