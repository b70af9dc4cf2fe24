// Flash as a read cache: what is taken in, what leaves for it, and blocks that fail.
#include <algorithm>

#include "firmware/caches/flash_read_cache.hpp"
#include "firmware/flash/shared_pages.hpp"

namespace tessera {

// --- Admission ---

/// Whether the sector, just read from the platters, was read from there not long ago. Of two that share a place in the history the later
/// one is remembered.
bool FlashReadCache::wanted(LogicalSector sector) {
  if (!history_) return true;
  ports_.cpu.hash();
  const std::uint64_t place = (sector.value() * 0x9E3779B97F4A7C15U >> 20) % history_->size();  // as DramHashMap
  const auto name = static_cast<std::uint32_t>(sector.value() + 1);
  if (history_->read(place) == name) {
    history_->write(place) = 0;
    return true;
  }
  history_->write(place) = name;
  return false;
}

/// Sectors of `data`, just read from the platters, go to the staging buffer.
void FlashReadCache::admit(LogicalRun run, DataSpan data) {
  if (retired_ == blocks_count_) return;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const LogicalSector sector = run.first + i;
    if (any_lost(data.part(i, 1)) || find(sector) != none || !wanted(sector)) continue;
    if (staged_ == stage_size_) {
      ++skipped_;
      continue;
    }
    const std::uint32_t slot = (stage_first_ + staged_++) % stage_size_;
    ports_.memory.copy(data.part(i, 1), stage_.part(slot, 1));
    enter(sector, subpages() + slot);
    ++admitted_;
  }
  if (filling_ || staged_ < shape_.subpages) return;
  filling_ = true;
  ports_.cpu.spawn(fill(), "flash_fill");
}

/// Programs what is staged, until less than a page is left.
Task<void> FlashReadCache::fill() {
  while (staged_ >= shape_.subpages) {
    const bool opened = co_await open_blocks();
    if (!opened) break;
    const auto open =
        static_cast<std::uint32_t>(std::ranges::count_if(open_, [](const OpenBlock& block) { return block.block != DramLists::none; }));
    const std::uint32_t used = gather(open);
    if (!slots_.empty()) co_await program();
    for (const std::uint32_t slot : slots_) stage_owners_.write(slot) = 0;
    stage_first_ = (stage_first_ + used) % stage_size_;
    staged_ -= used;
    if (slots_.empty()) break;
  }
  filling_ = false;
}

/// The slots of the next whole pages, at most so many, in slots_. Gives how many slots of the ring are done with once they are programmed:
/// some may have been written in the meantime.
std::uint32_t FlashReadCache::gather(std::uint32_t most) {
  slots_.clear();
  std::uint32_t used = 0;
  for (std::uint32_t i = 0; i < staged_ && slots_.size() < std::size_t{most} * shape_.subpages; ++i) {
    const std::uint32_t slot = (stage_first_ + i) % stage_size_;
    if (stage_owners_.read(slot) != 0) slots_.push_back(slot);
    if (slots_.size() % shape_.subpages == 0) used = i + 1;
  }
  slots_.resize(slots_.size() / shape_.subpages * shape_.subpages);
  return used;
}

/// Each page goes to an open block of its own.
void FlashReadCache::aim_at_open_blocks() {
  commands_.assign(slots_.size(), FlashCommand{});
  auto open = open_.begin();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (i != 0 && i % shape_.subpages == 0) ++open;
    while (open->block == DramLists::none) ++open;
    const std::uint32_t page = open->pages * shape_.subpages;
    FlashCommand& command = commands_[i];
    command.op = FlashOp::program;
    command.aim((first_block_ + open->block) * shape_.block_subpages() + page + i % shape_.subpages, shape_);
    command.data = stage_.part(slots_[i], 1);
  }
  join_pages(commands_, shape_);
}

