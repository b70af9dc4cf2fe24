// "PC-level" reclamation: every block with a page that is not valid is won back; the valid pages in it, of forbidden bands, are copied
// to fresh blocks first. The order is copy, then erase: a copy has a newer sequence number than what it was copied from.
#include <algorithm>
#include <deque>

#include "firmware/flash/flash_reads.hpp"
#include "firmware/layers/pore/pore_layer.hpp"

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

/// A place for each copy. Copybacks move whole pages inside a plane: each place goes to such a page of its plane, if there is one, that was
/// not moved too often since it last went through error correction.
void Pore::pair_up(std::span<const std::uint32_t> pages) {
  pairs_.clear();
  const std::uint32_t whole = shape_.subpages;
  const auto plane_of = [this](std::uint32_t sector) { return shape_.plane_of(NandPage(sector / shape_.subpages)); };
  std::vector<std::deque<std::uint32_t>> movable(shape_.planes);  // by plane: the first sector of each page
  std::deque<std::uint32_t> others;
  for (std::size_t i = 0; i < pages.size();) {
    const bool all_valid = pages[i] % whole == 0 && i + whole <= pages.size() && pages[i + whole - 1] == pages[i] + whole - 1;
    if (all_valid && config_.copybacks != 0 && moves_.read(pages[i] / whole) < config_.copybacks) {
      movable[plane_of(pages[i])].push_back(pages[i]);
      i += whole;
    } else {
      others.push_back(pages[i++]);
    }
  }

  while (pairs_.size() < pages.size()) {
    std::deque<std::uint32_t>& beside = movable[plane_of(spaces_[cache].next_block(0) * shape_.block_subpages())];
    if (!beside.empty()) {
      for (std::uint32_t part = 0; part < whole; ++part) pairs_.push_back({beside.front() + part, spaces_[cache].take(0), true});
      beside.pop_front();
      continue;
    }
    while (others.size() < whole) {  // so that the next place begins a page again
      std::deque<std::uint32_t>& most = *std::ranges::max_element(movable, {}, &std::deque<std::uint32_t>::size);
      if (most.empty()) break;
      for (std::uint32_t part = 0; part < whole; ++part) others.push_back(most.front() + part);
      most.pop_front();
    }
    for (std::uint32_t part = 0; part < whole && !others.empty(); ++part) {
      pairs_.push_back({others.front(), spaces_[cache].take(0), false});
      others.pop_front();
    }
  }
}

/// Copies valid pages to the next pages of the cache, one that cannot be read as lost; one whose program fails stays where it is, and so
/// does its block.
Task<Status> Pore::copy_pages(std::span<const std::uint32_t> pages) {
  if (pages.empty()) co_return Status::ok;
  pair_up(pages);
  reads_.clear();
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
    if (pairs_[i].inside) continue;
    FlashCommand& read = reads_.emplace_back();
    read.op = FlashOp::read;
    read.aim(pairs_[i].from, shape_);
    read.data = copies_.part(i, 1);
  }
  const std::span<FlashCommand> reads(reads_);
  const Status status = co_await run_reads(*ports_.flash, reads);
  if (!delivered(status)) co_return status;
  commands_.assign(pages.size(), FlashCommand{});
  std::vector<LogicalSector> sectors;
  for (std::uint32_t i = 0; i < pairs_.size(); ++i) {
    const Copy& copy = pairs_[i];
    sectors.push_back(owners_.sector(copy.from));
    commands_[i].aim(copy.to, shape_);
    if (copy.inside) {
      commands_[i].op = FlashOp::copyback;
      commands_[i].from = NandPage(copy.from / shape_.subpages);
    } else {
      commands_[i].data = copies_.part(i, 1);
    }
  }
  const std::span<FlashCommand> commands(commands_);
  const std::span<const LogicalSector> copied(sectors);
  co_await program(cache, commands, copied);
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (!ok(commands_[i].status)) continue;
    const Copy copy = pairs_[i];
    const LogicalRun piece{sectors[i], 1};
    const Status pinned = co_await map_->pin(piece);
    if (!ok(pinned)) co_return pinned;
    owners_.replace(copy.from, copy.to);
    map_->set(sectors[i], copy.to);
    map_->unpin(piece);
    if (config_.mode == Mode::original) stamps_.write(copy.to) = stamps_.read(copy.from);
    if (config_.copybacks != 0) count_moves(copy);
    ++copied_;
    moved_ += copy.inside ? 1 : 0;
  }
  co_return Status::ok;
}

void Pore::count_moves(const Copy& copy) {
  const std::uint8_t before = copy.inside ? moves_.read(copy.from / shape_.subpages) : std::uint8_t{0};
  moves_.write(copy.to / shape_.subpages) = static_cast<std::uint8_t>(before + (copy.inside ? 1 : 0));
}

}  // namespace tessera::pore
