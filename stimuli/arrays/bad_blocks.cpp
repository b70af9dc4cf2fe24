#include "stimuli/arrays/bad_blocks.hpp"

#include <algorithm>

namespace tessera {

namespace {

bool overlap(ChunkRange a, ChunkRange b) { return a.begin < b.end && b.begin < a.end; }

}  // namespace

void BadBlocks::add(ArrayRow row, std::uint32_t drive, ChunkRange range) {
  Ranges& ranges = places_[{row, drive}];
  std::erase_if(ranges, [&range](ChunkRange there) {
    if (there.end < range.begin || range.end < there.begin) return false;
    range = {std::min(range.begin, there.begin), std::max(range.end, there.end)};
    return true;
  });
  ranges.insert(std::ranges::upper_bound(ranges, range.begin, {}, &ChunkRange::begin), range);
}

void BadBlocks::remove(ArrayRow row, std::uint32_t drive, ChunkRange range) {
  const auto at = places_.find({row, drive});
  if (at == places_.end()) return;
  Ranges left;
  for (const ChunkRange there : at->second) {
    if (!overlap(there, range)) {
      left.push_back(there);
      continue;
    }
    if (there.begin < range.begin) left.push_back({there.begin, range.begin});
    if (range.end < there.end) left.push_back({range.end, there.end});
  }
  at->second = std::move(left);
  if (at->second.empty()) places_.erase(at);
}

void BadBlocks::forget(std::uint32_t drive) {
  std::erase_if(places_, [drive](const auto& place) { return place.first.second == drive; });
}

bool BadBlocks::meets(ArrayRow row, std::uint32_t drive, ChunkRange range) const {
  return std::ranges::any_of(of(row, drive), [range](ChunkRange there) { return overlap(there, range); });
}

const BadBlocks::Ranges& BadBlocks::of(ArrayRow row, std::uint32_t drive) const {
  static const Ranges none;
  const auto at = places_.find({row, drive});
  return at == places_.end() ? none : at->second;
}

std::size_t BadBlocks::ranges(std::uint32_t drive) const {
  std::size_t sum = 0;
  for (const auto& [place, ranges] : places_) sum += place.second == drive ? ranges.size() : 0;
  return sum;
}

std::size_t BadBlocks::ranges() const {
  std::size_t sum = 0;
  for (const auto& [place, ranges] : places_) sum += ranges.size();
  return sum;
}

}  // namespace tessera