Task<void> FlashReadCache::program() {
  aim_at_open_blocks();
  FlashBatch batch(commands_);
  const Status worst = co_await ports_.flash->run(batch);
  for (std::size_t i = 0; i < slots_.size(); ++i) settle(commands_[i], slots_[i]);
  for (OpenBlock& open : open_) {
    if (open.block == DramLists::none) continue;
    const auto is_of_block = [&](const FlashCommand& command) {
      return command.page.value() / shape_.pages_per_block == first_block_ + open.block;
    };
    const auto mine = std::ranges::find_if(commands_, is_of_block);
    if (mine == commands_.end()) continue;
    ++open.pages;
    if (!ok(worst) && !ok(mine->status)) {
      ++failed_programs_;
      retire(open.block);
      open = {};
    } else if (open.pages == shape_.pages_per_block) {
      order_.push_back(in_use, open.block);
      ++in_use_;
      open = {};
    }
  }
}

/// The sector may have been written while it was programmed.
void FlashReadCache::settle(const FlashCommand& command, std::uint32_t slot) {
  const std::uint64_t held = stage_owners_.read(slot);
  if (held == 0) return;
  const LogicalSector sector(held - 1);
  if (!ok(command.status)) return drop(sector);
  ++programmed_;
  enter(sector, static_cast<Place>(command.target(shape_) - first_block_ * shape_.block_subpages()));
}

// --- Blocks ---

/// Sees to it that blocks are open, erased; false where none is to be had now. After a power cut blocks that were not used since may hold
/// pages from before.
Task<bool> FlashReadCache::open_blocks() {
  commands_.clear();
  for (OpenBlock& open : open_) {
    if (open.block != DramLists::none) continue;
    const bool erased = blank_ && order_.front(fresh) != DramLists::none;
    open = {take_block(), 0};
    if (open.block == DramLists::none) break;
    if (erased) continue;
    FlashCommand& command = commands_.emplace_back();
    command.op = FlashOp::erase;
    command.block = NandBlock(first_block_ + open.block);
  }
  if (!commands_.empty()) {
    erases_ += commands_.size();
    FlashBatch batch(commands_);
    const Status worst = co_await ports_.flash->run(batch);
    for (const FlashCommand& command : commands_) {
      if (ok(worst) || ok(command.status)) continue;
      const auto open = std::ranges::find(open_, command.block.value() - first_block_, &OpenBlock::block);
      retire(open->block);
      *open = {};
    }
  }
  co_return std::ranges::any_of(open_, [](const OpenBlock& open) { return open.block != DramLists::none; });
}

/// A block to be erased and filled: one that was not used yet, or the first in order that has no second chance. none: all are being read.
std::uint32_t FlashReadCache::take_block() {
  const std::uint32_t unused = order_.front(fresh);
  if (unused != DramLists::none) {
    order_.remove(unused);
    return unused;
  }
  for (std::uint32_t passed = 0; passed < 2 * in_use_; ++passed) {
    const std::uint32_t block = order_.front(in_use);
    Block& state = blocks_.write(block);
    const bool again = state.hits >= shape_.block_subpages() / 2;
    if (!again && state.readers == 0) {
      order_.remove(block);
      --in_use_;
      empty(block);
      return block;
    }
    if (again) ++second_chances_;
    state.hits = 0;
    order_.move_to_back(in_use, block);
  }
  return DramLists::none;
}

void FlashReadCache::empty(std::uint32_t block) {
  for (Place place = block * shape_.block_subpages(); place < (block + 1) * shape_.block_subpages(); ++place) {
    const std::uint64_t held = owners_.read(place);
    if (held == 0) continue;
    ports_.cpu.hash();
    index_.erase(held - 1);
    owners_.write(place) = 0;
    ++evicted_;
  }
  held_.set(index_.size());
  blocks_.write(block).hits = 0;
}

/// The block failed: it is not used again.
void FlashReadCache::retire(std::uint32_t block) {
  empty(block);
  ++retired_;
}

}  // namespace tessera
