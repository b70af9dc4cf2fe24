#include "firmware/layers/amphisbaena/block_space.hpp"

#include <algorithm>

namespace tessera::amphisbaena {

BlockSpace::BlockSpace(MemoryPort& memory, std::uint32_t frames, std::uint32_t chunk_sectors, std::uint64_t blocks, GiveBack rule)
    : chunk_sectors_(chunk_sectors),
      rule_(rule),
      states_(memory, MemoryCategory::metadata, frames, "frames of the high-frequency buffer"),
      value_{0, std::max(bits_for(blocks + 1), bits_for(std::uint64_t{frames} * chunk_sectors + 1))},
      is_free_{value_.end(), 1},
      updated_{is_free_.end(), 1},
      slots_(memory, std::uint64_t{frames} * chunk_sectors, updated_.end(), "slots of the high-frequency buffer") {}

void BlockSpace::add_frame(std::uint32_t frame, bool borrowed) {
  adopt_frame(frame, borrowed);
  release_rest(frame);
}

void BlockSpace::adopt_frame(std::uint32_t frame, bool borrowed) {
  states_.write(frame) = {borrowed ? Tenure::borrowed : Tenure::own, true};
  ++frames_;
}

void BlockSpace::release_rest(std::uint32_t frame) {
  for (std::uint32_t slot = frame * chunk_sectors_; slot < (frame + 1) * chunk_sectors_; ++slot)
    if (slots_.read(slot, value_) == 0) release(slot);
}

/// Its slots were released lately, so that most of the others are in front of them; the buffer is full but for a few.
void BlockSpace::remove_frame(std::uint32_t frame) {
  states_.write(frame) = {Tenure::none, false};
  --frames_;
  free_ -= chunk_sectors_;
  std::uint64_t rest = first_free_;
  first_free_ = last_free_ = 0;
  while (rest != 0) {
    const auto slot = static_cast<std::uint32_t>(rest - 1);
    rest = slots_.read(slot, value_);
    if (slot / chunk_sectors_ == frame)
      slots_.write(slot, whole(), 0);
    else
      append_free(slot);
  }
}

std::uint32_t BlockSpace::take(LogicalSector block) {
  const auto slot = static_cast<std::uint32_t>(first_free_ - 1);
  first_free_ = slots_.read(slot, value_);
  if (first_free_ == 0) last_free_ = 0;
  --free_;
  slots_.write(slot, whole(), block.value() + 1);
  return slot;
}

std::optional<LogicalSector> BlockSpace::block_in(std::uint32_t slot) const {
  const std::uint64_t value = slots_.read(slot, value_);
  if (value == 0 || slots_.peek(slot, is_free_) != 0) return std::nullopt;
  return LogicalSector(value - 1);
}

void BlockSpace::release(std::uint32_t slot) {
  append_free(slot);
  ++free_;
}

void BlockSpace::append_free(std::uint32_t slot) {
  slots_.write(slot, whole(), std::uint64_t{1} << is_free_.first);
  if (last_free_ == 0)
    first_free_ = link(slot);
  else
    slots_.write(last_free_ - 1, value_, link(slot));
  last_free_ = link(slot);
}

void BlockSpace::touch(std::uint32_t slot) {
  states_.write(slot / chunk_sectors_).updated = true;
  if (counts_blocks()) slots_.write(slot, updated_, 1);
}

BlockSpace::Blocks BlockSpace::blocks_in(std::uint32_t frame) const {
  Blocks blocks{0, 0};
  for (std::uint32_t slot = frame * chunk_sectors_; slot < (frame + 1) * chunk_sectors_; ++slot) {
    if (block_in(slot)) ++blocks.held;
    if (slots_.peek(slot, updated_) != 0) ++blocks.updated;
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
  for (std::uint64_t slot = 0; slot < slots_.size(); ++slot) slots_.write(slot, updated_, 0);
}

}  // namespace tessera::amphisbaena
