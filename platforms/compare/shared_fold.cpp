#include "platforms/compare/shared_fold.hpp"

#include <algorithm>

namespace tessera {

std::optional<LayerCapacity> smallest_of_unlike(std::span<const LayerCapacity> layers) {
  if (layers.empty()) return std::nullopt;
  const auto [least, most] = std::ranges::minmax_element(layers, {}, &LayerCapacity::capacity);
  return least->capacity == most->capacity ? std::nullopt : std::optional(*least);
}

std::string shared_fold_note(const LayerCapacity& smallest) {
  return "addresses fold at " + std::to_string(smallest.capacity.value()) + " B for every layer, the capacity of " + smallest.layer +
         ", which is the smallest, so that all get one workload";
}

}  // namespace tessera
