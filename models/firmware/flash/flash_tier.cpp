#include "firmware/flash/flash_tier.hpp"

#include <algorithm>

#include "firmware/flash/flash_reads.hpp"

namespace tessera::tiers {

FlashTier::FlashTier(const Ports& ports, const FlashTierConfig& config, HomeLayer& inner)
    : ports_(ports),
      config_(config),
      inner_(inner),
      shape_(ports.flash->shape()),
      codec_(0, sizeof(std::uint32_t)),
      map_(ports.memory, MemoryCategory::metadata, shape_.all_subpages(), "flash pages of sectors"),
      owners_(ports, inner.user_sectors(), inner.user_sectors()),
      held_(ports.memory, static_cast<std::uint32_t>(shape_.all_subpages()),
            config.dump_tags ? Survival::dumped : Survival::volatile_memory),
      read_(ports.memory, MemoryCategory::metadata, shape_.all_subpages(), "flash pages that were read"),
      free_blocks_(ports.cpu, free_blocks_gauge, 0),
      space_(ports, 0, static_cast<std::uint32_t>(shape_.blocks), 1, FreeOrder::fifo, config.paired, &free_blocks_),
      pages_(*ports.flash, ports.cpu, *this),
      sectors_(ports.cpu),
      use_(ports.cpu),
      turn_(ports.cpu),
      taken_(ports.cpu),
      claims_ended_(ports.cpu),
      queue_(ports.cpu),
      settled_(ports.cpu),
      buffer_(ports.memory.reserve_buffer(MemoryCategory::merge_buffer, shape_.block_subpages(), "evictions from flash")),
      unsettled_(ports.memory, MemoryCategory::metadata, shape_.blocks, "pages on their way to flash blocks") {}

Task<Status> FlashTier::format() {
  space_.format();
  held_.settle([](std::uint32_t) { return false; });
  co_return co_await inner_.format();
}

std::uint32_t FlashTier::find(LogicalSector sector) const {
  ports_.cpu.hash();
  return map_.find(sector.value());
}

/// Not where a write that goes past the flash is about to be newer, nor where an eviction has brought a copy to the platters, or will have.
bool FlashTier::holds_newest(LogicalSector sector) const {
  const std::uint32_t page = find(sector);
  return page != none && !leaving_.contains(page / shape_.block_subpages()) && !sectors_.wanted(SectorRange::of(sector));
}

bool FlashTier::holds_any(LogicalRun run) const {
  for (std::uint32_t i = 0; i < run.count; ++i)
    if (find(run.first + i) != none) return true;
  return false;
}

// --- Reads ---

/// Of the sectors in front those that the flash does not have: of others the platters may have an older copy.
Task<Status> FlashTier::read_early(LogicalRun run, DataSpan data, EarlySectors& early) {
  std::uint32_t home = 0;
  while (home < early.place.count && find(run.first - (home + 1)) == none) ++home;
  return read_as(MediaClass::host, run, data, early.limit(home) ? &early : nullptr);
}

/// What the flash has from there, the rest from the platters.
Task<Status> FlashTier::read_as(MediaClass priority, LogicalRun run, DataSpan data, EarlySectors* early) {
  auto lock = use_.shared({});
  co_await lock;
  const auto scratch = scratches_.take();
  std::vector<std::uint32_t>& pages = scratch->pages;
  pages.clear();
  scratch->commands.clear();
  for (std::uint32_t i = 0; i < run.count; ++i) {
    pages.push_back(find(run.first + i));
    if (pages[i] == none) continue;
    read_.set(pages[i]);
    FlashCommand& command = scratch->commands.emplace_back();
    command.op = FlashOp::read;
    command.aim(pages[i], shape_);
    command.data = data.part(i, 1);
  }
  read_flash_ += scratch->commands.size();
  const std::span<FlashCommand> commands(scratch->commands);
  const Status status = co_await run_reads(*ports_.flash, commands);
  if (!ok(status)) co_return status;
  lock.unlock();  // what the flash does not have comes to it by no eviction
  const std::span<const std::uint32_t> found(pages);
  co_return co_await read_inner(priority, run, found, data, early);
}

/// The sectors that have no page, run by run.
Task<Status> FlashTier::read_inner(MediaClass priority, LogicalRun run, std::span<const std::uint32_t> pages, DataSpan data,
                                   EarlySectors* early) {
  for (std::uint32_t at = 0; at < run.count;) {
    std::uint32_t count = 0;
    while (at + count < run.count && pages[at + count] == none) ++count;
    if (count == 0) {
      ++at;
      continue;
    }
    const LogicalRun missing{run.first + at, count};
    const DataSpan part = data.part(at, count);
    Status status = Status::ok;
    if (priority == MediaClass::background)
      status = co_await inner_.read_behind(missing, part);
    else if (early != nullptr && at == 0)
      status = co_await inner_.read_early(missing, part, *early);
    else
      status = co_await inner_.read(missing, part);
    if (!ok(status)) co_return status;
    at += count;
  }
  co_return Status::ok;
}

// --- Writes ---

/// Flash takes what it keeps up with. What drains in the background waits for it, until there are writes in a hurry; these go past it.
Task<Status> FlashTier::write(LogicalRun run, DataSpan data, WriteOptions options) {
  const Status claimable = co_await make_claimable();
  if (!ok(claimable)) co_return claimable;
  const Claim claim(*this);
  auto lock = sectors_.exclusive(SectorRange::of(run));
  co_await lock;
  if (!options.background) {
    ++hurried_;
    queue_.wake([](std::uint32_t) { return true; });
  }
  const std::uint64_t before = hurried_;
  std::uint64_t place = 0;  // among the writes that wait
  while (takes(run.count) && !keeps_up(run.count) && options.background) {
    co_await queue_.room(run.count, LifePhase::flash_queue, place);
    options.background = hurried_ == before;
  }
  std::uint32_t done = 0;
  while (done < run.count && takes(run.count - done) && keeps_up(run.count - done)) {
    const LogicalRun rest{run.first + done, run.count - done};
    const DataSpan part = data.part(done, rest.count);
    done += co_await append(rest, part);
  }
  if (short_of_blocks()) taken_.wake_all();
  if (done == run.count) co_return Status::ok;
  if (done == 0) admit();  // the next: what this one was let in for is still free
  const LogicalRun rest{run.first + done, run.count - done};
  const DataSpan part = data.part(done, rest.count);
  co_return co_await write_past(rest, part, options);
}

std::uint64_t FlashTier::room() const {
  const std::uint64_t claimed = std::uint64_t{claims_} * void_copies * shape_.subpages;
  const std::uint64_t left = space_.room(eviction_reserve);
  return left < claimed ? 0 : std::min<std::uint64_t>(space_.room(reserve), left - claimed);
}

/// Wakes the writes with which the flash keeps up now, each as if those before it had begun, and those that it will not take any more.
void FlashTier::admit() {
  const std::uint64_t most = std::min<std::uint64_t>(config_.run, room());
  std::uint32_t backlog = backlog_;
  queue_.wake([&](std::uint32_t count) {
    if (count > most) return true;
    if (!keeps_up_with(backlog, count)) return false;
    backlog += count;
    return true;
  });
}

/// Programs the sectors to the next pages, for which there is room; gives how many of the first ones are on flash.
Task<std::uint32_t> FlashTier::append(LogicalRun run, DataSpan data) {
  const auto scratch = scratches_.take();
  scratch->commands.assign(run.count, FlashCommand{});
  std::vector<OobHeader> headers;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    scratch->commands[i].aim(take(reserve), shape_);
    scratch->commands[i].data = data.part(i, 1);
    headers.push_back({run.first + i, next_seq_++, OobHeader::Kind::data});
  }
  const std::span<FlashCommand> commands(scratch->commands);
  const std::span<const OobHeader> tags(headers);
  backlog_ += run.count;
  co_await program(commands, tags);
  backlog_ -= run.count;
  admit();
  std::uint32_t good = run.count;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    if (ok(commands[i].status))
      enter(run.first + i, static_cast<std::uint32_t>(commands[i].target(shape_)));
    else
      good = std::min(good, i);
  }
  settle(commands);
  written_ += good;
  co_return good;
}

