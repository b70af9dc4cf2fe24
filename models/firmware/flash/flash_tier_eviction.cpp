// Winning flash back: the block that was filled first is emptied and erased. What was read since it was written stays in flash, the rest
// goes to the platters.
#include <algorithm>

#include "firmware/flash/flash_reads.hpp"
#include "firmware/flash/flash_tier.hpp"
#include "firmware/locks/idle_look.hpp"

namespace tessera::tiers {

/// The block that was begun first, which is not open: where only the open one is left, no block is good any more.
std::optional<std::uint32_t> FlashTier::oldest() const {
  return space_.first_used([this](std::uint32_t block) { return !dead_.contains(block) && !space_.open(block); });
}

/// One block comes free: the oldest one, which may be lent.
Task<Status> FlashTier::evict() {
  const std::uint64_t before = evicted_ + taken_back_;
  auto turn = turn_.exclusive({});
  co_await turn;
  if (evicted_ + taken_back_ != before) co_return Status::ok;  // somebody else's
  const std::optional<std::uint32_t> own = oldest();
  if (borrower_ != nullptr) {
    const bool came_back = co_await take_back(own ? age(*own) : ~std::uint64_t{0});
    if (came_back) co_return Status::ok;
  }
  if (!own) co_return Status::read_only;
  co_return co_await evict_own(*own);
}

Task<Status> FlashTier::evict_own(std::uint32_t block) {
  evicting_ = true;
  leaving_.insert(block);
  while (unsettled_.read(block) != 0) co_await settled_.change(LifePhase::flash_queue);
  const Picoseconds begun = ports_.cpu.now();
  ports_.cpu.event({"evict", FirmwareEvent::Edge::begin, block, owners_.valid_in(block)});
  Status status = co_await empty_block(block);
  if (ok(status)) status = co_await renew_dead(block);
  if (ok(status)) status = co_await erase(block);
  ports_.cpu.event({"evict", FirmwareEvent::Edge::end, block, 0});
  evicting_ = false;
  if (ok(status)) {
    leaving_.erase(block);
    ++evicted_;
    evictions_.record(ports_.cpu.now() - begun);
  }
  co_return status;
}

/// Whatever of the block is the newest copy is on the platters or elsewhere in flash afterwards. Its pages stay valid until they are
/// erased, so that a write past the flash still makes them void.
Task<Status> FlashTier::empty_block(std::uint32_t block) {
  std::vector<Held> held;
  const std::uint32_t first = block * shape_.block_subpages();
  for (std::uint32_t page = first; page < first + shape_.block_subpages(); ++page)
    if (owners_.valid(page)) held.push_back({owners_.sector(page), page});
  std::ranges::sort(held, {}, &Held::sector);
  for (std::size_t begin = 0; begin < held.size();) {
    std::size_t end = begin + 1;
    while (end < held.size() && held[end].sector == held[end - 1].sector + 1) ++end;
    const std::span<const Held> run = std::span<const Held>(held).subspan(begin, end - begin);
    const Status status = co_await move_run(run);
    if (!ok(status)) co_return status;
    begin = end;
  }
  co_return Status::ok;
}

/// Sectors side by side. One that was written again meanwhile is left out, and so is what it parts.
Task<Status> FlashTier::move_run(std::span<const Held> held) {
  auto lock = sectors_.exclusive({held.front().sector, held.back().sector + 1});
  co_await lock;
  for (std::size_t begin = 0; begin < held.size();) {
    const auto current = [this](const Held& one) { return find(one.sector) == one.page; };
    if (!current(held[begin])) {
      ++begin;
      continue;
    }
    const auto hot = [this](const Held& one) { return config_.copy_forward == CopyForward::on && read_.test(one.page); };
    const bool stays = hot(held[begin]);
    std::size_t end = begin + 1;
    while (end < held.size() && current(held[end]) && hot(held[end]) == stays) ++end;
    const auto count = static_cast<std::uint32_t>(end - begin);
    const LogicalRun run{held[begin].sector, count};
    const DataSpan data = buffer_.part(0, count);
    std::vector<FlashCommand> commands(count);
    for (std::uint32_t i = 0; i < count; ++i) {
      commands[i].op = FlashOp::read;
      commands[i].aim(held[begin + i].page, shape_);
      commands[i].data = data.part(i, 1);
    }
    const std::span<FlashCommand> reads(commands);
    const Status read = co_await run_reads(*ports_.flash, reads);
    if (!delivered(read)) co_return read;
    std::uint32_t done = 0;
    if (stays && has_room(count)) done = co_await append(run, data);
    copied_ += done;
    if (done != count) {
      const LogicalRun rest{run.first + done, count - done};
      const DataSpan part = data.part(done, rest.count);
      const Status status = co_await inner_.write(rest, part, {.durable = true, .background = true});
      if (!ok(status)) co_return status;
      moved_on_ += rest.count;
    }
    begin = end;
  }
  co_return Status::ok;
}

/// Nobody reads the block any more, then its pages are not valid any more, erased or not. A block that cannot be erased is dead.
Task<Status> FlashTier::erase(std::uint32_t block) {
  auto alone = use_.exclusive({});
  co_await alone;
  // What an erase that a cut tears, or that fails, leaves unreadable is elsewhere.
  const std::uint32_t first = block * shape_.block_subpages();
  for (std::uint32_t page = first; page < first + shape_.block_subpages(); ++page) held_.drop(page);
  const std::span<const std::uint32_t> blocks(&block, 1);
  if (!ports_.flash->is_bad(NandBlock(block))) co_await space_.erase(blocks);
  Status status = Status::ok;
  if (ports_.flash->is_bad(NandBlock(block))) status = co_await bury(block);
  for (std::uint32_t page = first; page < first + shape_.block_subpages(); ++page)
    if (owners_.valid(page)) drop({owners_.sector(page), 1});
  co_return status;
}

/// None of the block's pages counts any more, although they may still be read.
Task<Status> FlashTier::bury(std::uint32_t block) {
  DeadBlock dead;
  const Status status = co_await program_void(VoidSubject::of_block(block), 0, dead);
  if (ok(status)) dead_[block] = dead;
  co_return status;
}

/// Voids of dead blocks in a block that is about to be erased are written again.
Task<Status> FlashTier::renew_dead(std::uint32_t block) {
  for (auto& [number, dead] : dead_) {
    if (dead.block != block) continue;
    const Status status = co_await program_void(VoidSubject::of_block(number), 0, dead);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

// --- When the host is idle ---

void FlashTier::start_background() {
  inner_.start_background();
  ports_.cpu.spawn(evict_when_idle(), "evict");
}

bool FlashTier::host_idle() const {
  return ports_.host.outstanding() == 0 && backlog_ == 0 && ports_.cpu.now() >= ports_.host.last_activity() + config_.idle_after;
}

std::uint64_t FlashTier::kept_free() const {
  const std::uint64_t share = (shape_.blocks * config_.free_share + 99) / 100;
  return borrower_ == nullptr ? share : std::max<std::uint64_t>(share, least_blocks);
}

bool FlashTier::short_of_blocks() const { return space_.free_blocks() < kept_free(); }

Task<void> FlashTier::evict_when_idle() {
  while (!idle_failed_) {
    if (!short_of_blocks() && !owes()) {
      co_await taken_.change(LifePhase::cpu_wait);
      continue;
    }
    if (!host_idle()) {
      const bool came_free = co_await free_without_writes();
      if (came_free) continue;
      const Picoseconds look_again = next_idle_look(ports_.host.last_activity(), ports_.cpu.now(), config_.idle_after);
      co_await ports_.cpu.sleep_until(look_again);
      continue;
    }
    if (!short_of_blocks()) --owed_;
    const Status status = co_await evict();
    idle_failed_ = !ok(status);
  }
}

}  // namespace tessera::tiers
