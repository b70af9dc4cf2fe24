#include "firmware/layers/mu_rmw/mu_rmw_layer.hpp"

#include <algorithm>

#include "firmware/flash/flash_reads.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera::mu_rmw {

namespace {

/// By physical band; none where cleaning has no choice of arms.
std::vector<std::uint32_t> arms_of_bands(const CleaningArms* cleaning, const BandLayout& layout) {
  std::vector<std::uint32_t> arms(cleaning == nullptr ? 0 : layout.bands());
  for (std::uint64_t band = 0; band < arms.size(); ++band) arms[band] = cleaning->of(layout.locate(band, 0, 1).track);
  return arms;
}

}  // namespace

MuRmw::MuRmw(const Ports& ports, const MuRmwConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : ports_(ports),
      config_(config),
      split_(config.band_sectors, config.slots),
      shape_(ports.flash->shape()),
      layout_(geometry, plan, config.band_sectors, ports.media),
      bands_(static_cast<std::uint32_t>(config.bands != 0 ? config.bands : layout_.bands() - config.spares())),
      codec_(config.slots, config.slot_bytes),
      map_(ports.memory, ports.cpu, split_, bands_, shape_, config.paired(), config.victim,
           ports.cleaning == nullptr ? 1 : ports.cleaning->arms()),
      places_(ports, geometry, config.in_place() ? FormatPlan{} : regions_named(plan, "log"), bands_,
              static_cast<std::uint32_t>(layout_.bands()), split_.p(), arms_of_bands(ports.cleaning, layout_)),
      mergers_(make_mergers(config.round_sectors(geometry.sector_bytes))),
      reader_(ports, layout_, places_),
      free_blocks_(ports.cpu, free_blocks_gauge, 0),
      pool_(static_cast<std::uint32_t>(shape_.blocks), config.free_list, &free_blocks_),
      pages_(*ports.flash, ports.cpu, *this),
      epochs_(ports.memory, MemoryCategory::metadata, bands_, "mu-rmw merge counts of the bands"),
      checkpoint_(make_tag_checkpoint(ports, geometry, plan, config.tags())),
      group_locks_(ports.cpu),
      band_locks_(ports.cpu),
      reclaim_lock_(ports.cpu),
      commit_lock_(ports.cpu),
      policy_(ports.policy_or(shown_)),
      written_(ports.cpu) {
  for (std::uint32_t lbn = 0; lbn < bands_; ++lbn) map_.set_arm(lbn, places_.arm_of(lbn));
  ports.memory.reserve(MemoryCategory::metadata, pool_.bytes(), "mu-rmw free blocks");
}

std::deque<MuRmw::Merger> MuRmw::make_mergers(std::uint32_t buffer_sectors) const {
  std::deque<Merger> mergers;
  for (std::uint32_t left = ports_.cleaning == nullptr ? 1 : ports_.cleaning->at_once(); left > 0; --left)
    mergers.emplace_back(ports_, layout_, buffer_sectors, split_.p());
  return mergers;
}

Task<Status> MuRmw::format() {
  for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
    if (ports_.flash->is_bad(NandBlock(block))) pool_.retire(block);
    pool_.put(block);
  }
  if (checkpoint_) {
    const Status status = co_await checkpoint_->format();
    if (!ok(status)) co_return status;
  }
  co_return co_await places_.format();
}

Task<Status> MuRmw::flush() { co_return Status::ok; }  // what was acknowledged is on flash

void MuRmw::prefill(std::uint64_t) {}  // every sector has its place in its band from the start; flash is a cache

LogicalRun MuRmw::within_group(LogicalRun rest) const {
  const SplitAddress at = split_(rest.first);
  rest.count = std::min(rest.count, split_.sectors_of(at.idx) - at.off);
  return rest;
}

// --- Section III-C: reads ---

