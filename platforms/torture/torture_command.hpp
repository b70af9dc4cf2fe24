#pragma once
#include "platforms/cli/options.hpp"
#include "platforms/description/search_path.hpp"

namespace tessera {

/// Tortures a drive and tells what was lost. Exit status 0: nothing, 1: something, 3: nothing but the model threw, hung or crashed; bad
/// input throws InputError.
[[nodiscard]] int torture_command(const cli::TortureOptions& options, const SearchPath& search);

}  // namespace tessera
