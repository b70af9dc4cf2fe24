#include "firmware/flash/flash_tier.hpp"

#include <algorithm>

#include "firmware/flash/flash_reads.hpp"
#include "firmware/layers/layer_statistics.hpp"

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

// --- One pool with what caches reads ---

// The flash tier as one pool with what caches reads: the oldest block leaves, whatever it holds. Copies of what the platters hold go at
// once; writes go home when the host is idle, as without a pool.

void FlashTier::lend_to(BlockBorrower& borrower) {
  borrower_ = &borrower;
  ages_.emplace(ports_.memory, MemoryCategory::metadata, shape_.blocks, "ages of flash blocks");
}

/// What is kept free stays.
std::optional<std::uint32_t> FlashTier::lend() {
  if (space_.free_blocks() > kept_free()) return space_.lend();
  if (lent_is_older())
    owed_ = 0;
  else if (owed_ < shape_.blocks)
    ++owed_;
  taken_.wake_all();
  return std::nullopt;
}

void FlashTier::renew(std::uint32_t block) { ages_->write(block) = ++youngest_; }

std::uint64_t FlashTier::age(std::uint32_t block) const { return ages_->read(block); }

/// Than any block of writes.
bool FlashTier::lent_is_older() const {
  const auto lent = borrower_ == nullptr ? std::nullopt : borrower_->oldest();
  const auto own = oldest();
  return !own || (lent && age(*lent) < age(*own));
}

/// Whether a block came free although the host is not idle: the oldest one, where nothing of it has to go to the platters.
Task<bool> FlashTier::free_without_writes() {
  if (borrower_ == nullptr || !short_of_blocks()) co_return false;
  auto turn = turn_.exclusive({});
  co_await turn;
  const std::optional<std::uint32_t> own = oldest();
  const bool came_back = co_await take_back(own ? age(*own) : ~std::uint64_t{0});
  if (came_back) co_return true;
  if (!own || owners_.valid_in(*own) != 0) co_return false;
  co_return ok(co_await evict_own(*own));
}

/// Whether a lent block that is older, and not in use, came back.
Task<bool> FlashTier::take_back(std::uint64_t age) {
  const std::optional<std::uint32_t> block = borrower_->give_back(age);
  if (!block) co_return false;
  evicting_ = true;
  co_await space_.take_back(*block);
  evicting_ = false;
  ++taken_back_;
  co_return true;
}

// --- Boot ---

// Boot of the flash tier after a power cut: every page says what it is.

namespace {
/// Above every subject of a void, so that the scan takes voids for what they are.
constexpr std::uint64_t all_subjects = 2 * VoidSubject::dead_mark;
}  // namespace

Task<Status> FlashTier::recover() {
  Status status = co_await inner_.recover();
  if (!ok(status)) co_return status;
  FoundPages found;
  status = co_await scan_pages(*ports_.flash, codec_, PageOrder(shape_, config_.paired), all_subjects, found, nullptr);
  if (!ok(status)) co_return status;
  next_seq_ = std::max(next_seq_, found.next_seq);
  find_lost(found);
  const std::vector<LogicalSector> left_out = restore_pages(found.tags);
  restore_blocks(found.tags);
  co_await void_left_out(left_out);
  co_return Status::ok;
}

/// A page that held a sector and cannot be read was lost since. It is newer than all other copies: had one of these been completed, the
/// table would name that one.
void FlashTier::find_lost(FoundPages& found) const {
  for (const HeldSectors::Held& held : held_.at_cut()) {
    PageTag& tag = found.tags[held.page];
    if (tag.state == PageTag::State::unreadable) tag = {next_seq_, held.sector, OobHeader::Kind::data, PageTag::State::good};
  }
}

/// Of the copies of a sector the newest one counts, unless a void is newer still, or its block is dead, or the dumped table knows none of
/// them: then they were void, or no program was reported before the cut. Gives the sectors that are left out for that reason alone.
std::vector<LogicalSector> FlashTier::restore_pages(const PageTags& tags) {
  struct Void {
    LogicalRun run;
    std::uint64_t seq;
  };
  std::vector<Void> voids;
  std::vector<std::uint32_t> pages;
  for (std::uint32_t page = 0; page < tags.size(); ++page) {
    const PageTag& tag = tags[page];
    if (tag.state != PageTag::State::good || tag.kind != OobHeader::Kind::mapping) continue;
    const std::uint64_t subject = tag.lsn.value();
    if (!VoidSubject::is_block(subject)) {
      voids.push_back({VoidSubject::run(subject), tag.seq});
      continue;
    }
    DeadBlock& dead = dead_[VoidSubject::block(subject)];
    if (dead.seq < tag.seq) dead = {tag.seq, page / shape_.block_subpages()};
  }
  const bool told = held_.survived();
  const auto held = [&](std::uint32_t page) { return told && held_.holds(page, tags[page].lsn); };
  const auto is_dead = [&](std::uint32_t page) {
    const auto dead = dead_.find(page / shape_.block_subpages());
    return dead != dead_.end() && tags[page].seq < dead->second.seq;
  };
  for (std::uint32_t page = 0; page < tags.size(); ++page) {
    const PageTag& tag = tags[page];
    if (tag.state != PageTag::State::good || tag.kind != OobHeader::Kind::data || tag.lsn.value() >= user_sectors()) continue;
    if (held(page) || !is_dead(page)) pages.push_back(page);
  }
  std::ranges::sort(pages, [&tags](std::uint32_t a, std::uint32_t b) {
    return tags[a].lsn != tags[b].lsn ? tags[a].lsn < tags[b].lsn : tags[a].seq > tags[b].seq;
  });
  std::vector<bool> stale(pages.size());
  for (const Void& one : voids) {
    const auto first = std::ranges::lower_bound(pages, one.run.first, {}, [&tags](std::uint32_t page) { return tags[page].lsn; });
    for (auto page = first; page != pages.end() && tags[*page].lsn < one.run.end(); ++page)
      if (tags[*page].seq < one.seq) stale[static_cast<std::size_t>(page - pages.begin())] = true;
  }
  std::vector<LogicalSector> left_out;
  for (std::size_t i = 0; i < pages.size();) {
    const LogicalSector sector = tags[pages[i]].lsn;
    std::uint32_t newest = none;
    bool known = !told;
    for (; i < pages.size() && tags[pages[i]].lsn == sector; ++i) {
      if (stale[i]) continue;
      if (newest == none) newest = pages[i];
      known = known || held(pages[i]);
    }
    if (newest == none) continue;
    if (known)
      enter(sector, newest);
    else
      left_out.push_back(sector);
  }
  held_.settle([this](std::uint32_t page) { return owners_.valid(page); });
  return left_out;
}