Task<Status> MuRmw::read(LogicalRun run, DataSpan data) {
  const LogicalSector last = run.end() - 1;
  NumberLocks::Lock groups(group_locks_, {group_of(run.first), group_of(last) + 1}, LockMode::shared);
  co_await groups;
  NumberLocks::Lock bands(band_locks_, {split_(run.first).lbn, split_(last).lbn + 1ULL}, LockMode::shared);
  co_await bands;
  const Scratches::Handle scratch = scratches_.take();
  Scratch& work = *scratch;
  Status status = co_await read_tables(run, data, work);
  if (!ok(status)) co_return status;
  const std::span<const std::uint32_t> pages(work.pages);
  status = co_await reader_.read_flash(pages, data, work.commands);
  if (!ok(status)) co_return status;
  co_return co_await reader_.read_bands(run, pages, data);
}

/// Finds the flash page of each sector. The page that holds a sub-table is read with its data, which often is what is asked for.
Task<Status> MuRmw::read_tables(LogicalRun run, DataSpan data, Scratch& scratch) {
  scratch.pages.assign(run.count, no_page);
  scratch.commands.clear();
  for (std::uint32_t done = 0; done < run.count;) {
    const LogicalRun piece = within_group({run.first + done, run.count - done});
    const std::uint32_t newest = map_.directory(group_of(piece.first));
    if (newest != no_page) {
      FlashCommand& command = scratch.commands.emplace_back();
      command.op = FlashOp::read;
      command.aim(newest, shape_);
      command.data = data.part(done, 1);
    }
    done += piece.count;
  }
  if (scratch.commands.empty()) co_return Status::ok;
  scratch.images.resize(std::max<std::size_t>(scratch.images.size(), scratch.commands.size() * codec_.bytes()));
  for (std::size_t i = 0; i < scratch.commands.size(); ++i) scratch.commands[i].oob = image(scratch, i);
  const std::span<FlashCommand> commands(scratch.commands);
  const Status status = co_await run_reads(*ports_.flash, commands);
  if (!delivered(status)) co_return status;

  scratch.table.resize(split_.q());
  for (std::size_t i = 0; i < scratch.commands.size(); ++i) {
    const FlashCommand& command = scratch.commands[i];
    OobHeader header;
    const bool readable = ok(command.status) || command.status == Status::lost;
    if (readable && !codec_.decode(image(scratch, i), header, scratch.table)) co_return Status::corrupt;
    const std::uint32_t offset = command.data.first - data.first;
    const LogicalRun piece = within_group({run.first + offset, run.count - offset});
    if (!readable && !table_from_tags(split_(piece.first), scratch.table)) co_return command.status;
    const auto slots = scratch.table.begin() + split_(piece.first).off;
    std::copy(slots, slots + piece.count, scratch.pages.begin() + offset);
    if (!ok(command.status)) continue;  // a sector that lies beside the sub-table is read again, and found to be lost
    if (header.kind != OobHeader::Kind::data || header.lsn < piece.first || header.lsn >= piece.end()) continue;
    const auto place = static_cast<std::uint32_t>(header.lsn - run.first);
    if (scratch.pages[place] != command.target(shape_)) continue;
    if (place != offset) ports_.memory.copy(data.part(offset, 1), data.part(place, 1));
    if (any_lost(data.part(place, 1))) continue;  // in the buffer: the page is read again
    scratch.pages[place] = BandReader::read_along;
    reader_.count_flash_read();
  }
  co_return Status::ok;
}

// --- Section III-C: writes ---

