// Write cache: which dirty sectors go to the inner layer, and when.
#include "firmware/caches/write_cache.hpp"
#include "firmware/locks/idle_look.hpp"

namespace tessera {

namespace {
constexpr std::uint64_t journal_high_mark = 75;  // % of the log in use, as the cache's own high mark
constexpr std::uint32_t most_attempts = 3;       // ours, of a destage: a fault that passes takes no more
}  // namespace

void WriteCache::start_background() {
  inner_.start_background();
  for (std::uint32_t worker = 0; worker < staging_.size(); ++worker) ports_.cpu.spawn(destage_loop(worker), "destage");
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

bool WriteCache::wanted() {
  if (ended()) return false;
  if (dirty_ * 100 <= std::uint64_t{slots_count_} * config_.low_mark) draining_ = false;
  if (dirty_ == 0) return false;
  return draining_ || dirty_ * 100 > std::uint64_t{slots_count_} * config_.trickle_mark || host_idle() || journal_pressed() ||
         slots_.read(lists_.front(dirty_list)).since < flush_target_;
}

Task<void> WriteCache::destage_loop(std::uint32_t worker) {
  for (;;) {
    const Index slot = wanted() ? next_to_destage() : DramLists::none;
    if (slot == DramLists::none) {
      co_await work_.change(LifePhase::cpu_wait);
      continue;
    }
    const Index start = guided(slot);
    co_await destage(worker, start);
  }
}

/// Wakes the workers once the host has been idle for long enough.
Task<void> WriteCache::watch_idle() {
  for (;;) {
    if (dirty_ == 0 || ended()) {
      co_await activity_.change(LifePhase::cpu_wait);
      continue;
    }
    if (host_idle()) work_.wake_all();
    const Picoseconds look_again = next_idle_look(ports_.host.last_activity(), ports_.cpu.now(), config_.idle_after);
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
  const LogicalRun run = dirty_run(first, staging_.front().sectors());
  for (std::uint32_t i = 0; i < run.count; ++i) {
    for (const std::optional<LogicalSector>& earlier : guide_->before(run.first + i)) {
      const Index found = earlier ? find(*earlier) : DramLists::none;
      if (!pending(found) || inner_locks_.wanted(SectorRange::of(*earlier))) continue;
      if (!awaited || slots_.read(found).since < flush_target_) return found;
    }
  }
  return slot;
}

/// The unbroken run of dirty sectors around that of `slot`, from `most` in front of it on, at most `most` long; `slot` becomes that of its
/// first.
LogicalRun WriteCache::dirty_run(Index& slot, std::uint32_t most) {
  LogicalRun run{LogicalSector(slots_.read(slot).lsn), 1};
  Index last = slot;
  while (run.count < most && run.first.value() > 0) {
    const Index before = find_near(slot - 1, run.first - 1);
    if (!pending(before)) break;
    slot = before;
    run = {run.first - 1, run.count + 1};
  }
  for (; run.count < most; ++run.count) {
    last = find_near(last + 1, run.end());
    if (!pending(last)) break;
  }
  return run;
}

Task<void> WriteCache::destage(std::uint32_t worker, Index slot) {
  DataBuffer& staging = staging_[worker];
  const LogicalRun planned = dirty_run(slot, staging.sectors());
  auto lock = inner_locks_.exclusive(SectorRange::of(planned));
  co_await lock;
  if (!ended() && lacks_blocks(planned)) {
    const DataSpan scratch = staging.part(0, planned.count);
    co_await complete(planned, scratch);
  }
  if (ended()) co_return;

  // Others may have written or dropped some of the run while this task waited: what is left of its first part goes now. What they wrote in
  // part stays for later.
  std::uint32_t passed = 0;
  std::uint32_t taken = 0;
  for (; passed < planned.count; ++passed, ++slot) {
    slot = find_near(slot, planned.first + passed);
    if (ready(slot)) {
      slots_.write(slot).state = SlotState::destaging;
      ports_.memory.copy(buffer_->part(slot, 1), staging.part(taken, 1));
      ++taken;
    } else if (taken != 0) {
      break;
    }
  }
  if (taken == 0) co_return;
  const LogicalRun run{planned.first + (passed - taken), taken};

  const DataSpan data = staging.part(0, taken);
  const WriteOptions options{.durable = true, .background = !draining_};
  ++under_way_;
  const Status status = co_await write_home(run, data, options);
  --under_way_;
  slot -= taken;  // the first again, if they lie side by side
  for (std::uint32_t i = 0; i < taken; ++i, ++slot) {
    slot = find_near(slot, run.first + i);
    if (ok(status)) {
      mark_destaged(slot);
    } else {
      slots_.write(slot).state = SlotState::dirty;  // overwritten meanwhile or not: below is no version since `since`
    }
  }
  if (ok(status)) {
    ++destages_;
    destaged_sectors_ += taken;
    release_journal();
  } else {
    end(status);
  }
  progress_.wake_all();
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
