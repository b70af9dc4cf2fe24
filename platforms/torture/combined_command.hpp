#pragma once
#include "platforms/cli/options.hpp"
#include "platforms/description/search_path.hpp"

namespace tessera {

/// The campaign of combined faults that `options` ask for. Exit status as torture_command().
[[nodiscard]] int combined_command(const cli::TortureOptions& options, const SearchPath& search);

}  // namespace tessera
