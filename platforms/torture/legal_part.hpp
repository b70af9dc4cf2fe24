#pragma once
// As much of a list as somebody accepts.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace tessera {

/// `takes` accepts the empty list. All of `wanted` where it accepts that; else each entry, in order, that it accepts next to those kept in
/// front of it. What is refused is found by halves: one of n costs about 2 log2(n) questions.
template <class T>
[[nodiscard]] std::vector<T> legal_part(const std::vector<T>& wanted, const std::function<bool(const std::vector<T>&)>& takes) {
  std::vector<T> kept;
  const std::function<void(std::size_t, std::size_t)> add = [&](std::size_t first, std::size_t end) {
    if (first == end) return;
    const auto at = [&](std::size_t index) { return wanted.begin() + static_cast<std::ptrdiff_t>(index); };
    std::vector<T> more = kept;
    more.insert(more.end(), at(first), at(end));
    if (takes(more)) {
      kept = std::move(more);
    } else if (end - first > 1) {
      const std::size_t middle = first + (end - first) / 2;
      add(first, middle);
      add(middle, end);
    }
  };
  add(0, wanted.size());
  return kept;
}

}  // namespace tessera
