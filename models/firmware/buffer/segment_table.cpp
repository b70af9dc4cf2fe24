#include "firmware/buffer/segment_table.hpp"

namespace tessera {

SegmentTable::SegmentTable(MemoryPort& memory, CpuPort& cpu, const BlockAddress& address, std::uint32_t blocks)
    : cpu_(cpu),
      address_(address),
      index_(memory, MemoryCategory::metadata, blocks, "segment hash table"),
      heads_(memory, MemoryCategory::metadata, blocks, "segment nodes"),
      maps_(memory, MemoryCategory::metadata, std::uint64_t{blocks} * 2 * address.segment_blocks(), "block maps of segments") {}

SegmentTable::Node SegmentTable::find(std::uint64_t segment) const {
  cpu_.hash();
  return index_.find(segment);
}

SegmentTable::Node SegmentTable::obtain(std::uint64_t segment) {
  Node node = find(segment);
  if (node != none) return node;
  node = free_;
  if (node == none) {
    TESSERA_CHECK(fresh_ < heads_.size(), "more segments have cached blocks than there are cache blocks");
    node = fresh_++;
  } else {
    free_ = heads_.read(node).next_free;
  }
  heads_.write(node) = {segment, 0, none};
  index_.insert(segment, node);
  return node;
}

void SegmentTable::set(Node node, std::uint32_t entry, Place place) {
  Place& kept = maps_.write(cell(node, entry));
  const bool had = kept != 0;
  kept = place + 1;
  const bool has = kept != 0;
  if (had == has) return;
  Head& head = heads_.write(node);
  head.entries = has ? head.entries + 1 : head.entries - 1;
  if (head.entries != 0) return;
  index_.erase(head.segment);
  head.next_free = free_;
  free_ = node;
}

Bytes SegmentTable::bytes() const { return index_.bytes() + Bytes(heads_.size() * sizeof(Head) + maps_.size() * sizeof(Place)); }

}  // namespace tessera
