#pragma once
// Where the runs of a comparison wrap addresses: at the smallest capacity among the layers, so that all get one workload.
#include <optional>
#include <span>
#include <string>

#include "base/units.hpp"

namespace tessera {

struct LayerCapacity {
  std::string layer;
  Bytes capacity;
};

/// The smallest of unlike capacities, the first of equal ones; empty where all layers hold as much.
[[nodiscard]] std::optional<LayerCapacity> smallest_of_unlike(std::span<const LayerCapacity> layers);

/// "addresses fold at 62277025792 B for every layer, the capacity of sblock, which is the smallest, so that all get one workload".
[[nodiscard]] std::string shared_fold_note(const LayerCapacity& smallest);

}  // namespace tessera
