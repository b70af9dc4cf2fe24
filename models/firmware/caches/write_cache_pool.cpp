// Write cache: parts of its buffer that the read cache borrows (segment_pool.hpp). Their slots are in no list, and free for the directory:
// a boot finds them with the write cache.
#include <algorithm>

#include "firmware/caches/write_cache.hpp"

namespace tessera {

DataSpan WriteCache::lend(std::uint32_t first, std::uint32_t count) {
  const auto unwritten = [this](const Slot& slot) { return holds_unwritten(slot); };
  if (std::ranges::any_of(slots_.read_run(first, count), unwritten)) return {};
  for (Index index = first; index < first + count; ++index) {
    Slot& slot = slots_.write(index);
    if (slot.state == SlotState::clean) {
      index_.erase(slot.lsn);
      groups_.remove(LogicalSector(slot.lsn));
      slot.state = SlotState::free;
    }
    lists_.remove(index);
  }
  return buffer_->part(first, count);
}

void WriteCache::take_back(DataSpan part) {
  for (Index index = part.first; index < part.first + part.count; ++index) lists_.push_back(free_list, index);
}

}  // namespace tessera