/// For good: at a boot where the table did not survive they would be back, older than what was written past the flash meanwhile. Where
/// there is no page for it, there is none for the void of such a write either.
Task<void> FlashTier::void_left_out(std::span<const LogicalSector> sectors) {
  for (std::size_t begin = 0; begin < sectors.size();) {
    std::size_t end = begin + 1;
    while (end < sectors.size() && sectors[end] == sectors[end - 1] + 1 && end - begin < VoidSubject::most_sectors) ++end;
    const LogicalRun run{sectors[begin], static_cast<std::uint32_t>(end - begin)};
    DeadBlock at;
    if (!ok(co_await program_void(VoidSubject::of(run), 0, at))) co_return;
    ++voids_;
    begin = end;
  }
}

/// In the order in which they were filled; those of copies, which say nothing of themselves, come first. None takes further pages, as a
/// void in it has to outlive what lies in blocks in front of it; none is erased here, for the same reason.
void FlashTier::restore_blocks(const PageTags& tags) {
  struct Block {
    std::uint64_t seq;
    std::uint32_t number;
  };
  std::vector<Block> used;
  for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
    std::uint64_t seq = 0;
    bool blank = true;
    for (std::uint32_t page = 0; page < shape_.block_subpages(); ++page) {
      const PageTag& tag = tags[std::uint64_t{block} * shape_.block_subpages() + page];
      blank = blank && tag.state == PageTag::State::blank;
      if (tag.state == PageTag::State::good && (seq == 0 || tag.seq < seq)) seq = tag.seq;
    }
    if (blank)
      space_.restore(block, 0);
    else
      used.push_back({seq, block});
  }
  std::ranges::sort(used, [](const Block& a, const Block& b) { return a.seq != b.seq ? a.seq < b.seq : a.number < b.number; });
  for (const Block& block : used) {
    space_.restore(block.number, shape_.block_subpages());
    if (ages_) renew(block.number);
  }
}

// --- Figures ---

void FlashTier::report(MetricSet& metrics) const {
  const auto count = [&metrics](const char* name, std::uint64_t value, const char* unit, const char* what) {
    metrics.count(name, static_cast<double>(value), unit, what);
  };
  inner_.report_work(metrics);
  // Tracks that are written in place need no cleaning: where they are behind the flash, it is what shows that the caches were full.
  if (metrics.find("cleaning.count") == nullptr) report_cleaning_times(metrics, evictions_, "flash blocks emptied");
  if (metrics.find("progress.cleanings.done") == nullptr)
    report_rounds(metrics, "cleanings", evictions_.count(), "flash blocks emptied: the layer behind them has no cleanings of its own");
  count("hit.read.flash", read_flash_, "sectors", "sectors read from the flash cache");
  count("hit.write.flash", updates_, "sectors", "sectors written of which the flash cache held a copy");
  count("flash.written", written_, "sectors", "sectors that went to flash");
  count("flash.past", past_, "sectors", "sectors that went past the flash to the platters");
  count("flash.voids", voids_, "1", "writes past older copies in flash, each two pages");
  count("flash.evicted", evicted_, "1", "flash blocks whose valid pages were moved");
  count("flash.moved_on", moved_on_, "sectors", "sectors that evictions moved from flash to the platters");
  count("nand.page_copies", copied_, "1", "pages copied from flash to flash");
  count("flash.failed_programs", failed_programs_, "1", "pages that could not be programmed");
  metrics.add("flash.retired_blocks", static_cast<double>(space_.retired_blocks()), "1",
              "blocks that are not used, from the factory or since");
  if (shape_.subpages > 1) pages_.report(metrics);
  const Bytes own = map_.bytes() + owners_.bytes() + held_.bytes() + space_.bytes() + Bytes((read_.size() + 63) / 64 * 8);
  // A layer that knows nothing of the tier has said what its own map takes.
  if (metrics.find("meta.ram_bytes_actual") == nullptr)
    report_mapping_memory(metrics, inner_.paper_map_bytes() + map_.bytes(), inner_.map_bytes() + own);
  else
    metrics.add("flash.tables", static_cast<double>(own.value()), "B", "DRAM of the flash tier's tables, without the layer's own map");
}

BandLevels FlashTier::band_levels() const {
  std::vector<LogicalSector> cached;
  owners_.each_sector([&cached](LogicalSector sector) { cached.push_back(sector); });
  return inner_.band_levels_with(cached);
}

}  // namespace tessera::tiers
