#include "firmware/layers/mu_rmw/layer.hpp"

#include <algorithm>

#include "firmware/flash/flash_reads.hpp"
#include "firmware/layout/plan_regions.hpp"

namespace tessera::mu_rmw {

namespace {

/// Mark of a page whose data came along with the sub-table.
constexpr std::uint32_t read_along = OobCodec::no_page - 1;

}  // namespace

MuRmw::MuRmw(const Ports& ports, const MuRmwConfig& config, const DriveGeometry& geometry, const FormatPlan& plan)
    : ports_(ports),
      config_(config),
      split_(config.band_sectors, config.slots),
      shape_(ports.flash->shape()),
      layout_(geometry, plan, config.band_sectors, ports.media),
      bands_(static_cast<std::uint32_t>(config.bands != 0 ? config.bands : layout_.bands() - config.spares())),
      codec_(config.slots, config.slot_bytes),
      map_(ports.memory, ports.cpu, split_, bands_, shape_),
      places_(ports, geometry, config.in_place() ? FormatPlan{} : regions_named(plan, "log"), bands_,
              static_cast<std::uint32_t>(layout_.bands())),
      merge_(ports.media, *ports.flash, ports.memory, layout_, config.round_sectors(geometry.sector_bytes)),
      full_table_(ports.memory, MemoryCategory::merge_buffer, split_.p(), "sector mapping table of a merge"),
      pool_(static_cast<std::uint32_t>(shape_.blocks), config.free_list),
      epochs_(ports.memory, MemoryCategory::metadata, bands_, "mu-rmw merge counts of the bands"),
      group_locks_(ports.cpu),
      band_locks_(ports.cpu),
      reclaim_lock_(ports.cpu) {
  ports.memory.reserve(MemoryCategory::metadata, pool_.bytes(), "mu-rmw free blocks");
}

Task<Status> MuRmw::format() {
  for (std::uint32_t block = 0; block < shape_.blocks; ++block) {
    if (ports_.flash->is_bad(NandBlock(block))) pool_.retire(block);
    pool_.put(block);
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

// Writes

Task<Status> MuRmw::write(LogicalRun run, DataSpan data, WriteOptions) {
  std::uint32_t done = 0;
  while (done < run.count) {
    const LogicalRun piece = within_group({run.first + done, run.count - done});
    const DataSpan part = data.part(done, piece.count);
    const Status status = co_await write_group(piece, part);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
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

/// Takes the band and reads the newest sub-table of the group; an empty one where nothing of the group is cached.
Task<Status> MuRmw::open_group(Group& group) {
  group.band.emplace(band_locks_, NumberRange{group.at.lbn, group.at.lbn + 1ULL}, LockMode::shared);
  NumberLocks::Lock& band = *group.band;
  co_await band;
  group.scratch = scratches_.take();
  group.epoch = epochs_.read(group.at.lbn);
  group.mapping_page = no_page;
  Scratch& scratch = *group.scratch;
  scratch.table.assign(split_.q(), no_page);
  const std::uint32_t newest = map_.directory(group.number);
  if (newest == no_page) co_return Status::ok;

  ++statistics_.subtable_reads;
  scratch.commands.assign(1, FlashCommand{});
  scratch.images.resize(std::max<std::size_t>(scratch.images.size(), codec_.bytes()));
  FlashCommand& command = scratch.commands.front();
  command.op = FlashOp::read_oob;
  command.page = NandPage(newest);
  command.oob = image(scratch, 0);
  const std::span<FlashCommand> commands(scratch.commands);
  const Status status = co_await run_reads(*ports_.flash, commands);
  if (!ok(status)) co_return status;
  OobHeader header;
  if (!codec_.decode(image(scratch, 0), header, scratch.table)) co_return Status::corrupt;
  if (header.kind == OobHeader::Kind::mapping) group.mapping_page = newest;
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
      group.mapping_page = no_page;
      group.scratch->table.assign(split_.q(), no_page);
    }
  }
  co_return Status::ok;
}

/// Blocks are allocated to a band on demand.
void MuRmw::open_block(std::uint32_t lbn) {
  if (map_.room(lbn) == 0) map_.append_block(lbn, pool_.take());
}

/// Programs `run` to the next pages of the band's open block, which must have room for it; gives the number of sectors that
/// are on flash. One block is programmed in order, so a power cut leaves a beginning of the run, and each page that was
/// programmed names only pages that were.
Task<std::uint32_t> MuRmw::program_data(Group& group, LogicalRun run, DataSpan data) {
  Scratch& scratch = *group.scratch;
  const std::uint32_t lbn = group.at.lbn;
  const std::uint32_t off = split_(run.first).off;
  const std::uint32_t first = map_.take_pages(lbn, run.count);
  scratch.commands.assign(run.count, FlashCommand{});
  scratch.images.resize(std::max<std::size_t>(scratch.images.size(), std::size_t{run.count} * codec_.bytes()));
  scratch.pages.resize(std::max<std::size_t>(scratch.pages.size(), run.count));
  for (std::uint32_t i = 0; i < run.count; ++i) {
    scratch.pages[i] = scratch.table[off + i];
    scratch.table[off + i] = first + i;
    const OobHeader header{run.first + i, next_seq_++, OobHeader::Kind::data};
    codec_.encode(header, scratch.table, image(scratch, i));
    FlashCommand& command = scratch.commands[i];
    command.op = FlashOp::program;
    command.page = NandPage(first + i);
    command.data = data.part(i, 1);
    command.oob = image(scratch, i);
  }
  FlashBatch batch(scratch.commands);
  const Status status = co_await ports_.flash->run(batch);

  std::uint32_t good = 0;
  while (good < run.count && ok(scratch.commands[good].status)) ++good;
  if (!ok(status)) fail_block(lbn, first);
  for (std::uint32_t i = good; i < run.count; ++i) {  // a page behind one that failed names it: void as well
    scratch.table[off + i] = scratch.pages[i];
    map_.invalidate(lbn, first + i);
  }
  if (good == 0) co_return 0;
  map_.set_directory(group.number, first + good - 1);
  for (std::uint32_t i = 0; i < good; ++i)
    if (scratch.pages[i] != no_page) map_.invalidate(lbn, scratch.pages[i]);
  if (group.mapping_page != no_page) map_.invalidate(lbn, group.mapping_page);
  group.mapping_page = no_page;
  co_return good;
}

/// A block whose page could not be programmed takes no further page. Its valid pages stay readable; when it is reclaimed, it does
/// not come back to the pool.
void MuRmw::fail_block(std::uint32_t lbn, std::uint32_t page) {
  ++statistics_.failed_programs;
  const std::uint32_t block = map_.block_of(page);
  pool_.retire(block);
  map_.close_block(lbn, block);
}

// Trim: the page that holds the newest sub-table of a group must stay valid (14b), so the sub-table moves to a page of its own.

Task<Status> MuRmw::trim(LogicalRun run) {
  std::uint32_t done = 0;
  while (done < run.count) {
    const LogicalRun piece = within_group({run.first + done, run.count - done});
    const Status status = co_await trim_group(piece);
    if (!ok(status)) co_return status;
    done += piece.count;
  }
  co_return Status::ok;
}

Task<Status> MuRmw::trim_group(LogicalRun run) {
  Group group;
  group.at = split_(run.first);
  group.number = split_.group(group.at);
  NumberLocks::Lock lock(group_locks_, {group.number, group.number + 1}, LockMode::exclusive);
  co_await lock;
  Status status = co_await open_group(group);
  while (ok(status) && caches_any(group, run.count)) {
    status = co_await find_room(group);
    if (!ok(status) || !caches_any(group, run.count)) break;  // the band was merged meanwhile
    open_block(group.at.lbn);
    co_await program_mapping(group, run.count);
  }
  co_return status;
}

bool MuRmw::caches_any(const Group& group, std::uint32_t count) {
  const auto first = group.scratch->table.begin() + group.at.off;
  return std::any_of(first, first + count, [](std::uint32_t page) { return page != no_page; });
}

/// Programs the sub-table without the `count` slots from `group.at.off` on to the next page of the open block; the slots stay
/// as they are where that fails.
Task<void> MuRmw::program_mapping(Group& group, std::uint32_t count) {
  Scratch& scratch = *group.scratch;
  const std::uint32_t lbn = group.at.lbn;
  const auto slots = scratch.table.begin() + group.at.off;
  scratch.pages.assign(slots, slots + count);
  std::fill(slots, slots + count, no_page);
  const std::uint32_t page = map_.take_pages(lbn, 1);
  scratch.commands.assign(1, FlashCommand{});
  scratch.images.resize(std::max<std::size_t>(scratch.images.size(), codec_.bytes()));
  SplitAddress start = group.at;
  start.off = 0;
  const OobHeader header{split_.sector(start), next_seq_++, OobHeader::Kind::mapping};
  codec_.encode(header, scratch.table, image(scratch, 0));
  FlashCommand& command = scratch.commands.front();
  command.op = FlashOp::program;
  command.page = NandPage(page);
  command.oob = image(scratch, 0);
  FlashBatch batch(scratch.commands);
  const Status status = co_await ports_.flash->run(batch);
  if (!ok(status)) {
    std::copy(scratch.pages.begin(), scratch.pages.end(), slots);
    fail_block(lbn, page);
    map_.invalidate(lbn, page);
    co_return;
  }
  map_.set_directory(group.number, page);
  for (const std::uint32_t trimmed : scratch.pages)
    if (trimmed != no_page) map_.invalidate(lbn, trimmed);
  if (group.mapping_page != no_page) map_.invalidate(lbn, group.mapping_page);
  group.mapping_page = page;
}

// Reads

Task<Status> MuRmw::read(LogicalRun run, DataSpan data) {
  const LogicalSector last = run.end() - 1;
  NumberLocks::Lock groups(group_locks_, {group_of(run.first), group_of(last) + 1}, LockMode::shared);
  co_await groups;
  NumberLocks::Lock bands(band_locks_, {split_(run.first).lbn, split_(last).lbn + 1ULL}, LockMode::shared);
  co_await bands;
  const ScratchPool::Handle scratch = scratches_.take();
  Scratch& work = *scratch;
  Status status = co_await read_tables(run, data, work);
  if (!ok(status)) co_return status;
  status = co_await read_pages(data, work);
  if (!ok(status)) co_return status;
  co_return co_await read_media(run, data, work);
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
      command.page = NandPage(newest);
      command.data = data.part(done, 1);
    }
    done += piece.count;
  }
  if (scratch.commands.empty()) co_return Status::ok;
  scratch.images.resize(std::max<std::size_t>(scratch.images.size(), scratch.commands.size() * codec_.bytes()));
  for (std::size_t i = 0; i < scratch.commands.size(); ++i) scratch.commands[i].oob = image(scratch, i);
  const std::span<FlashCommand> commands(scratch.commands);
  const Status status = co_await run_reads(*ports_.flash, commands);
  if (!ok(status)) co_return status;

  scratch.table.resize(split_.q());
  for (std::size_t i = 0; i < scratch.commands.size(); ++i) {
    const FlashCommand& command = scratch.commands[i];
    OobHeader header;
    if (!codec_.decode(image(scratch, i), header, scratch.table)) co_return Status::corrupt;
    const std::uint32_t offset = command.data.first - data.first;
    const LogicalRun piece = within_group({run.first + offset, run.count - offset});
    const auto slots = scratch.table.begin() + split_(piece.first).off;
    std::copy(slots, slots + piece.count, scratch.pages.begin() + offset);
    if (header.kind != OobHeader::Kind::data || header.lsn < piece.first || header.lsn >= piece.end()) continue;
    const auto place = static_cast<std::uint32_t>(header.lsn - run.first);
    if (scratch.pages[place] != command.page.value()) continue;
    if (place != offset) ports_.memory.copy(data.part(offset, 1), data.part(place, 1));
    scratch.pages[place] = read_along;
    ++statistics_.flash_reads;
  }
  co_return Status::ok;
}

/// Reads the cached sectors that did not come along with a sub-table.
Task<Status> MuRmw::read_pages(DataSpan data, Scratch& scratch) {
  scratch.commands.clear();
  for (std::uint32_t i = 0; i < scratch.pages.size(); ++i) {
    if (scratch.pages[i] == no_page || scratch.pages[i] == read_along) continue;
    FlashCommand& command = scratch.commands.emplace_back();
    command.op = FlashOp::read;
    command.page = NandPage(scratch.pages[i]);
    command.data = data.part(i, 1);
  }
  if (scratch.commands.empty()) co_return Status::ok;
  statistics_.flash_reads += scratch.commands.size();
  const std::span<FlashCommand> commands(scratch.commands);
  co_return co_await run_reads(*ports_.flash, commands);
}

/// Reads the sectors that are not cached from their bands, contiguous ones in one step.
Task<Status> MuRmw::read_media(LogicalRun run, DataSpan data, const Scratch& scratch) {
  MediaChain chain;
  std::uint32_t at = 0;
  while (at < run.count) {
    chain.clear();
    while (at < run.count && chain.steps().size() < MediaChain::max_steps) {
      if (scratch.pages[at] != no_page) {
        ++at;
        continue;
      }
      std::uint32_t count = 1;
      while (at + count < run.count && scratch.pages[at + count] == no_page) ++count;
      const LogicalSector sector = run.first + at;
      const std::uint32_t lbn = split_(sector).lbn;
      const auto offset = static_cast<std::uint32_t>(sector - split_.band_start(lbn));
      const PhysicalRun place = layout_.locate(places_.physical(lbn), offset, count);
      chain.read(place, data.part(at, place.count));
      at += place.count;
      statistics_.media_reads += place.count;
    }
    if (chain.empty()) break;
    const Status status = co_await ports_.media.run(chain);
    if (!ok(status)) co_return status;
  }
  co_return Status::ok;
}

}  // namespace tessera::mu_rmw
