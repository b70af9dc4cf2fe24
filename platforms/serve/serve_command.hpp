#pragma once
#include "platforms/cli/options.hpp"
#include "platforms/description/search_path.hpp"

namespace tessera {

/// `tessera-sim serve`: a drive that any client of the NBD protocol may use, until SIGINT, SIGTERM or SIGHUP. Exit status: 0 good, 1 a
/// request failed. Throws for the rest (main.cpp).
[[nodiscard]] int serve_command(const cli::ServeOptions& options, const SearchPath& search);

}  // namespace tessera
