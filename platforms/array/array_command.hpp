#pragma once
// `tessera-sim array`: several drives under one host.
#include "platforms/cli/options.hpp"
#include "platforms/description/search_path.hpp"

namespace tessera {

/// Gives the exit status.
[[nodiscard]] int array_command(const cli::ArrayOptions& options, const SearchPath& search);

/// `--list-inputs`.
[[nodiscard]] int list_array_inputs(const cli::ArrayOptions& options, const SearchPath& search);

}  // namespace tessera
