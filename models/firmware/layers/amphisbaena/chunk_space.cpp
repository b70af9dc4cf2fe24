#include "firmware/layers/amphisbaena/chunk_space.hpp"

namespace tessera::amphisbaena {

ChunkSpace::ChunkSpace(MemoryPort& memory, CpuPort& cpu, std::uint32_t frames, std::uint32_t chunk_sectors, std::uint32_t zones,
                       std::uint32_t zone_sectors)
    : cpu_(cpu),
      chunk_sectors_(chunk_sectors),
      chunks_per_zone_((zone_sectors + chunk_sectors - 1) / chunk_sectors),
      words_per_frame_((chunk_sectors + 63) / 64),
      free_list_(zones),
      tree_(memory, MemoryCategory::metadata, frames, "chunk location tree"),
      entries_(memory, MemoryCategory::metadata, frames, "chunk mapping table"),
      bitmaps_(memory, MemoryCategory::metadata, std::uint64_t{frames} * words_per_frame_, "bitmaps of chunks"),
      lists_(memory, MemoryCategory::metadata, frames, zones + 1, "chunks of the zones"),
      changed_(memory, MemoryCategory::metadata, zones, "zones whose chunks have changed"),
      is_changed_(memory, MemoryCategory::metadata, zones, "whether a zone's chunks have changed") {}

std::uint32_t ChunkSpace::find(std::uint32_t zone, std::uint32_t chunk) const {
  cpu_.tree(tree_.size());
  return tree_.find(key(zone, chunk));
}

std::uint32_t ChunkSpace::allocate(std::uint32_t zone, std::uint32_t chunk) {
  const std::uint32_t frame = lists_.front(free_list_);
  assign(frame, zone, chunk);
  return frame;
}

void ChunkSpace::assign(std::uint32_t frame, std::uint32_t zone, std::uint32_t chunk) {
  cpu_.tree(tree_.size());
  lists_.remove(frame);
  --free_;
  lists_.push_back(zone, frame);
  tree_.insert(key(zone, chunk), frame);
  entries_.write(frame) = {zone, chunk, 0};
}

void ChunkSpace::put(std::uint32_t slot) {
  word_of(slot) |= bit_of(slot);
  Entry& entry = entries_.write(frame_of_slot(slot));
  ++entry.sectors;
  mark_changed(entry.zone);
}

void ChunkSpace::remove(std::uint32_t slot) {
  const std::uint32_t frame = frame_of_slot(slot);
  word_of(slot) &= ~bit_of(slot);
  Entry& entry = entries_.write(frame);
  mark_changed(entry.zone);
  if (--entry.sectors != 0) return;
  cpu_.tree(tree_.size());
  tree_.erase(key(entry.zone, entry.chunk));
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
  if (is_changed_.read(zone) != 0) return;
  is_changed_.write(zone) = 1;
  changed_.write(changed_count_++) = zone;
}

void ChunkSpace::forget_changes() {
  while (changed_count_ != 0) is_changed_.write(changed_.read(--changed_count_)) = 0;
}

Bytes ChunkSpace::bytes() const {
  return tree_.bytes() + lists_.bytes() +
         Bytes(entries_.size() * sizeof(Entry) + bitmaps_.size() * sizeof(std::uint64_t) + changed_.size() * sizeof(std::uint32_t) +
               is_changed_.size());
}

}  // namespace tessera::amphisbaena