/// The next page; its block is not evicted before settle().
std::uint32_t FlashTier::take(std::uint32_t kept) {
  const std::uint32_t page = space_.take(kept);
  ++unsettled_.write(page / shape_.block_subpages());
  if (ages_ && page % shape_.block_subpages() == 0) renew(page / shape_.block_subpages());
  return page;
}

void FlashTier::settle(std::span<const FlashCommand> commands) {
  for (const FlashCommand& command : commands) --unsettled_.write(block_of(command));
  settled_.wake_all();
}

/// Each command has its own status afterwards; blocks that failed take no further page.
Task<void> FlashTier::program(std::span<FlashCommand> commands, std::span<const OobHeader> headers) {
  const auto scratch = scratches_.take();
  scratch->images.resize(std::max<std::size_t>(scratch->images.size(), commands.size() * codec_.bytes()));
  for (std::size_t i = 0; i < commands.size(); ++i) {
    commands[i].op = FlashOp::program;
    commands[i].oob = std::span(scratch->images).subspan(i * codec_.bytes(), codec_.bytes());
    codec_.encode(headers[i], {}, commands[i].oob);
  }
  co_await pages_.program(ring, commands);
  for (const FlashCommand& command : commands) {
    if (ok(command.status)) continue;
    ++failed_programs_;
    space_.fail(block_of(command));
  }
}

