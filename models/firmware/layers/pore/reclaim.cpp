// "PC-level" reclamation: every block with a page that is not valid is won back; the valid pages in it, of forbidden bands, are copied
// to fresh blocks first. The order is copy, then erase: a copy has a newer sequence number than what it was copied from.
#include <algorithm>

#include "firmware/flash/flash_reads.hpp"
#include "firmware/layers/pore/layer.hpp"

namespace tessera::pore {

Task<Status> Pore::reclaim() {
  co_await erase_empty();
  // Groups of blocks whose valid pages fit the buffer and the room that is left, so that their copies and erases run side by side.
  const std::vector<std::uint32_t> blocks = spaces_[cache].used();
  std::vector<std::uint32_t> group;
  std::uint32_t pages = 0;
  for (const std::uint32_t block : blocks) {
    const std::uint32_t valid = owners_.valid_in(block);
    if (spaces_[cache].open(block) || whole_pages(valid) == spaces_[cache].block_pages()) continue;  // nothing to win
    const std::uint32_t room = std::min(copies_.sectors(), spaces_[cache].room(0));
    if (!group.empty() && pages + valid > room) {
      const Status status = co_await empty_blocks(group);
      if (!ok(status)) co_return status;
      group.clear();
      pages = 0;
    }
    if (valid > std::min(copies_.sectors(), spaces_[cache].room(0))) continue;  // blocks have failed: this one has to wait
    group.push_back(block);
    pages += valid;
  }
  if (group.empty()) co_return Status::ok;
  co_return co_await empty_blocks(group);
}

/// Blocks without a valid page need no copying.
Task<void> Pore::erase_empty() {
  std::vector<std::uint32_t> empty;
  for (const std::uint32_t block : spaces_[cache].used())
    if (owners_.valid_in(block) == 0 && !spaces_[cache].open(block)) empty.push_back(block);
  if (!empty.empty()) co_await spaces_[cache].erase(empty);
}

Task<Status> Pore::empty_blocks(std::span<const std::uint32_t> blocks) {
  std::vector<std::uint32_t> pages;
  for (const std::uint32_t block : blocks) {
    const std::uint32_t first = block * shape_.block_subpages();
    for (std::uint32_t page = first; page < first + shape_.block_subpages(); ++page)
      if (owners_.valid(page)) pages.push_back(page);
  }
  const std::span<const std::uint32_t> valid(pages);
  const Status status = co_await copy_pages(valid);
  if (!ok(status)) co_return status;
  std::vector<std::uint32_t> emptied;
  for (const std::uint32_t block : blocks)
    if (owners_.valid_in(block) == 0) emptied.push_back(block);
  if (!emptied.empty()) co_await spaces_[cache].erase(emptied);
  co_return Status::ok;
}

/// Copies valid pages to the next pages of the cache, one that cannot be read as lost; one whose program fails stays where it is, and so
/// does its block.
Task<Status> Pore::copy_pages(std::span<const std::uint32_t> pages) {
  if (pages.empty()) co_return Status::ok;
  commands_.assign(pages.size(), FlashCommand{});
  std::vector<LogicalSector> sectors;
  for (std::uint32_t i = 0; i < pages.size(); ++i) {
    commands_[i].op = FlashOp::read;
    commands_[i].aim(pages[i], shape_);
    commands_[i].data = copies_.part(i, 1);
    sectors.push_back(owners_.sector(pages[i]));
  }
  const std::span<FlashCommand> commands(commands_);
  const Status status = co_await run_reads(*ports_.flash, commands);
  if (!delivered(status)) co_return status;
  for (FlashCommand& command : commands_) {
    command.aim(spaces_[cache].take(0), shape_);
    command.led = false;
    command.next = nullptr;
  }
  const std::span<const LogicalSector> copied(sectors);
  co_await program(cache, commands, copied);
  for (std::size_t i = 0; i < pages.size(); ++i) {
    if (!ok(commands_[i].status)) continue;
    const LogicalRun piece{sectors[i], 1};
    const Status pinned = co_await map_->pin(piece);
    if (!ok(pinned)) co_return pinned;
    const auto copy = static_cast<std::uint32_t>(commands_[i].target(shape_));
    owners_.replace(pages[i], copy);
    map_->set(sectors[i], copy);
    map_->unpin(piece);
    if (config_.mode == Mode::original) stamps_.write(copy) = stamps_.read(pages[i]);
    ++copied_;
  }
  co_return Status::ok;
}

}  // namespace tessera::pore
