#include "base/timeline.hpp"

#include <algorithm>

namespace tessera {

namespace {
constexpr std::size_t arity = 4;
}

inline void Timeline::sift_up(std::size_t hole, const Entry& entry) {
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / arity;
    if (!(entry < heap_[parent])) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = entry;
}

inline void Timeline::sift_down(std::size_t hole, const Entry& entry) {
  const std::size_t size = heap_.size();
  for (;;) {
    const std::size_t first = hole * arity + 1;
    if (first >= size) break;
    std::size_t least = first;
    for (std::size_t child = first + 1; child < std::min(first + arity, size); ++child)
      if (heap_[child] < heap_[least]) least = child;
    if (!(heap_[least] < entry)) break;
    heap_[hole] = heap_[least];
    hole = least;
  }
  heap_[hole] = entry;
}

void Timeline::post(Picoseconds when, TimelineListener& listener, std::uint64_t argument) {
  TESSERA_CHECK(when >= now_, "an action was posted into the past");
  const Entry entry{when, posted_++, &listener, argument};
  if (vacant_) {
    vacant_ = false;
    return sift_down(0, entry);
  }
  heap_.push_back(entry);
  sift_up(heap_.size() - 1, entry);
}

void Timeline::fill_top_with_last() {
  vacant_ = false;
  const Entry last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(0, last);
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

void Timeline::step() {
  fill_top();
  TESSERA_CHECK(!heap_.empty(), "an empty timeline was stepped");
  const Entry next = heap_.front();
  vacant_ = true;
  now_ = next.when;
  ++actions_;
  next.listener->on_time(next.argument);
  fill_top();
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
