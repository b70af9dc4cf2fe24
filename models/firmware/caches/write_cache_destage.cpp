// Write cache: which dirty sectors go to the inner layer, and when.
#include "firmware/caches/write_cache.hpp"
#include "firmware/locks/idle_look.hpp"

namespace tessera {

namespace {
constexpr std::uint64_t journal_high_mark = 75;          // % of the log in use, as the cache's own high mark
constexpr Picoseconds longest_idle_look{1'600'000'000};  // ours: 1.6 ms, a quarter of a revolution
constexpr std::uint32_t most_attempts = 3;               // ours, of a destage: a fault that passes takes no more
}  // namespace

void WriteCache::start_background() {
  inner_.start_background();
  for (std::uint32_t worker = 0; worker < work_.size(); ++worker) ports_.cpu.spawn(destage_loop(worker), "destage");
  ports_.cpu.spawn(watch_idle(), "watch_idle");
}

bool WriteCache::host_idle() const {
  return ports_.host.outstanding() == 0 && ports_.cpu.now() >= ports_.host.last_activity() + config_.idle_after;
}

/// A record may be all that waits for room, so there must be some for the longest.
bool WriteCache::journal_pressed() const {
  if (journal_ == nullptr) return false;
  return journal_->used() * 100 > journal_->capacity() * journal_high_mark || journal_->capacity() - journal_->used() <= part_sectors_;
}

/// Who waits for a slot may find all of them taken by those who were woken before: the cache drains until nobody waits.
bool WriteCache::wanted() {
  if (ended()) return false;
  if (!above(config_.low_mark) && writers_.empty()) draining_ = false;
  if (dirty_ == 0) return false;
  return draining_ || above(config_.trickle_mark) || host_idle() || journal_pressed() ||
         slots_.read(lists_.front(dirty_list)).since < flush_target_;
}

/// One worker at a time looks for something to destage; when it has found that, it calls the next.
void WriteCache::wake_worker() {
  if (called_ || choosing_ || asleep_.empty()) return;
  WaitQueue& worker = work_[asleep_.back()];
  asleep_.pop_back();
  called_ = true;
  worker.wake_all();
}

/// Slots may have become free: writers go on that find some, and every flush looks again.
void WriteCache::wake_waiting() {
  std::uint64_t room = slots_count_ - dirty_ - stuck_;
  writers_.wake([&](std::uint32_t sectors) {
    const bool has_room = room != 0 || ended();
    room -= std::min<std::uint64_t>(room, sectors);
    return has_room;
  });
  progress_.wake_all();
}

Task<void> WriteCache::destage_loop(std::uint32_t worker) {
  for (;;) {
    const Index slot = !choosing_ && wanted() ? next_to_destage() : DramLists::none;
    if (slot == DramLists::none) {
      asleep_.push_back(worker);
      co_await work_[worker].change(LifePhase::cpu_wait);
      called_ = false;
      continue;
    }
    const Index start = guided(slot);
    choosing_ = true;
    co_await destage(start);
  }
}

/// Wakes the workers once the host has been idle for long enough.
Task<void> WriteCache::watch_idle() {
  IdleLooks looks(config_.idle_after);
  for (;;) {
    if (dirty_ == 0 || ended()) {
      co_await activity_.change(LifePhase::cpu_wait);
      continue;
    }
    if (host_idle()) wake_worker();
    const Picoseconds look_again = looks.next(ports_.host.last_activity(), ports_.cpu.now());
    co_await ports_.cpu.sleep_until(look_again);
  }
}

WriteCache::Index WriteCache::next_to_destage() {
  ports_.cpu.tree(dirty_);  // firmware keeps the dirty sectors in a tree; the sorted sweep stands for it
  return config_.order == DestageOrder::elevator && !journal_pressed() ? next_by_address() : next_by_age();
}

/// Thousands of sectors may be on their way, and each worker asks as often as one becomes dirty: what was passed is passed once.
WriteCache::Index WriteCache::next_by_age() {
  const auto next = [this] { return passed_ == DramLists::none ? lists_.front(dirty_list) : lists_.after(passed_); };
  Index slot = next();
  for (; slot != DramLists::none && slots_.read(slot).state != SlotState::dirty; slot = next()) passed_ = slot;
  return slot;
}

/// The next dirty sector of the sweep. What becomes dirty during a sweep waits for the next, unless it adjoins a destaged run.
WriteCache::Index WriteCache::next_by_address() {
  for (int sweeps = 0; sweeps < 2; ++sweeps) {
    while (sweep_next_ < sweep_end_) {
      const Index slot = sweep_.read(sweep_next_++);
      if (slots_.read(slot).state == SlotState::dirty) return slot;
    }
    by_address_.clear();
    for (Index slot = lists_.front(dirty_list); slot != DramLists::none; slot = lists_.after(slot))
      by_address_.emplace_back(slots_.peek(slot).lsn, slot);
    std::ranges::sort(by_address_);
    sweep_next_ = sweep_end_ = 0;
    for (const auto& [lsn, slot] : by_address_) sweep_.peek(sweep_end_++) = slot;
  }
  return DramLists::none;
}

/// The slot, or that of the first dirty sector that comes before its own or before what goes with it. What a FLUSH waits for does not wait
/// for what was written since.
WriteCache::Index WriteCache::guided(Index slot) {
  if (guide_ == nullptr) return slot;
  const bool awaited = slots_.read(slot).since < flush_target_;
  Index first = slot;
  const LogicalRun run = dirty_run(first, largest_);
  SlotReader directory(slots_);
  for (std::uint32_t i = 0; i < run.count; ++i) {
    for (const std::optional<LogicalSector>& earlier : guide_->before(run.first + i)) {
      const Index found = earlier ? find(*earlier) : DramLists::none;
      if (!pending(directory, found) || inner_locks_.wanted(SectorRange::of(*earlier))) continue;
      if (!awaited || slots_.read(found).since < flush_target_) return found;
    }
  }
  return slot;
}

/// The unbroken run of dirty sectors around that of `slot`, from `most` in front of it on, at most `most` long; `slot` becomes that of its
/// first.
LogicalRun WriteCache::dirty_run(Index& slot, std::uint32_t most) {
  SlotReader directory(slots_);
  LogicalRun run{LogicalSector(directory.at(slot).lsn), 1};
  Index last = slot;
  while (run.count < most && run.first.value() > 0) {
    const Index before = find_near(directory, slot - 1, run.first - 1);
    if (!pending(directory, before)) break;
    slot = before;
    run = {run.first - 1, run.count + 1};
  }
  for (; run.count < most; ++run.count) {
    last = find_near(directory, last + 1, run.end());
    if (!pending(directory, last)) break;
  }
  return run;
}

Task<void> WriteCache::destage(Index slot) {
  const LogicalRun planned = dirty_run(slot, largest_);
  auto lock = inner_locks_.exclusive(SectorRange::of(planned));
  co_await lock;
  Staged staging(*this, planned.count);
  for (; staging.none(); staging.try_again()) co_await progress_.change(LifePhase::cpu_wait);
  if (!ended() && lacks_blocks(planned)) {
    const DataSpan scratch = staging.part(0, planned.count);
    co_await complete(planned, scratch);
  }
  choosing_ = false;
  if (ended()) co_return;

  // Others may have written or dropped some of the run while this task waited: what is left of its first part goes now. What they wrote in
  // part stays for later.
  std::uint32_t passed = 0;
  std::uint32_t taken = 0;
  std::uint32_t together = 0;  // of these, the last ones, side by side and yet to be copied
  const auto copy_together = [&](Index end) {
    if (together == 0) return;
    for (Slot& copied : slots_.write_run(end - together, together)) copied.state = SlotState::destaging;
    ports_.memory.copy(buffer_->part(end - together, together), staging.part(taken - together, together));
    together = 0;
  };
  SlotReader directory(slots_);
  for (; passed < planned.count; ++passed, ++slot) {
    const Index found = find_near(directory, slot, planned.first + passed);
    if (found != slot) copy_together(slot);
    slot = found;
    if (ready(directory, slot)) {
      ++taken;
      ++together;
    } else if (taken != 0) {
      break;
    }
  }
  copy_together(slot);
  if (taken == 0) co_return;
  wake_worker();
  const LogicalRun run{planned.first + (passed - taken), taken};

  const DataSpan data = staging.part(0, taken);
  const WriteOptions options{.durable = true, .background = !draining_};
  ++under_way_;
  const Status status = co_await write_home(run, data, options);
  --under_way_;
  slot -= taken;  // the first again, if they lie side by side
  SlotReader renewed(slots_);
  for (std::uint32_t done = 0; done < taken;) {
    slot = find_near(renewed, slot, run.first + done);
    const std::uint32_t count = side_by_side(slot, {run.first + done, taken - done});
    if (ok(status)) mark_destaged(slot, count);
    for (std::uint32_t i = 0; i < count && !ok(status); ++i)
      slots_.write(slot + i).state = SlotState::dirty;  // overwritten meanwhile or not: below is no version since `since`
    done += count;
    slot += count;
  }
  if (ok(status)) {
    ++destages_;
    destaged_sectors_ += taken;
    release_journal();
  } else {
    end(status);
  }
  wake_waiting();
}

/// Writes to the inner layer, again where that failed; a layer that takes no more writes is not asked twice.
Task<Status> WriteCache::write_home(LogicalRun run, DataSpan data, WriteOptions options) {
  Status status = Status::media_error;
  for (std::uint32_t attempt = 0; attempt < most_attempts && !ok(status) && status != Status::read_only; ++attempt)
    status = co_await inner_.write(run, data, options);
  co_return status;
}

/// The inner layer does not take what it is given: nothing more is destaged, and whoever waits for that is to wait no longer.
void WriteCache::end(Status status) {
  failure_ = status;
  if (journal_ != nullptr) journal_->end_releases();
}

}  // namespace tessera
