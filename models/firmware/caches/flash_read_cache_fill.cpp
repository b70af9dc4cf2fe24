// Flash as a read cache: what is taken in.
#include <algorithm>

#include "firmware/caches/flash_read_cache.hpp"
#include "firmware/flash/shared_pages.hpp"

namespace tessera {

namespace {

bool is_block(CleanUnits::Unit unit) { return unit != CleanUnits::none; }

}  // namespace

/// Whether the lender of the blocks has the sector in one of its own.
bool FlashReadCache::is_elsewhere(LogicalSector sector) const { return lender_ != nullptr && lender_->has(sector); }

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
  if (blocks_.retired() == blocks_count_) return;
  for (std::uint32_t i = 0; i < run.count; ++i) {
    const LogicalSector sector = run.first + i;
    if (any_lost(data.part(i, 1)) || find(sector) != none || is_elsewhere(sector) || !wanted(sector)) continue;
    if (staged_ == stage_size_) {
      ++skipped_;
      continue;
    }
    const std::uint32_t slot = (stage_first_ + staged_++) % stage_size_;
    ports_.memory.copy(data.part(i, 1), stage_.part(slot, 1));
    enter(sector, blocks_.places() + slot);
    ++admitted_;
  }
  if (filling_ || staged_ < shape_.subpages) return;
  filling_ = true;
  ports_.cpu.spawn(fill(), "flash_fill");
}

/// Programs what is staged, until less than a page is left.
Task<void> FlashReadCache::fill() {
  while (staged_ >= shape_.subpages) {
    co_await blocks_.open();
    const auto open = static_cast<std::uint32_t>(std::ranges::count_if(blocks_.opened(), is_block));
    if (open == 0) break;
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
  auto open = blocks_.opened().begin();
  for (std::size_t i = 0; i < slots_.size(); i += shape_.subpages) {
    open = std::find_if(open, blocks_.opened().end(), is_block);
    const Place page = blocks_.give(*open++, shape_.subpages);
    for (std::uint32_t j = 0; j < shape_.subpages; ++j) {
      FlashCommand& command = commands_[i + j];
      command.op = FlashOp::program;
      command.aim(subpage(page + j), shape_);
      command.data = stage_.part(slots_[i + j], 1);
    }
  }
  join_pages(commands_, shape_);
}

Task<void> FlashReadCache::program() {
  aim_at_open_blocks();
  FlashBatch batch(commands_);
  co_await ports_.flash->run(batch);
  for (std::size_t i = 0; i < slots_.size(); ++i) settle(commands_[i], slots_[i]);
  const std::vector<CleanUnits::Unit> opened(blocks_.opened().begin(), blocks_.opened().end());
  for (const CleanUnits::Unit block : opened)
    if (is_block(block)) end_page(block);
}

/// A page of the open block was programmed, unless all pages went to others.
void FlashReadCache::end_page(CleanUnits::Unit block) {
  const auto is_of_block = [&](const FlashCommand& command) {
    return command.page.value() / shape_.pages_per_block == blocks_.first_block(block).value();
  };
  const auto mine = std::ranges::find_if(commands_, is_of_block);
  if (mine == commands_.end()) return;
  if (!ok(mine->status)) {
    ++failed_programs_;
    blocks_.retire(block);
  } else if (blocks_.is_full(block)) {
    blocks_.close(block);
  }
}

/// The sector may have been written while it was programmed.
void FlashReadCache::settle(const FlashCommand& command, std::uint32_t slot) {
  const std::uint64_t held = stage_owners_.read(slot);
  if (held == 0) return;
  const LogicalSector sector(held - 1);
  if (!ok(command.status)) return drop(sector);
  ++programmed_;
  enter(sector, static_cast<Place>(command.target(shape_) - subpage(0)));
}

}  // namespace tessera
