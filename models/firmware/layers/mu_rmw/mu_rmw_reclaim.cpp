// Section III-D of the paper: lazy RMW reclamation (Algorithm 1), run when a block is needed and none is free.
#include <algorithm>

#include "firmware/flash/block_erase.hpp"
#include "firmware/flash/flash_reads.hpp"
#include "firmware/layers/mu_rmw/mu_rmw_layer.hpp"
#include "firmware/locks/idle_look.hpp"

namespace tessera::mu_rmw {

namespace {

constexpr std::uint64_t least_quarters = 3;  // ours: of what the best victim wins, that one on the idle arm has to win

// Loops over every sector of a band: in functions of their own, as a coroutine keeps what they count with in its frame.

void clear(DramArray<std::uint32_t>& table, std::uint32_t first, std::uint32_t count) {
  for (std::uint32_t end = first + count; first < end; ++first) table.write(first) = OobCodec::no_page;
}

/// Enters the pages of a sub-table behind `first`; gives how many there are.
std::uint32_t enter(DramArray<std::uint32_t>& table, std::uint32_t first, std::span<const std::uint32_t> pages) {
  std::uint32_t entered = 0;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (pages[i] == OobCodec::no_page) continue;
    table.write(first + i) = pages[i];
    ++entered;
  }
  return entered;
}

}  // namespace

/// Until a block is free: erase an obsolete block, or else merge the band with the longest list, or that of another rule. The printed
/// algorithm lacks the braces around lines 4 and 5 and counts bands up to U; here one obsolete block is erased a call, and LBN < U.
Task<Status> MuRmw::make_room() {
  std::uint32_t number = choose_merger();
  while (pool_.empty()) {
    Merger& merger = mergers_[number];
    ++merger.waiting;
    Status status = Status::ok;
    {
      NumberLocks::Lock lock(reclaim_lock_, NumberRange::of(number), LockMode::exclusive);
      co_await lock;
      status = co_await reclaim_with(number);
    }
    --merger.waiting;
    if (!ok(status)) co_return status;
    number = other_merger(number).value_or(number);
  }
  co_return Status::ok;
}

/// The one with the fewest in front, or with the better victim.
std::uint32_t MuRmw::choose_merger() const {
  std::uint32_t best = 0;
  for (std::uint32_t each = 1; each < mergers_.size(); ++each) {
    const auto [mine, least] = std::pair(mergers_[each].waiting, mergers_[best].waiting);
    if (mine < least || (mine == least && map_.victims().best_worth(each) > map_.victims().best_worth(best))) best = each;
  }
  return best;
}

/// Another one that has a victim, or one in hand.
std::optional<std::uint32_t> MuRmw::other_merger(std::uint32_t number) const {
  for (std::uint32_t each = 0; each < mergers_.size(); ++each)
    if (each != number && (mergers_[each].busy || map_.victims().best_worth(each) != 0)) return each;
  return std::nullopt;
}

/// Of several mergers each has the bands of its arm. One alone has all, and prefers the arm that serves the host less, as long as a band
/// there wins nearly as much as the best.
ScanIndex::Choice MuRmw::choose_victim(std::uint32_t merger) const {
  if (mergers_.size() > 1) return map_.victims().choose_on(merger);
  const ScanIndex::Choice best = map_.choose_victim();
  const auto idle = ports_.cleaning == nullptr ? std::nullopt : ports_.cleaning->idle();
  if (best.kind != ScanIndex::Choice::Kind::band || !idle) return best;
  const std::uint64_t worth = map_.victims().best_worth(places_.arm_of(best.band));
  return map_.victims().best_worth(*idle) * 4 >= worth * least_quarters ? map_.victims().choose_on(*idle) : best;
}

