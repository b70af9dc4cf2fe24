#include "firmware/zones/victims.hpp"

#include <algorithm>

namespace tessera {

void BufferVictims::clear() {
  victims_.clear();
  offsets_.clear();
}

void BufferVictims::sort() {
  std::ranges::sort(victims_, {}, &Victim::offset);
  offsets_.clear();
  for (const Victim& victim : victims_) offsets_.push_back(victim.offset);
}

Task<Status> BufferVictims::fetch(std::uint32_t first, DataSpan into) {
  const auto begin = std::ranges::lower_bound(victims_, first, {}, &Victim::offset);
  const auto end = std::ranges::lower_bound(victims_, first + into.count, {}, &Victim::offset);
  sweep_.assign(begin, end);
  std::ranges::sort(sweep_, {}, &Victim::slot);
  runs_.clear();
  for (const Victim& victim : sweep_) {
    const std::uint32_t at = victim.offset - first;
    if (!runs_.empty()) {
      SlotRun& last = runs_.back();
      if (victim.slot == last.first + last.data.count && into.first + at == last.data.first + last.data.count) {
        ++last.data.count;
        continue;
      }
    }
    runs_.push_back({victim.slot, into.part(at, 1)});
  }
  const std::span<const SlotRun> runs(runs_);
  co_return co_await buffer_.read(runs, MediaClass::dependent);
}

}  // namespace tessera
