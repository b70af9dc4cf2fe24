#include "firmware/layers/sblock/region_logs.hpp"

#include <cstring>

#include "base/check.hpp"

namespace tessera::sblock {

RegionLogs::RegionLogs(MemoryPort& memory, std::uint32_t regions, LogShape shape)
    : shape_(shape),
      ends_(memory, MemoryCategory::metadata, regions, "heads and tails of the regions' logs"),
      slots_(memory, MemoryCategory::metadata, std::uint64_t{regions} * shape.sblocks, "slots of the S-blocks"),
      owners_(memory, MemoryCategory::metadata, std::uint64_t{regions} * shape.slots, "S-blocks of the slots") {
  TESSERA_CHECK(shape.slots <= most_slots && shape.sblocks + shape.guard + 2 <= shape.slots, "a region's log has no room to clean");
  for (std::uint64_t i = 0; i < slots_.size(); ++i) slots_.peek(i) = none;
}

std::uint32_t RegionLogs::free_slots(std::uint32_t region) const {
  const Ends& ends = ends_.read(region);
  return shape_.slots - shape_.guard - static_cast<std::uint32_t>(ends.head - ends.tail);
}

std::uint64_t RegionLogs::peek_free_slots() const {
  std::uint64_t free = 0;
  for (std::uint64_t region = 0; region < ends_.size(); ++region)
    free += shape_.slots - shape_.guard - (ends_.peek(region).head - ends_.peek(region).tail);
  return free;
}

void RegionLogs::append(std::uint32_t region, std::uint32_t sblock) {
  TESSERA_CHECK(free_slots(region) != 0, "the head of a log runs into the guard of its tail");
  Ends& ends = ends_.write(region);
  const std::uint32_t slot = slot_at(ends.head++);
  owners_.write(owner(region, slot)) = static_cast<Entry>(sblock);
  slots_.write(entry(region, sblock)) = static_cast<Entry>(slot);
}

std::uint32_t RegionLogs::at_tail(std::uint32_t region) const {
  const Ends& ends = ends_.read(region);
  TESSERA_CHECK(ends.tail < ends.head, "the log of a region is empty");
  const std::uint32_t slot = slot_at(ends.tail);
  const std::uint32_t sblock = owners_.read(owner(region, slot));
  return slot_of(region, sblock) == slot ? sblock : none;
}

void RegionLogs::pass_tail(std::uint32_t region) {
  TESSERA_CHECK(at_tail(region) == none, "a live S-block would be given up");
  ++ends_.write(region).tail;
}

/// A copy within the reach of the head is the old one of an S-block that was being moved there, or was trimmed.
void RegionLogs::replay(std::uint32_t region, std::uint64_t position, std::uint32_t sblock) {
  Ends& ends = ends_.peek(region);
  TESSERA_CHECK(position >= ends.head, "records of a log are replayed out of order");
  const std::uint32_t slot = slot_at(position);
  const std::uint64_t oldest = position + 1 > intact_slots() ? position + 1 - intact_slots() : 0;
  for (; ends.tail < oldest && ends.tail < ends.head; ++ends.tail) {
    const std::uint32_t dead = slot_at(ends.tail);
    Entry& old = slots_.peek(entry(region, owners_.peek(owner(region, dead))));
    if (old == dead) old = none;
  }
  if (ends.tail == ends.head) ends.tail = position;
  ends.head = position + 1;
  owners_.peek(owner(region, slot)) = static_cast<Entry>(sblock);
  slots_.peek(entry(region, sblock)) = static_cast<Entry>(slot);
}

void RegionLogs::prefill(std::uint32_t region, std::uint32_t sblocks) {
  ends_.peek(region) = {sblocks, 0};
  for (std::uint32_t i = 0; i < sblocks; ++i) {
    slots_.peek(entry(region, i)) = static_cast<Entry>(i);
    owners_.peek(owner(region, i)) = static_cast<Entry>(i);
  }
}

// A checkpoint leaves the owners out: the S-blocks tell them, and a dead slot needs none.

void RegionLogs::save(std::span<std::byte> image) const {
  const std::size_t ends = ends_.size() * sizeof(Ends);
  std::memcpy(image.data(), &ends_.peek(0), ends);
  std::memcpy(image.data() + ends, &slots_.peek(0), slots_.size() * sizeof(Entry));
}

void RegionLogs::load(std::span<const std::byte> image) {
  const std::size_t ends = ends_.size() * sizeof(Ends);
  std::memcpy(&ends_.peek(0), image.data(), ends);
  std::memcpy(&slots_.peek(0), image.data() + ends, slots_.size() * sizeof(Entry));
  rebuild_owners();
}

/// S-block 0 as the owner of a slot where it is not tells that the slot is dead.
void RegionLogs::rebuild_owners() {
  for (std::uint64_t i = 0; i < owners_.size(); ++i) owners_.peek(i) = 0;
  for (std::uint32_t region = 0; region < regions(); ++region)
    for (std::uint32_t sblock = 0; sblock < shape_.sblocks; ++sblock)
      if (const Entry slot = slots_.peek(entry(region, sblock)); slot != none)
        owners_.peek(owner(region, slot)) = static_cast<Entry>(sblock);
}

Bytes RegionLogs::bytes() const { return Bytes(ends_.size() * sizeof(Ends) + (slots_.size() + owners_.size()) * sizeof(Entry)); }

}  // namespace tessera::sblock
