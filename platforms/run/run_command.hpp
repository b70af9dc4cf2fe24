#pragma once
#include "platforms/cli/options.hpp"
#include "platforms/description/search_path.hpp"

namespace tessera {

/// `tessera-sim run`: builds the drive, simulates, writes the run folder and prints the result in a few lines.
/// Exit status: 0 good; 1 a request failed; 3 a scoreboard error; 130, 143 or 129 after SIGINT, SIGTERM or SIGHUP. Throws for the rest
/// (main.cpp).
[[nodiscard]] int run_command(cli::RunOptions options, const SearchPath& search);

}  // namespace tessera
