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

SsdReadCache::SsdReadCache(MemoryPort& memory, FlashPort& flash, const BlockAddress& address, SegmentTable& table, FlashArea area)
    : flash_(flash),
      address_(address),
      table_(table),
      shape_(flash.shape()),
      slot_subpages_(in_whole_pages(shape_, address.block_sectors())),
      blocks_per_unit_(blocks_a_unit(shape_, address.block_sectors())),
      slots_per_unit_(blocks_per_unit_ * shape_.block_subpages() / slot_subpages_),
      units_(memory, flash, {area, blocks_per_unit_, slots_per_unit_}, UnitOrder::last_read,
             {"read cache owners", "read cache units", "read cache order"}, *this) {}

std::uint32_t SsdReadCache::capacity(FlashArea area, const FlashShape& shape, std::uint32_t block_sectors) {
  const std::uint32_t blocks = blocks_a_unit(shape, block_sectors);
  return static_cast<std::uint32_t>(area.blocks() / blocks *
                                    (std::uint64_t{blocks} * shape.block_subpages() / in_whole_pages(shape, block_sectors)));
}

std::uint64_t SsdReadCache::subpage(Slot slot, std::uint32_t sector) const {
  const std::uint64_t first = units_.first_block(units_.unit_of(slot)).value() * shape_.block_subpages();
  return first + std::uint64_t{slot % slots_per_unit_} * slot_subpages_ + sector;
}

SsdReadCache::Slot SsdReadCache::find(std::uint64_t block) const {
  const SegmentTable::Node node = table_.find(address_.segment_of(block));
  return node == SegmentTable::none ? none : table_.in_flash(node, address_.index_of(block));
}

Task<Status> SsdReadCache::read(Slot slot, std::uint32_t first, std::uint32_t count, DataSpan data) {
  units_.begin_read(slot);
  std::array<FlashCommand, most_block_sectors> commands;
  for (std::uint32_t i = 0; i < count; ++i) {
    commands[i].op = FlashOp::read;
    commands[i].aim(subpage(slot, first + i), shape_);
    commands[i].data = data.part(i, 1);
  }
  const std::span<FlashCommand> used(commands.data(), count);
  const Status status = co_await run_reads(flash_, used);
  units_.end_read(slot);
  co_return status;
}

Task<void> SsdReadCache::fill(std::uint64_t block, DataSpan data) {
  if (find(block) != none) co_return;
  filling_ = block;
  if (units_.opened().front() == CleanUnits::none) co_await units_.open();
  const CleanUnits::Unit unit = units_.opened().front();
  if (unit == CleanUnits::none) co_return;
  const Slot slot = units_.give(unit);
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
    units_.retire(unit);
    co_return;
  }
  if (filling_ == block) {
    table_.set_in_flash(table_.obtain(address_.segment_of(block)), address_.index_of(block), slot);
    units_.set_owner(slot, block);
    ++fills_;
  }
  if (units_.is_full(unit)) units_.close(unit);
}

/// The block left the flash.
void SsdReadCache::forget(std::uint64_t block) {
  table_.set_in_flash(table_.find(address_.segment_of(block)), address_.index_of(block), none);
}

void SsdReadCache::invalidate(std::uint64_t block) {
  if (filling_ == block) filling_ = no_block;
  const Slot slot = find(block);
  if (slot != none) units_.release(slot);
}

}  // namespace tessera
