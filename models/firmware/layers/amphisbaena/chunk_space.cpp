#include "firmware/layers/amphisbaena/chunk_space.hpp"

namespace tessera::amphisbaena {

ChunkSpace::ChunkSpace(MemoryPort& memory, CpuPort& cpu, std::uint32_t frames, std::uint32_t chunk_sectors, std::uint32_t zones,
                       std::uint32_t zone_sectors)
    : cpu_(cpu),
      chunk_sectors_(chunk_sectors),
      words_per_frame_((chunk_sectors + 63) / 64),
      free_list_(zones),
      zone_{0, bits_for(zones)},
      chunk_{zone_.end(), bits_for((zone_sectors + chunk_sectors - 1) / chunk_sectors)},
      sectors_{chunk_.end(), bits_for(std::uint64_t{chunk_sectors} + 1)},
      next_{sectors_.end(), bits_for(std::uint64_t{frames} + 1)},
      heads_(memory, frames, next_.width, "chunk location tree"),
      entries_(memory, frames, next_.end(), "chunk mapping table"),
      bitmaps_(memory, MemoryCategory::metadata, std::uint64_t{frames} * words_per_frame_, "bitmaps of chunks"),
      links_(memory, std::uint64_t{frames} + zones + 1, PackedLists::bits(std::uint64_t{frames} + zones + 1), "chunks of the zones"),
      lists_(links_, 0, frames, zones + 1),
      changed_(memory, MemoryCategory::metadata, zones, "zones whose chunks have changed"),
      is_changed_(memory, MemoryCategory::metadata, zones, "whether a zone's chunks have changed") {}

/// The upper half of the product with 2^64 / golden ratio, as a share of the places.
std::uint64_t ChunkSpace::home(std::uint32_t zone, std::uint32_t chunk) const {
  const std::uint64_t key = std::uint64_t{zone} << chunk_.width | chunk;
  return (key * 0x9E3779B97F4A7C15U >> 32U) * heads_.size() >> 32U;
}

std::uint32_t ChunkSpace::find(std::uint32_t zone, std::uint32_t chunk) const {
  cpu_.tree(chunks_);
  std::uint64_t at = heads_.read(home(zone, chunk), head());
  while (at != 0 && !is(at - 1, zone, chunk)) at = entries_.peek(at - 1, next_);
  return static_cast<std::uint32_t>(at - 1);
}

std::uint32_t ChunkSpace::allocate(std::uint32_t zone, std::uint32_t chunk) {
  const std::uint32_t frame = lists_.front(free_list_);
  assign(frame, zone, chunk);
  return frame;
}

void ChunkSpace::assign(std::uint32_t frame, std::uint32_t zone, std::uint32_t chunk) {
  cpu_.tree(chunks_);
  lists_.remove(frame);
  --free_;
  lists_.push_back(zone, frame);
  const std::uint64_t place = home(zone, chunk);
  const std::uint64_t next = heads_.read(place, head());
  entries_.write(frame, zone_, zone);
  entries_.poke(frame, chunk_, chunk);
  entries_.poke(frame, sectors_, 0);
  entries_.poke(frame, next_, next);
  heads_.write(place, head(), std::uint64_t{frame} + 1);
  ++chunks_;
}

/// Out of the chain that find() goes through.
void ChunkSpace::take_out(std::uint32_t frame) {
  const auto zone = static_cast<std::uint32_t>(entries_.peek(frame, zone_));
  const std::uint64_t place = home(zone, static_cast<std::uint32_t>(entries_.peek(frame, chunk_)));
  const std::uint64_t next = entries_.peek(frame, next_);
  --chunks_;
  std::uint64_t before = heads_.read(place, head());
  if (before == std::uint64_t{frame} + 1) return heads_.write(place, head(), next);
  while (entries_.read(before - 1, next_) != std::uint64_t{frame} + 1) before = entries_.peek(before - 1, next_);
  entries_.write(before - 1, next_, next);
}

void ChunkSpace::put(std::uint32_t slot) {
  const std::uint32_t frame = frame_of_slot(slot);
  word_of(slot) |= bit_of(slot);
  entries_.write(frame, sectors_, entries_.peek(frame, sectors_) + 1);
  mark_changed(static_cast<std::uint32_t>(entries_.peek(frame, zone_)));
}

void ChunkSpace::remove(std::uint32_t slot) {
  const std::uint32_t frame = frame_of_slot(slot);
  word_of(slot) &= ~bit_of(slot);
  const std::uint64_t rest = entries_.peek(frame, sectors_) - 1;
  entries_.write(frame, sectors_, rest);
  mark_changed(static_cast<std::uint32_t>(entries_.peek(frame, zone_)));
  if (rest != 0) return;
  cpu_.tree(chunks_);
  take_out(frame);
  lists_.remove(frame);
  lists_.push_back(free_list_, frame);
  ++free_;
}

std::uint32_t ChunkSpace::take_frame() {
  const std::uint32_t frame = lists_.front(free_list_);
  lists_.remove(frame);
  --free_;
  --frames_;
  return frame;
}

void ChunkSpace::mark_changed(std::uint32_t zone) {
  if (is_changed_.test(zone)) return;
  is_changed_.set(zone);
  changed_.write(changed_count_++) = zone;
}

void ChunkSpace::forget_changes() {
  while (changed_count_ != 0) is_changed_.reset(changed_.read(--changed_count_));
}

bool ChunkSpace::holds(std::uint32_t zone, std::uint32_t chunk) const {
  for (std::uint32_t frame = 0; frame < entries_.size(); ++frame)
    if (entries_.peek(frame, sectors_) != 0 && entries_.peek(frame, zone_) == zone && entries_.peek(frame, chunk_) == chunk) return true;
  return false;
}

Bytes ChunkSpace::bytes() const {
  return heads_.bytes() + entries_.bytes() + links_.bytes() +
         Bytes(bitmaps_.size() * sizeof(std::uint64_t) + changed_.size() * sizeof(std::uint32_t) +
               (is_changed_.size() + 63) / 64 * sizeof(std::uint64_t));
}

}  // namespace tessera::amphisbaena
