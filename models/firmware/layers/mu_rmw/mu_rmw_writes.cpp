// Section III-C of the paper: writes.
#include "firmware/layers/mu_rmw/mu_rmw_layer.hpp"

#include <algorithm>

#include "firmware/flash/flash_reads.hpp"

namespace tessera::mu_rmw {

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

}  // namespace tessera::mu_rmw
