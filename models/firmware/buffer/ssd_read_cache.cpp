#include "firmware/buffer/ssd_read_cache.hpp"

#include <algorithm>
#include <array>

#include "firmware/flash/flash_reads.hpp"
#include "firmware/flash/shared_pages.hpp"

namespace tessera {

namespace {

/// Flash blocks that are erased together: those of one cache block where it is the larger.
std::uint32_t blocks_a_unit(const FlashShape& shape, std::uint32_t block_sectors) {
  return std::max<std::uint32_t>(1, (block_sectors + shape.block_subpages() - 1) / shape.block_subpages());
}

std::uint32_t in_whole_pages(const FlashShape& shape, std::uint32_t sectors) {
  return (sectors + shape.subpages - 1) / shape.subpages * shape.subpages;
}

}  // namespace

SsdReadCache::SsdReadCache(MemoryPort& memory, CpuPort& cpu, FlashPort& flash, const BlockAddress& address, SegmentTable& table,
                           FlashArea area)
    : cpu_(cpu),
      flash_(flash),
      address_(address),
      table_(table),
      first_block_(area.first),
      shape_(flash.shape()),
      slot_subpages_(in_whole_pages(shape_, address.block_sectors())),
      blocks_per_unit_(blocks_a_unit(shape_, address.block_sectors())),
      slots_per_unit_(blocks_per_unit_ * shape_.block_subpages() / slot_subpages_),
      owners_(memory, MemoryCategory::metadata, capacity(area, shape_, address.block_sectors()), "read cache owners"),
      units_(memory, MemoryCategory::metadata, area.blocks() / blocks_per_unit_, "read cache units"),
      order_(memory, MemoryCategory::metadata, static_cast<std::uint32_t>(units_.size()), lists, "read cache order") {
  for (std::uint32_t unit = 0; unit < units_.size(); ++unit) {
    bool good = true;
    for (std::uint32_t i = 0; i < blocks_per_unit_; ++i)
      good = good && !flash.is_bad(NandBlock(first_block_ + std::uint64_t{unit} * blocks_per_unit_ + i));
    if (good)
      order_.push_back(fresh, unit);
    else
      ++retired_units_;
  }
}

std::uint32_t SsdReadCache::capacity(FlashArea area, const FlashShape& shape, std::uint32_t block_sectors) {
  const std::uint32_t blocks = blocks_a_unit(shape, block_sectors);
  return static_cast<std::uint32_t>(area.blocks() / blocks *
                                    (std::uint64_t{blocks} * shape.block_subpages() / in_whole_pages(shape, block_sectors)));
}

std::uint64_t SsdReadCache::subpage(Slot slot, std::uint32_t sector) const {
  const std::uint64_t first = (first_block_ + std::uint64_t{unit_of(slot)} * blocks_per_unit_) * shape_.block_subpages();
  return first + std::uint64_t{slot % slots_per_unit_} * slot_subpages_ + sector;
}

SsdReadCache::Slot SsdReadCache::find(std::uint64_t block) const {
  const SegmentTable::Node node = table_.find(address_.segment_of(block));
  return node == SegmentTable::none ? none : table_.in_flash(node, address_.index_of(block));
}

Task<Status> SsdReadCache::read(Slot slot, std::uint32_t first, std::uint32_t count, DataSpan data) {
  const std::uint32_t unit = unit_of(slot);
  ++units_.write(unit).readers;
  if (unit != open_) order_.move_to_back(in_use, unit);
  std::array<FlashCommand, most_block_sectors> commands;
  for (std::uint32_t i = 0; i < count; ++i) {
    commands[i].op = FlashOp::read;
    commands[i].aim(subpage(slot, first + i), shape_);
    commands[i].data = data.part(i, 1);
  }
  const std::span<FlashCommand> used(commands.data(), count);
  const Status status = co_await run_reads(flash_, used);
  --units_.write(unit).readers;
  co_return status;
}

Task<void> SsdReadCache::fill(std::uint64_t block, DataSpan data) {
  if (find(block) != none) co_return;
  filling_ = block;
  const Status opened = co_await open_unit();
  if (!ok(opened)) co_return;
  const std::uint32_t unit = open_;
  const Slot slot = unit * slots_per_unit_ + units_.write(unit).given++;
  fill_commands_.assign(address_.block_sectors(), FlashCommand{});
  for (std::uint32_t i = 0; i < address_.block_sectors(); ++i) {
    fill_commands_[i].op = FlashOp::program;
    fill_commands_[i].aim(subpage(slot, i), shape_);
    fill_commands_[i].data = data.part(i, 1);
  }
  join_pages(fill_commands_, shape_);
  FlashBatch batch(fill_commands_);
  const Status status = co_await flash_.run(batch);
  if (!ok(status)) {
    ++failed_programs_;
    retire(unit);
    co_return;
  }
  if (filling_ == block) {
    table_.set_in_flash(table_.obtain(address_.segment_of(block)), address_.index_of(block), slot);
    owners_.write(slot) = block + 1;
    ++fills_;
  }
  if (units_.read(unit).given < slots_per_unit_) co_return;
  order_.push_back(in_use, unit);
  open_ = DramLists::none;
}

/// Sees to it that the open unit has a slot to give; `no_space` where there is none to be had now.
Task<Status> SsdReadCache::open_unit() {
  if (open_ != DramLists::none) co_return Status::ok;
  std::uint32_t unit = order_.front(fresh);
  if (unit == DramLists::none) {
    unit = order_.front(in_use);
    while (unit != DramLists::none && units_.read(unit).readers != 0) unit = order_.after(unit);
    if (unit == DramLists::none) co_return Status::no_space;
    empty_unit(unit);
  }
  order_.remove(unit);
  open_ = unit;
  units_.write(unit).given = 0;
  // Fresh ones too: they may hold pages from before a power cut.
  fill_commands_.assign(blocks_per_unit_, FlashCommand{});
  for (std::uint32_t i = 0; i < blocks_per_unit_; ++i) {
    fill_commands_[i].op = FlashOp::erase;
    fill_commands_[i].block = NandBlock(first_block_ + std::uint64_t{unit} * blocks_per_unit_ + i);
  }
  erases_ += blocks_per_unit_;
  FlashBatch batch(fill_commands_);
  const Status status = co_await flash_.run(batch);
  if (!ok(status)) retire(unit);
  co_return status;
}

void SsdReadCache::empty_unit(std::uint32_t unit) {
  for (Slot slot = unit * slots_per_unit_; slot < (unit + 1) * slots_per_unit_; ++slot) {
    if (owners_.read(slot) == 0) continue;
    drop(slot);
    ++evictions_;
  }
}

/// The open unit failed: it is not used again.
void SsdReadCache::retire(std::uint32_t unit) {
  empty_unit(unit);
  ++retired_units_;
  open_ = DramLists::none;
}

void SsdReadCache::drop(Slot slot) {
  const std::uint64_t block = owners_.read(slot) - 1;
  owners_.write(slot) = 0;
  table_.set_in_flash(table_.find(address_.segment_of(block)), address_.index_of(block), none);
}

void SsdReadCache::invalidate(std::uint64_t block) {
  if (filling_ == block) filling_ = no_block;
  const Slot slot = find(block);
  if (slot != none) drop(slot);
}

Bytes SsdReadCache::metadata_bytes() const {
  return Bytes(owners_.size() * sizeof(std::uint64_t) + units_.size() * sizeof(Unit)) + order_.bytes();
}

}  // namespace tessera