/// The page holds the newest copy of the sector.
void FlashTier::enter(LogicalSector sector, std::uint32_t page) {
  const std::uint32_t old = find(sector);
  held_.hold(page, sector);
  if (old != none) {
    owners_.remove(old);
    held_.drop(old);
    ++updates_;
  }
  map_.assign(sector.value(), page);
  owners_.add(page, sector);
  read_.reset(page);
}

void FlashTier::drop(LogicalRun run) {
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const std::uint32_t page = find(run.first + i);
    if (page == none) continue;
    owners_.remove(page);
    held_.drop(page);
    map_.erase((run.first + i).value());
  }
}

/// The older copies count still, but a boot may find a void of them, and what they would be void for.
void FlashTier::distrust(LogicalRun run) {
  for (std::uint32_t i = 0; i < run.count; ++i)
    if (const std::uint32_t page = find(run.first + i); page != none) leaving_.insert(page / shape_.block_subpages());
}

/// The void comes when the data is on the platters: until then the older copy counts.
Task<Status> FlashTier::write_past(LogicalRun run, DataSpan data, WriteOptions options) {
  const Status status = co_await inner_.write(run, data, options);
  if (!ok(status)) co_return status;
  past_ += run.count;
  co_return co_await make_void(run);
}

/// Until there are pages for one more void.
Task<Status> FlashTier::make_claimable() {
  while (space_.room(eviction_reserve) < (claims_ + 1) * void_copies * shape_.subpages) {
    const Status status = co_await evict();
    if (ok(status)) continue;
    if (status != Status::read_only || claims_ == 0) co_return status;
    co_await claims_ended_.change(LifePhase::cleaning);
  }
  co_return Status::ok;
}

Task<Status> FlashTier::make_void(LogicalRun run) {
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun part{run.first + done, std::min(run.count - done, VoidSubject::most_sectors)};
    done += part.count;
    if (!holds_any(part)) continue;
    DeadBlock at;
    const Status status = co_await program_void(VoidSubject::of(part), eviction_reserve, at);
    if (!ok(status)) {
      distrust(part);
      co_return status;
    }
    ++voids_;
    drop(part);
  }
  co_return Status::ok;
}

/// Twice, as one of the pages may become unreadable; where the first one lies. `read_only` where failed blocks have taken what was claimed.
Task<Status> FlashTier::program_void(std::uint64_t subject, std::uint32_t kept, DeadBlock& at) {
  for (std::uint32_t copies = 0; copies < void_copies;) {
    if (space_.room(kept) == 0) co_return Status::read_only;
    const auto scratch = scratches_.take();
    scratch->commands.assign(1, FlashCommand{});
    const std::span<FlashCommand> commands(scratch->commands);
    commands[0].aim(take(kept), shape_);
    const OobHeader header{LogicalSector(subject), next_seq_++, OobHeader::Kind::mapping};
    const std::span<const OobHeader> headers(&header, 1);
    co_await program(commands, headers);
    settle(commands);
    if (!ok(commands[0].status)) continue;
    if (copies++ == 0) at = {header.seq, block_of(commands[0])};
  }
  co_return Status::ok;
}

/// What the flash holds stays.
Task<Status> FlashTier::trim(LogicalRun run) {
  auto lock = sectors_.exclusive(SectorRange::of(run));
  co_await lock;
  co_return co_await inner_.trim(run);
}

}  // namespace tessera::tiers
