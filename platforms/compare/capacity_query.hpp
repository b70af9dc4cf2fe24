#pragma once
// What each layer of a comparison can hold: asked of processes of their own, as one process elaborates one drive.
#include <filesystem>
#include <string>
#include <vector>

#include "platforms/compare/shared_fold.hpp"

namespace tessera {

struct CapacityQuery {
  std::vector<LayerCapacity> layers;  ///< without those that the drive cannot carry: their runs say why
  int stopped_by = 0;                 ///< a stop signal
};

/// Asks `check --capacity` for each layer; `folders` take its output, one a layer. `words`: the drive and its parameters.
[[nodiscard]] CapacityQuery ask_capacities(const std::vector<std::string>& layers, const std::vector<std::string>& words,
                                           const std::vector<std::filesystem::path>& folders, std::size_t jobs);

}  // namespace tessera
