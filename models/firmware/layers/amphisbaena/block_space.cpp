#include "firmware/layers/amphisbaena/block_space.hpp"

namespace tessera::amphisbaena {

namespace {

constexpr std::uint32_t free_list = 0;

}  // namespace

BlockSpace::BlockSpace(MemoryPort& memory, std::uint32_t frames, std::uint32_t chunk_sectors, GiveBack rule)
    : chunk_sectors_(chunk_sectors),
      rule_(rule),
      states_(memory, MemoryCategory::metadata, frames, "frames of the high-frequency buffer"),
      blocks_(memory, MemoryCategory::metadata, std::uint64_t{frames} * chunk_sectors, "blocks of the high-frequency buffer"),
      lists_(memory, MemoryCategory::metadata, frames * chunk_sectors, 1, "free slots of the high-frequency buffer") {}

void BlockSpace::add_frame(std::uint32_t frame, bool borrowed) {
  states_.write(frame) = {borrowed ? Tenure::borrowed : Tenure::own, true};
  ++frames_;
  for (std::uint32_t slot = frame * chunk_sectors_; slot < (frame + 1) * chunk_sectors_; ++slot) release(slot);
}

void BlockSpace::remove_frame(std::uint32_t frame) {
  states_.write(frame) = {Tenure::none, false};
  --frames_;
  free_ -= chunk_sectors_;
  for (std::uint32_t slot = frame * chunk_sectors_; slot < (frame + 1) * chunk_sectors_; ++slot) lists_.remove(slot);
}

std::uint32_t BlockSpace::take(LogicalSector block) {
  const std::uint32_t slot = lists_.front(free_list);
  assign(slot, block);
  return slot;
}

void BlockSpace::assign(std::uint32_t slot, LogicalSector block) {
  lists_.remove(slot);
  --free_;
  blocks_.write(slot) = block.value() + 1;
}

std::optional<LogicalSector> BlockSpace::block_in(std::uint32_t slot) const {
  const std::uint64_t block = blocks_.read(slot) & ~updated_mark;
  return block == 0 ? std::nullopt : std::optional(LogicalSector(block - 1));
}

void BlockSpace::release(std::uint32_t slot) {
  blocks_.write(slot) = 0;
  lists_.push_back(free_list, slot);
  ++free_;
}

void BlockSpace::touch(std::uint32_t slot) {
  states_.write(slot / chunk_sectors_).updated = true;
  if (counts_blocks()) blocks_.write(slot) |= updated_mark;
}

BlockSpace::Blocks BlockSpace::blocks_in(std::uint32_t frame) const {
  Blocks blocks{0, 0};
  for (std::uint32_t slot = frame * chunk_sectors_; slot < (frame + 1) * chunk_sectors_; ++slot) {
    const std::uint64_t block = blocks_.read(slot);
    if (block != 0) ++blocks.held;
    if ((block & updated_mark) != 0) ++blocks.updated;
  }
  return blocks;
}

std::optional<std::uint32_t> BlockSpace::next_to_return(std::uint32_t frame) const {
  if (rule_ == GiveBack::none) return std::nullopt;
  if (rule_ == GiveBack::fewest) return frame == 0 ? least_updated() : std::nullopt;
  for (; frame < states_.size(); ++frame) {
    const State& state = states_.read(frame);
    if (state.tenure != Tenure::borrowed) continue;
    if (!state.updated) return frame;
    if (rule_ == GiveBack::idle) continue;
    if (const Blocks blocks = blocks_in(frame); blocks.updated < blocks.held) return frame;
  }
  return std::nullopt;
}

/// Of the borrowed frames; of several the first.
std::optional<std::uint32_t> BlockSpace::least_updated() const {
  std::optional<std::uint32_t> least;
  std::uint32_t fewest = 0;
  for (std::uint32_t frame = 0; frame < states_.size(); ++frame) {
    if (states_.read(frame).tenure != Tenure::borrowed) continue;
    const std::uint32_t updated = blocks_in(frame).updated;
    if (least && updated >= fewest) continue;
    least = frame;
    fewest = updated;
  }
  return least;
}

void BlockSpace::begin_period() {
  for (std::uint32_t frame = 0; frame < states_.size(); ++frame) states_.write(frame).updated = false;
  if (!counts_blocks()) return;
  for (std::uint64_t slot = 0; slot < blocks_.size(); ++slot) blocks_.write(slot) &= ~updated_mark;
}

}  // namespace tessera::amphisbaena
