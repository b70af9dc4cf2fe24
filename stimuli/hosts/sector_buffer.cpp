#include "stimuli/hosts/sector_buffer.hpp"

#include <algorithm>
#include <utility>

#include "base/check.hpp"

namespace tessera {

SectorBuffer::Entry& SectorBuffer::dirty(std::uint64_t sector, Picoseconds now) {
  Entry& entry = entries_[sector];
  if (!entry.counts) {
    entry.counts = true;
    peak_ = std::max(peak_, ++counted_);
  }
  if (entry.order == 0) {
    entry.order = ++order_;
    queue_.push_back({sector, entry.order, now});
    ++dirty_;
  }
  return entry;
}

std::optional<SectorBuffer::Dirty> SectorBuffer::oldest() {
  while (!queue_.empty()) {
    const Entry* const entry = find(queue_.front().sector);
    if (entry != nullptr && entry->order == queue_.front().order) return queue_.front();
    queue_.pop_front();
  }
  return std::nullopt;
}

std::vector<std::uint64_t> SectorBuffer::take(std::uint64_t most, std::uint64_t write) {
  std::vector<std::uint64_t> sectors;
  while (sectors.size() < most) {
    const std::optional<Dirty> first = oldest();
    if (!first) break;
    Entry& entry = entries_[first->sector];
    entry.order = 0;
    entry.write = write;
    --dirty_;
    queue_.pop_front();
    sectors.push_back(first->sector);
  }
  std::ranges::sort(sectors);
  return sectors;
}

/// A dirty entry is newer than what the cleaner moves, and stays.
void SectorBuffer::copy(std::uint64_t sector, std::uint64_t write, std::vector<std::byte> content) {
  Entry& entry = entries_[sector];
  if (entry.order != 0) return;
  entry.content = std::move(content);
  entry.write = write;
}

void SectorBuffer::settle(std::uint64_t sector, std::uint64_t write) {
  const auto at = entries_.find(sector);
  if (at == entries_.end() || at->second.order != 0 || at->second.write != write) return;
  erase(sector, at->second);
}

void SectorBuffer::drop(std::uint64_t sector) {
  const auto at = entries_.find(sector);
  if (at == entries_.end()) return;
  if (at->second.order != 0) --dirty_;
  erase(sector, at->second);
}

void SectorBuffer::erase(std::uint64_t sector, const Entry& entry) {
  counted_ -= entry.counts ? 1 : 0;
  entries_.erase(sector);
}

void SectorBuffer::clear() {
  entries_.clear();
  queue_.clear();
  dirty_ = counted_ = 0;
}

}  // namespace tessera
