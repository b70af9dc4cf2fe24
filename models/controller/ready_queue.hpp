#pragma once
// Entries in order, taken from the front. Most come after all that are there, and the others not far in front of the end, so that a place
// is looked for from the end on.
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace tessera {

/// Of two entries one is greater (`>`).
template <class Entry>
class ReadyQueue {
 public:
  [[nodiscard]] bool empty() const { return begin_ == entries_.size(); }
  [[nodiscard]] const Entry& front() const { return entries_[begin_]; }
  /// In order.
  [[nodiscard]] std::span<const Entry> entries() const { return std::span(entries_).subspan(begin_); }

  void push(const Entry& entry) {
    std::size_t place = entries_.size();
    while (place > begin_ && entries_[place - 1] > entry) --place;
    if (place == entries_.size()) return entries_.push_back(entry);
    entries_.insert(entries_.begin() + static_cast<std::ptrdiff_t>(place), entry);
  }

  /// Gives the entry at `place` of entries() and removes it.
  Entry take(std::size_t place) {
    const Entry taken = entries_[begin_ + place];
    if (place != 0) {
      entries_.erase(entries_.begin() + static_cast<std::ptrdiff_t>(begin_ + place));
      return taken;
    }
    ++begin_;
    if (begin_ == entries_.size()) {
      clear();
    } else if (begin_ == most_taken) {
      entries_.erase(entries_.begin(), entries_.begin() + most_taken);
      begin_ = 0;
    }
    return taken;
  }

  void clear() {
    entries_.clear();
    begin_ = 0;
  }

 private:
  static constexpr std::ptrdiff_t most_taken = 256;  // ours: entries that are taken and still there

  std::vector<Entry> entries_;
  std::size_t begin_ = 0;  // of those that are not taken
};

}  // namespace tessera
