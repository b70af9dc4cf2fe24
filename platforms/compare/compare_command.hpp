#pragma once
// The command `compare`: each layer and seed in a process of its own, one table and one file of columns.
#include "platforms/cli/options.hpp"
#include "platforms/description/search_path.hpp"

namespace tessera {

/// Runs DIR/LAYER/SEED for each layer and seed, prints the table and writes DIR/compare.json. The exit status is 0 where every run's
/// was, 130 after Ctrl-C, and else the gravest: 3 before others before 2 (a layer that the drive cannot carry). InputError for what no
/// layer could run.
[[nodiscard]] int compare_command(cli::CompareOptions options, const SearchPath& search);

}  // namespace tessera
