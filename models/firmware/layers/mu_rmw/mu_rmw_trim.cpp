// TRIM. The page that holds the newest sub-table of a group must stay valid, so the sub-table moves to a page of its own.
#include "firmware/layers/mu_rmw/mu_rmw_layer.hpp"

#include <algorithm>

namespace tessera::mu_rmw {

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
  std::uint32_t page = no_page;
  map_.take_pages(lbn, std::span(&page, 1));
  scratch.commands.assign(1, FlashCommand{});
  scratch.images.resize(std::max<std::size_t>(scratch.images.size(), codec_.bytes()));
  SplitAddress start = group.at;
  start.off = 0;
  const OobHeader header{split_.sector(start), next_seq_++, OobHeader::Kind::mapping};
  codec_.encode(header, scratch.table, image(scratch, 0));
  FlashCommand& command = scratch.commands.front();
  command.op = FlashOp::program;
  command.aim(page, shape_);
  command.oob = image(scratch, 0);
  const std::span<FlashCommand> commands(scratch.commands);
  co_await pages_.program(lbn, commands);
  const Status status = command.status;
  if (checkpoint_) checkpoint_->programmed(page, header, ok(status));
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
  if (checkpoint_) discard_copies(group, count);
}

/// No copy of the trimmed sectors counts any more, the older ones neither: their pages may outlive the newest.
void MuRmw::discard_copies(const Group& group, std::uint32_t count) {
  for (std::uint32_t block = map_.first_block(group.at.lbn); block != ConcentratedMap::no_block; block = map_.block_after(block)) {
    ports_.cpu.scan(shape_.block_subpages());
    for (std::uint32_t page = block * shape_.block_subpages(); page < (block + 1) * shape_.block_subpages(); ++page) {
      const OobHeader tag = checkpoint_->tag(page);
      if (tag.seq == 0 || tag.kind != OobHeader::Kind::data || group_of(tag.lsn) != group.number) continue;
      const std::uint32_t off = split_(tag.lsn).off;
      if (off >= group.at.off && off - group.at.off < count) checkpoint_->discard(page);
    }
  }
}

}  // namespace tessera::mu_rmw
