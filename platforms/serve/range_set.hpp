#pragma once
// Runs of bytes, merged where they touch or overlap.
#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>

namespace tessera {

class RangeSet {
 public:
  using Range = std::pair<std::uint64_t, std::uint64_t>;  // [first, second)

  void add(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second >= begin) --at;
    while (at != ranges_.end() && at->first <= end) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = ranges_.erase(at);
    }
    ranges_.emplace_hint(at, begin, end);
  }
  void remove(std::uint64_t begin, std::uint64_t end) {
    if (begin >= end) return;
    auto at = ranges_.upper_bound(begin);
    if (at != ranges_.begin() && std::prev(at)->second > begin) --at;
    while (at != ranges_.end() && at->first < end) {
      const Range whole = *at;
      at = ranges_.erase(at);
      if (whole.first < begin) ranges_.emplace(whole.first, begin);
      if (whole.second > end) ranges_.emplace(end, whole.second);
    }
  }
  /// Takes everything that is in `other`, and leaves that empty.
  void take(RangeSet& other) {
    for (const auto& [begin, end] : std::exchange(other.ranges_, {})) add(begin, end);
  }
  void clear() { ranges_.clear(); }

  [[nodiscard]] bool empty() const { return ranges_.empty(); }
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& ranges() const { return ranges_; }
  /// Where what `at` is in, or is outside of, ends: whether it is in, and the first byte behind, `limit` at most.
  [[nodiscard]] std::pair<bool, std::uint64_t> run(std::uint64_t at, std::uint64_t limit) const {
    const auto next = ranges_.upper_bound(at);
    if (next != ranges_.begin() && std::prev(next)->second > at) return {true, std::min(std::prev(next)->second, limit)};
    return {false, next == ranges_.end() ? limit : std::min(next->first, limit)};
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ranges_;
};

}  // namespace tessera
