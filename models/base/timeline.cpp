#include "base/timeline.hpp"

#include <algorithm>

namespace tessera {

/// The newest entry, from the end: those before it that are due at the same time stay before it.
inline void Timeline::sift_up(const Entry& entry) {
  Entry* const heap = heap_.data();
  std::size_t hole = heap_.size() - 1;
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / arity;
    if (entry.when >= heap[parent].when) break;
    heap[hole] = heap[parent];
    hole = parent;
  }
  heap[hole] = entry;
}

/// From the top.
inline void Timeline::sift_down(const Entry& entry) {
  Entry* const heap = heap_.data();
  const std::size_t size = heap_.size();
  std::size_t hole = 0;
  for (std::size_t first = 1; first < size; first = hole * arity + 1) {
    const Entry* least = heap + first;
    const Entry* const end = heap + std::min(first + arity, size);
    for (const Entry* child = least + 1; child < end; ++child)
      if (*child < *least) least = child;
    if (!(*least < entry)) break;
    heap[hole] = *least;
    hole = static_cast<std::size_t>(least - heap);
  }
  heap[hole] = entry;
}

void Timeline::post(Picoseconds when, TimelineListener& listener, std::uint64_t argument) {
  TESSERA_CHECK(when >= now_, "an action was posted into the past");
  const Entry entry{when, posted_++, &listener, argument};
  if (!vacant_) return append(entry);
  vacant_ = false;
  sift_down(entry);
}

/// Not inlined: an action's first entry takes its own place, and is spared the registers that a heap which grows asks for.
[[gnu::noinline]] void Timeline::append(const Entry& entry) {
  heap_.push_back(entry);
  sift_up(entry);
}

void Timeline::fill_top_with_last() {
  vacant_ = false;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(last);
}

void Timeline::withdraw(const TimelineListener& listener) {
  fill_top();
  std::vector<Entry> kept;
  kept.reserve(heap_.size());
  for (const Entry& entry : heap_)
    if (entry.listener != &listener) kept.push_back(entry);
  std::sort(kept.begin(), kept.end());  // a sorted array is a heap
  heap_ = std::move(kept);
}

void Timeline::run_until(Picoseconds limit) {
  while (!empty() && next() <= limit) step();
}

void Timeline::run() {
  while (!empty()) step();
}

void Timeline::advance_to(Picoseconds time) {
  TESSERA_CHECK(time >= now_ && (empty() || next() >= time), "time would skip a due action");
  now_ = time;
}

}  // namespace tessera