Task<Status> MuRmw::write(LogicalRun run, DataSpan data, WriteOptions) {
  trims_.written(run);
  std::uint32_t done = 0;
  while (done < run.count) {
    const LogicalRun piece = within_group({run.first + done, run.count - done});
    const DataSpan part = data.part(done, piece.count);
    const Status status = co_await write_group(piece, part);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  if (!written_.empty()) written_.wake_all();
  co_return Status::ok;
}

/// "The latest sector mapping subtable will be retrieved first ...; after updating the PPN, the subtable will be written to the
/// allocated new page along with the data and then the pointer of this subtable will be updated accordingly."
Task<Status> MuRmw::write_group(LogicalRun run, DataSpan data) {
  Group group;
  group.at = split_(run.first);
  group.number = split_.group(group.at);
  NumberLocks::Lock lock(group_locks_, {group.number, group.number + 1}, LockMode::exclusive);
  co_await lock;
  Status status = co_await open_group(group);
  std::uint32_t done = 0;
  while (ok(status) && done < run.count) {
    status = co_await find_room(group);
    if (!ok(status)) break;
    open_block(group.at.lbn);
    const LogicalRun piece{run.first + done, std::min(run.count - done, map_.room(group.at.lbn))};
    const DataSpan part = data.part(done, piece.count);
    done += co_await program_data(group, piece, part);
  }
  co_return status;
}

/// Takes the band and reads the newest sub-table of the group; an empty one where nothing of the group is cached. A band with a
/// sub-table that cannot be read is merged first.
Task<Status> MuRmw::open_group(Group& group) {
  const Status status = co_await read_newest_table(group);
  if (ok(status) || !delivered(status)) co_return status;
  co_return co_await merge_lost_table(group);
}

Task<Status> MuRmw::read_newest_table(Group& group) {
  group.band.emplace(band_locks_, NumberRange{group.at.lbn, group.at.lbn + 1ULL}, LockMode::shared);
  NumberLocks::Lock& band = *group.band;
  co_await band;
  group.scratch = scratches_.take();
  group.epoch = epochs_.read(group.at.lbn);
  Scratch& scratch = *group.scratch;
  scratch.table.assign(split_.q(), no_page);
  const std::uint32_t newest = map_.directory(group.number);
  if (newest == no_page) co_return Status::ok;

  ++statistics_.subtable_reads;
  scratch.commands.assign(1, FlashCommand{});
  scratch.images.resize(std::max<std::size_t>(scratch.images.size(), codec_.bytes()));
  FlashCommand& command = scratch.commands.front();
  command.op = FlashOp::read_oob;
  command.aim(newest, shape_);
  command.oob = image(scratch, 0);
  const std::span<FlashCommand> commands(scratch.commands);
  const Status status = co_await run_reads(*ports_.flash, commands);
  if (!ok(status) && status != Status::lost) co_return status;
  OobHeader header;
  if (!codec_.decode(image(scratch, 0), header, scratch.table)) co_return Status::corrupt;
  co_return Status::ok;
}

/// Sees to it that the band's open block has a free page, or that a block is free. The band is let go while space is made; if
/// it was merged meanwhile, nothing of the group is cached any more.
Task<Status> MuRmw::find_room(Group& group) {
  const std::uint32_t lbn = group.at.lbn;
  while (map_.room(lbn) == 0 && pool_.empty()) {
    group.band->unlock();
    const Status status = co_await make_room();
    if (!ok(status)) co_return status;
    group.band.emplace(band_locks_, NumberRange{lbn, lbn + 1ULL}, LockMode::shared);
    NumberLocks::Lock& band = *group.band;
    co_await band;
    if (epochs_.read(lbn) != group.epoch) {
      group.epoch = epochs_.peek(lbn);
      group.scratch->table.assign(split_.q(), no_page);
    }
  }
  // Where a record that failed may void the band's pages at the next boot, no later page may name them.
  co_return places_.status();
}

/// Blocks are allocated to a band on demand.
void MuRmw::open_block(std::uint32_t lbn) {
  if (map_.room(lbn) == 0) map_.append_block(lbn, pool_.take());
}

/// Programs `run` to the next pages of the band's open block, which must have room for it; gives the number of sectors that
/// are on flash. One block is programmed in order, so a power cut leaves a beginning of the run, and each page that was
/// programmed names only pages that were. A page of several sectors is shared with other groups of the band.
Task<std::uint32_t> MuRmw::program_data(Group& group, LogicalRun run, DataSpan data) {
  Scratch& scratch = *group.scratch;
  const std::uint32_t lbn = group.at.lbn;
  const std::uint32_t off = split_(run.first).off;
  scratch.taken.resize(run.count);
  map_.take_pages(lbn, scratch.taken);
  scratch.commands.assign(run.count, FlashCommand{});
  scratch.images.resize(std::max<std::size_t>(scratch.images.size(), std::size_t{run.count} * codec_.bytes()));
  scratch.pages.resize(std::max<std::size_t>(scratch.pages.size(), run.count));
  const std::uint64_t seq = next_seq_;
  next_seq_ += run.count;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    scratch.pages[i] = scratch.table[off + i];
    scratch.table[off + i] = scratch.taken[i];
    const OobHeader header{run.first + i, seq + i, OobHeader::Kind::data};
    codec_.encode(header, scratch.table, image(scratch, i));
    FlashCommand& command = scratch.commands[i];
    command.op = FlashOp::program;
    command.aim(scratch.taken[i], shape_);
    command.data = data.part(i, 1);
    command.oob = image(scratch, i);
  }
  const std::span<FlashCommand> commands(scratch.commands);
  co_await pages_.program(lbn, commands);
  std::uint32_t good = 0;
  while (good < run.count && ok(scratch.commands[good].status)) ++good;
  if (checkpoint_) {
    for (std::uint32_t i = 0; i < run.count; ++i)
      checkpoint_->programmed(scratch.taken[i], {run.first + i, seq + i, OobHeader::Kind::data}, i < good);
  }
  if (good < run.count) fail_block(lbn, scratch.taken.front());
  for (std::uint32_t i = good; i < run.count; ++i) {  // a page behind one that failed names it: void as well
    scratch.table[off + i] = scratch.pages[i];
    map_.invalidate(lbn, scratch.taken[i]);
  }
  if (good == 0) co_return 0;
  map_.set_directory(group.number, scratch.taken[good - 1]);
  for (std::uint32_t i = 0; i < good; ++i)
    if (scratch.pages[i] != no_page) map_.invalidate(lbn, scratch.pages[i]);
  co_return good;
}

