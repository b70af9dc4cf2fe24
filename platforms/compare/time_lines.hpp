#pragma once
// Where the time of reads and writes went under each layer of a comparison.
#include <span>
#include <string>

#include "platforms/compare/run_result.hpp"

namespace tessera {

/// A heading, then a line each for reads and writes of a layer, in the mean over its seeds; empty where no run was measured.
/// `runs`: in order of layers, all seeds of a layer together.
[[nodiscard]] std::string time_lines(std::span<const RunResult> runs);

}  // namespace tessera