/// Until a block is free, or this merger has no victim; `read_only` where none has, as every block has failed.
Task<Status> MuRmw::reclaim_with(std::uint32_t number) {
  while (pool_.empty()) {
    const ScanIndex::Choice victim = choose_victim(number);  // lines 1-12
    if (victim.kind == ScanIndex::Choice::Kind::nothing) {
      statistics_.cache.dirty_bands.record(map_.cached_bands());
      ports_.cpu.scan(victim.visited);
      co_return other_merger(number) ? Status::ok : Status::read_only;
    }
    const Status status = co_await reclaim_one(number, victim);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

/// An obsolete block; or, where there is none, the band that the algorithm found or a policy prefers.
Task<Status> MuRmw::reclaim_one(std::uint32_t number, ScanIndex::Choice victim) {
  const Picoseconds begin = ports_.cpu.now();
  statistics_.cache.dirty_bands.record(map_.cached_bands());
  ports_.cpu.scan(victim.visited);
  Status status = Status::ok;
  mergers_[number].busy = true;
  if (victim.kind == ScanIndex::Choice::Kind::obsolete_block) {
    co_await reclaim_block(victim.block);
  } else {
    shown_.ask_for(number, victim.band);
    status = co_await merge_band(static_cast<std::uint32_t>(policy_.choose(shown_)));
  }
  mergers_[number].busy = false;
  if (ok(status)) statistics_.cache.cleaning.record(ports_.cpu.now() - begin);
  co_return status;
}

// --- A policy that cleans before a block is needed ---

void MuRmw::start_background() {
  if (policy_.cleans_ahead()) ports_.cpu.spawn(clean_ahead(), "clean_ahead");
}

Task<void> MuRmw::clean_ahead() {
  for (Status status = Status::ok; ok(status);) {
    const Picoseconds when = map_.cached_bands() == 0 ? CleaningPolicy::never : policy_.when(shown_);
    if (when == CleaningPolicy::never) {
      co_await written_.change(LifePhase::cpu_wait);
      continue;
    }
    if (when > ports_.cpu.now()) {
      co_await ports_.cpu.sleep_until(when);
      continue;
    }
    cleaning_ahead_ = true;
    const std::uint32_t number = choose_merger();
    NumberLocks::Lock lock(reclaim_lock_, NumberRange::of(number), LockMode::exclusive);
    co_await lock;
    const ScanIndex::Choice victim = choose_victim(number);
    if (victim.kind != ScanIndex::Choice::Kind::nothing)
      status = co_await reclaim_one(number, victim);
    else
      co_await ports_.cpu.sleep_until(ports_.cpu.now() + shortest_idle_look);
    cleaning_ahead_ = false;
  }
}

CleaningLevels MuRmw::Cleaning::levels() const {
  const std::uint64_t used = of_.shape_.blocks - of_.pool_.free();
  return {.used = used * of_.shape_.block_subpages(),
          .room = of_.shape_.blocks * of_.shape_.block_subpages(),
          .entries = used,
          .most_entries = of_.shape_.blocks,
          .cached = of_.map_.valid_of_all(),
          .units = of_.map_.cached_bands()};
}

bool MuRmw::Cleaning::cleanable(std::uint64_t number) const {
  const auto lbn = static_cast<std::uint32_t>(number);
  return of_.map_.list_length(lbn) != 0 && (of_.mergers_.size() == 1 || of_.merger_of(lbn) == merger_);
}

/// Ages by the block in which a sector lies.
void MuRmw::Cleaning::find(std::vector<CleaningUnit>& found) const {
  const std::uint64_t pages = of_.shape_.block_subpages();
  of_.map_.victims().each([&](std::uint32_t lbn, std::uint64_t order) {
    if (!cleanable(lbn)) return;
    const std::uint64_t age = (of_.map_.victims().appended() - order) * pages;
    if (found.empty() || found.back().number != lbn)
      found.push_back({.number = lbn,
                       .first = LogicalSector(std::uint64_t{lbn} * of_.split_.p()),
                       .sectors = of_.split_.p(),
                       .held = of_.places_.peek_held(lbn),
                       .cached = of_.map_.valid_of_band(lbn),
                       .entries = of_.map_.list_length(lbn),
                       .oldest = age});
    found.back().newest = age;
  });
}

/// Lines 3-5: no valid page, no read-modify-write. No lock of the band is needed: nobody reads an invalid page, and all of the
/// block's pages were programmed.
Task<void> MuRmw::reclaim_block(std::uint32_t block) {
  ports_.cpu.event({"reclaim", FirmwareEvent::Edge::instant, block, 1});
  ++statistics_.obsolete_reclaims;
  map_.remove_block(block);
  const std::vector<std::uint32_t> blocks(1, block);
  co_await erase_blocks(blocks);
}

/// Lines 13-16.
Task<Status> MuRmw::merge_band(std::uint32_t lbn) {
  NumberLocks::Lock lock(band_locks_, {lbn, lbn + 1ULL}, LockMode::exclusive);
  co_await lock;
  if (!ok(places_.status())) co_return places_.status();
  Merger& merger = mergers_[merger_of(lbn)];
  const Picoseconds begin = ports_.cpu.now();
  ports_.cpu.event({"merge", FirmwareEvent::Edge::begin, lbn, split_.p()});

  std::uint32_t valid = 0;
  Status status = co_await reconstruct_table(merger, lbn, valid);  // line 13
  if (!ok(status)) co_return status;
  const std::uint64_t from = places_.physical(lbn);
  const std::span<const std::uint32_t> cached(&merger.full_table.peek(0), split_.p());
  const std::uint32_t held = places_.held(lbn);
  std::vector<std::uint32_t> blocks;
  Picoseconds erasing;  // from here on it is waited for
  if (config_.erase_while_writing) {
    status = co_await merger.merge.load(from, 0, cached, held);  // line 14
    if (!ok(status)) co_return status;
    blocks = uncache(lbn);
    merger.erasing = true;
    ports_.cpu.spawn(erase_beside(merger, blocks), "erase");    // line 16, "in the meantime"
    status = co_await merger.merge.store(from, 0, split_.p());  // line 15
    erasing = ports_.cpu.now();
    while (merger.erasing) co_await merger.erased.change(LifePhase::flash);
    if (!ok(status)) co_return status;
  } else {
    const std::uint64_t to = config_.in_place() ? from : places_.spare(lbn);
    status = co_await merger.merge.run(from, to, cached, held);  // lines 14 and 15
    if (!ok(status)) co_return status;
    if (!config_.in_place()) {
      // Before the first erase: a cut between the erases must not let an older sub-table that is left pass for the newest.
      status = co_await commit(lbn, BandMerge::end_of(cached, held));
      if (!ok(status)) co_return status;
    }
    blocks = uncache(lbn);
    erasing = ports_.cpu.now();
    co_await erase_blocks(blocks);  // line 16
  }

  MergeTimes parts = merger.merge.times();
  parts.erase = ports_.cpu.now() - erasing;
  statistics_.cache.merged(ports_.cpu.now() - begin, valid, parts);
  statistics_.victim_blocks.record(blocks.size());
  ports_.cpu.event({"merge", FirmwareEvent::Edge::end, lbn, valid});
  co_return Status::ok;
}

/// Void up to the newest page. The log takes one record at a time.
Task<Status> MuRmw::commit(std::uint32_t lbn, std::uint32_t held) {
  std::optional<NumberLocks::Lock> turn;
  if (mergers_.size() > 1) {
    NumberLocks::Lock& lock = turn.emplace(commit_lock_, NumberRange::of(0), LockMode::exclusive);
    co_await lock;
  }
  co_return co_await places_.commit(lbn, next_seq_ - 1, held);
}

/// Nothing of the band is in flash any more; gives the blocks that are to be erased.
std::vector<std::uint32_t> MuRmw::uncache(std::uint32_t lbn) {
  std::vector<std::uint32_t> blocks;
  blocks.reserve(map_.list_length(lbn));
  for (std::uint32_t block = map_.first_block(lbn); block != ConcentratedMap::no_block; block = map_.block_after(block))
    blocks.push_back(block);
  for (const std::uint32_t block : blocks) map_.remove_block(block);
  for (std::uint32_t idx = 0; idx < split_.n(); ++idx) map_.set_directory(split_.group({lbn, idx, 0}), no_page);
  ++epochs_.write(lbn);
  return blocks;
}

/// The whole sector mapping table of a band out of its sub-tables: at most N out-of-band reads.
Task<Status> MuRmw::reconstruct_table(Merger& merger, std::uint32_t lbn, std::uint32_t& valid) {
  const Scratches::Handle scratch = scratches_.take();
  Scratch& work = *scratch;
  work.commands.clear();
  work.pages.clear();  // here: the index of the sub-table that each command reads
  for (std::uint32_t idx = 0; idx < split_.n(); ++idx) {
    const std::uint32_t newest = map_.directory(split_.group({lbn, idx, 0}));
    clear(merger.full_table, idx * split_.q(), split_.sectors_of(idx));
    if (newest == no_page) continue;
    FlashCommand& command = work.commands.emplace_back();
    command.op = FlashOp::read_oob;
    command.aim(newest, shape_);
    work.pages.push_back(idx);
  }
  valid = 0;
  if (work.commands.empty()) co_return Status::ok;  // a cut left a block with nothing but writes that were never acknowledged
  work.images.resize(std::max<std::size_t>(work.images.size(), work.commands.size() * codec_.bytes()));
  for (std::size_t i = 0; i < work.commands.size(); ++i) work.commands[i].oob = image(work, i);
  const std::span<FlashCommand> commands(work.commands);
  const Status status = co_await run_reads(*ports_.flash, commands);
  if (!delivered(status)) co_return status;

  work.table.resize(split_.q());
  for (std::size_t i = 0; i < work.commands.size(); ++i) {
    OobHeader header;
    const Status read = work.commands[i].status;
    if (!ok(read) && read != Status::lost) {
      // Without tags in memory nothing tells which sectors the group has in flash: all of them are lost.
      const std::uint32_t lost = map_.directory(split_.group({lbn, work.pages[i], 0}));
      if (!table_from_tags({lbn, work.pages[i], 0}, work.table)) std::ranges::fill(work.table, lost);
    } else if (!codec_.decode(image(work, i), header, work.table)) {
      co_return Status::corrupt;
    }
    const std::uint32_t idx = work.pages[i];
    valid += enter(merger.full_table, idx * split_.q(), std::span(work.table).first(split_.sectors_of(idx)));
  }
  co_return Status::ok;
}

// --- TRIM ---

Task<Status> MuRmw::trim(LogicalRun run) {
  if (config_.in_place()) co_return Status::ok;  // no log would know of it
  trims_.add(run);
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalSector first = run.first + done;
    const std::uint32_t lbn = split_(first).lbn;
    const auto count = static_cast<std::uint32_t>(std::min(run.end(), split_.band_start(lbn + 1)) - first);
    co_await trim_band(lbn, {first, count});
    done += count;
  }
  co_return Status::ok;
}

/// What was trimmed up to the end of what the band holds is none of it any more. Where all of the band was trimmed, its pages in flash are
/// void by the same record, and its blocks are free without a merge; otherwise they are newer, and stay. Where the record cannot be written
/// nothing has changed.
Task<void> MuRmw::trim_band(std::uint32_t lbn, LogicalRun run) {
  const std::uint64_t group = split_.group({lbn, 0, 0});
  NumberLocks::Lock groups(group_locks_, {group, group + split_.n()}, LockMode::exclusive);
  co_await groups;
  NumberLocks::Lock mergers(reclaim_lock_, {0, mergers_.size()}, LockMode::exclusive);
  co_await mergers;
  NumberLocks::Lock band(band_locks_, {lbn, lbn + 1ULL}, LockMode::exclusive);
  co_await band;
  const LogicalSector start = split_.band_start(lbn);
  const auto kept = static_cast<std::uint32_t>(std::max(trims_.begin_of(run), start) - start);
  const std::uint32_t held = places_.held(lbn);
  if (run.end() < start + held || !ok(places_.status())) co_return;
  const bool all = kept == 0 && run.end() == start + split_.p();
  if (kept >= held && !(all && map_.list_length(lbn) != 0)) co_return;
  const Status status = co_await places_.shorten(lbn, all ? next_seq_ - 1 : places_.watermark(lbn), kept);
  if (!ok(status) || !all) co_return;
  const std::vector<std::uint32_t> blocks = uncache(lbn);
  co_await erase_blocks(blocks);
}

/// Erases blocks that are in no list.
Task<void> MuRmw::erase_blocks(std::span<const std::uint32_t> blocks) {
  const Scratches::Handle scratch = scratches_.take();
  co_await tessera::erase_blocks(*ports_.flash, pool_, blocks, scratch->commands, 0, checkpoint_.get());
}

Task<void> MuRmw::erase_beside(Merger& merger, std::vector<std::uint32_t> blocks) {
  co_await erase_blocks(blocks);
  merger.erasing = false;
  merger.erased.wake_all();
}

}  // namespace tessera::mu_rmw