void MuRmw::close_page(std::uint32_t lbn) {
  const auto [first, end] = map_.close_page(lbn);
  if (checkpoint_) checkpoint_->pad(first, end, next_seq_ - 1);
}

/// A block whose page could not be programmed takes no further page. Its valid pages stay readable; when it is reclaimed, it does
/// not come back to the pool.
void MuRmw::fail_block(std::uint32_t lbn, std::uint32_t page) {
  ++statistics_.cache.failed_programs;
  const std::uint32_t block = map_.block_of(page);
  pool_.retire(block);
  map_.close_block(lbn, block);
}

// --- Boot ---

// Boot after a power cut. The paper is silent; here programming a page is the commit, and every page says what it is.
//
// Sub-tables are read of groups alone in which the scan found anything that the checkpoint does not know. Every program and every page that
// counts no more is recorded, so that the records are the mapping of all other groups.

Task<Status> MuRmw::recover() {
  Status status = co_await places_.recover();
  if (!ok(status)) co_return status;
  Found found;
  status = co_await scan_pages(*ports_.flash, codec_, PageOrder(shape_, config_.paired()), user_sectors(), found, checkpoint_.get());
  if (!ok(status)) co_return status;
  next_seq_ = std::max({next_seq_, found.next_seq, places_.newest_watermark() + 1});
  restore_lists(found);
  status = co_await restore_tables(found);
  if (!ok(status)) co_return status;
  if (checkpoint_) {
    checkpoint_->restart(found.tags);
    for (const std::uint32_t page : found.unnamed) checkpoint_->discard(page);
    co_await checkpoint_->repair();
  }
  co_await erase_blocks(found.stale);
  co_return Status::ok;
}

/// Of the cached generation of its band: not merged into the band already.
bool MuRmw::live(const PageTag& tag) const { return tag.state == PageTag::State::good && tag.seq > places_.watermark(split_(tag.lsn).lbn); }

