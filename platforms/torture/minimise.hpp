#pragma once
// Delta debugging (Zeller and Hildebrandt, 2002): the shortest part of a list that still fails, as far as leaving out runs of it finds one.
#include <algorithm>
#include <cstddef>
#include <functional>
#include <vector>

namespace tessera {

/// `input` fails. Tries at most `tries` parts; the result fails, and where the tries sufficed no single entry of it can be left out.
template <class T>
[[nodiscard]] std::vector<T> minimised(std::vector<T> input, const std::function<bool(const std::vector<T>&)>& fails, std::size_t tries) {
  for (std::size_t parts = 2; input.size() > 1 && tries > 0;) {
    const std::size_t length = (input.size() + parts - 1) / parts;
    bool shorter = false;
    for (std::size_t first = 0; first < input.size() && tries > 0 && !shorter; first += length) {
      std::vector<T> rest(input.begin(), input.begin() + static_cast<std::ptrdiff_t>(first));
      const std::size_t end = std::min(first + length, input.size());
      rest.insert(rest.end(), input.begin() + static_cast<std::ptrdiff_t>(end), input.end());
      --tries;
      if (rest.empty() || !fails(rest)) continue;
      input = std::move(rest);
      shorter = true;
    }
    if (shorter) {
      parts = std::max<std::size_t>(parts - 1, 2);
    } else if (length == 1) {
      break;
    } else {
      parts = std::min(parts * 2, input.size());
    }
  }
  return input;
}

}  // namespace tessera