/// A block belongs to the band of its live pages; the lists are in the order in which blocks were first programmed. Blocks
/// without a live page are stale where anything was ever programmed to them: torn pages, erases that the cut prevented.
void MuRmw::restore_lists(Found& found) {
  struct Listed {
    std::uint64_t seq;
    std::uint32_t lbn;
    std::uint32_t block;
    std::uint32_t used;
  };
  std::vector<Listed> listed;
  for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
    if (ports_.flash->is_bad(NandBlock(block))) pool_.retire(block);
    const std::uint64_t first = std::uint64_t{block} * shape_.block_subpages();
    std::uint32_t used = 0;
    std::optional<Listed> owner;
    for (std::uint32_t page = 0; page < shape_.block_subpages(); ++page) {
      const PageTag& tag = found.tags[first + page];
      if (tag.state != PageTag::State::blank) used = page + 1;
      if (!owner && live(tag)) owner = Listed{tag.seq, split_(tag.lsn).lbn, block, 0};
    }
    if (owner) {
      owner->used = pool_.retired(block) ? shape_.block_subpages() : used;
      listed.push_back(*owner);
    } else if (used > 0) {
      found.stale.push_back(block);
    } else {
      pool_.put(block);
    }
  }
  std::sort(listed.begin(), listed.end(), [](const Listed& a, const Listed& b) { return a.seq < b.seq; });
  for (const Listed& entry : listed) map_.append_block(entry.lbn, entry.block, entry.used);
}

/// Directories and valid counts out of the newest sub-table of each group.
Task<Status> MuRmw::restore_tables(Found& found) {
  const PageTags& tags = found.tags;
  std::vector<std::uint32_t> pages;  // live ones, group by group, newest first
  for (std::uint32_t page = 0; page < tags.size(); ++page)
    if (live(tags[page])) pages.push_back(page);
  std::sort(pages.begin(), pages.end(), [this, &tags](std::uint32_t a, std::uint32_t b) {
    const std::uint64_t group_a = group_of(tags[a].lsn);
    const std::uint64_t group_b = group_of(tags[b].lsn);
    return group_a != group_b ? group_a < group_b : tags[a].seq > tags[b].seq;
  });
  const std::vector<LogicalSector> gone = sectors_gone(tags);
  auto next_gone = gone.begin();
  for (auto first = pages.begin(); first != pages.end();) {
    const std::uint64_t group = group_of(tags[*first].lsn);
    const auto end = std::find_if(first, pages.end(), [&](std::uint32_t page) { return group_of(tags[page].lsn) != group; });
    while (next_gone != gone.end() && group_of(*next_gone) < group) ++next_gone;
    const std::span<const std::uint32_t> members(first, end);
    const bool known = next_gone == gone.end() || group_of(*next_gone) != group;
    if (known && std::ranges::all_of(members, [&tags](std::uint32_t page) { return tags[page].recorded; })) {
      take_recorded_table(group, members, tags);
    } else {
      const Status status = co_await read_table(group, members, found);
      if (!ok(status)) co_return status;
    }
    first = end;
  }
  for (std::uint32_t lbn = 0; lbn < bands_; ++lbn)
    for (std::uint32_t block = map_.first_block(lbn); block != ConcentratedMap::no_block; block = map_.block_after(block))
      map_.settle(lbn, block);
  co_return Status::ok;
}

/// Sectors, in order, whose newest recorded copy is not where it was recorded, and that have no other that the records know to be newer.
std::vector<LogicalSector> MuRmw::sectors_gone(const PageTags& tags) const {
  std::vector<LogicalSector> gone;
  if (!checkpoint_) return gone;
  std::vector<std::uint32_t> recorded;
  for (std::uint32_t page = 0; page < tags.size(); ++page) {
    const OobHeader header = checkpoint_->tag(page);
    if (header.seq != 0 && header.seq > places_.watermark(split_(header.lsn).lbn)) recorded.push_back(page);
  }
  std::sort(recorded.begin(), recorded.end(), [this](std::uint32_t a, std::uint32_t b) {
    const OobHeader tag_a = checkpoint_->tag(a);
    const OobHeader tag_b = checkpoint_->tag(b);
    return tag_a.lsn != tag_b.lsn ? tag_a.lsn < tag_b.lsn : tag_a.seq > tag_b.seq;
  });
  std::optional<LogicalSector> looked_at;
  for (const std::uint32_t page : recorded) {
    const LogicalSector lsn = checkpoint_->tag(page).lsn;
    if (looked_at != lsn && !tags[page].recorded) gone.push_back(lsn);
    looked_at = lsn;
  }
  return gone;
}

/// The table of a group in which nothing has changed since it was recorded: the newest page of each sector that counts.
void MuRmw::take_recorded_table(std::uint64_t group, std::span<const std::uint32_t> members, const PageTags& tags) {
  std::vector<bool> newer(split_.q());
  bool newest = true;
  for (const std::uint32_t page : members) {
    const PageTag& tag = tags[page];
    if (tag.discarded) continue;
    if (newest) map_.set_directory(group, page);
    const std::uint32_t off = split_(tag.lsn).off;
    if (!newer[off]) map_.validate(page);
    newer[off] = true;
    newest = false;
  }
}

/// Reads the sub-tables of a group, newest first, until one can be taken. Copies that are newer than what it names count no more.
Task<Status> MuRmw::read_table(std::uint64_t group, std::span<const std::uint32_t> members, Found& found) {
  std::uint32_t taken = no_page;
  const Scratches::Handle scratch = scratches_.take();
  for (const std::uint32_t page : members) {
    bool accepted = false;
    const Status status = co_await restore_table(group, page, found, *scratch, accepted);
    if (!ok(status)) co_return status;
    if (accepted) {
      taken = page;
      break;
    }
    found.tags[page].discarded = true;
  }
  if (taken == no_page) co_return Status::ok;
  for (const std::uint32_t page : members) {
    const PageTag& tag = found.tags[page];
    if (tag.seq > found.tags[taken].seq || tag.discarded) continue;
    const std::uint32_t named = scratch->table[split_(tag.lsn).off];
    if (named == no_page || tag.seq > found.tags[named].seq) found.unnamed.push_back(page);
  }
  co_return Status::ok;
}

/// Takes the sub-table in `page` for the group's newest, unless it names a page that is not what it says: then a program of the
/// same, never acknowledged write failed in front of this page. A block of which only a lost page is named stays with its band.
Task<Status> MuRmw::restore_table(std::uint64_t group, std::uint32_t page, Found& found, Scratch& work, bool& accepted) {
  const PageTags& tags = found.tags;
  work.table.resize(split_.q());
  work.commands.assign(1, FlashCommand{});
  FlashCommand& command = work.commands.front();
  work.images.resize(std::max<std::size_t>(work.images.size(), codec_.bytes()));
  command.op = FlashOp::read_oob;
  command.aim(page, shape_);
  command.oob = image(work, 0);
  const std::span<FlashCommand> commands(work.commands);
  const Status status = co_await run_reads(*ports_.flash, commands);
  if (!delivered(status)) co_return status;
  OobHeader header;
  SplitAddress at = split_(tags[page].lsn);
  if (!ok(status) && status != Status::lost) {
    header = tags[page].header();
    const auto tag_of = [&](std::uint32_t named) {
      return live(tags[named]) && !tags[named].discarded ? tags[named].header() : OobHeader{};
    };
    newest_pages(at, tag_of, work.table);
  } else if (!codec_.decode(image(work, 0), header, work.table)) {
    co_return Status::corrupt;
  }

  for (at.off = 0; at.off < split_.q(); ++at.off) {
    const std::uint32_t named = work.table[at.off];
    if (named == no_page) continue;
    // A page that cannot be read, and is named by a later one of its group, was lost since: so is its sector.
    if (named < tags.size() && tags[named].state == PageTag::State::unreadable) continue;
    if (named >= tags.size() || !live(tags[named]) || tags[named].lsn != split_.sector(at) || tags[named].seq > header.seq)
      co_return Status::ok;
  }
  accepted = true;
  map_.set_directory(group, page);
  for (at.off = 0; at.off < split_.q(); ++at.off) {
    const std::uint32_t named = work.table[at.off];
    if (named == no_page) continue;
    // From now on the lost page is known for what the sub-table says of it: older than that, newer than the other copies of its sector.
    PageTag& tag = found.tags[named];
    if (tag.state == PageTag::State::unreadable) tag = {header.seq - 1, split_.sector(at), OobHeader::Kind::data, PageTag::State::good};
    const std::uint32_t block = map_.block_of(named);
    if (std::erase(found.stale, block) != 0) map_.append_block(at.lbn, block, shape_.block_subpages());
    map_.validate(named);
  }
  co_return Status::ok;
}

}  // namespace tessera::mu_rmw
