#pragma once
#include <string>
#include <vector>

#include "platforms/cli/options.hpp"
#include "platforms/description/search_path.hpp"

namespace tessera {

/// What the user set and has no effect on any of these layers, with any of the durabilities that torture tries: a sentence each, without
/// its full stop. A layer or durability that the drive does not allow says nothing here: torture itself refuses it.
[[nodiscard]] std::vector<std::string> settings_in_vain(const cli::TortureOptions& options, const SearchPath& search,
                                                        const std::vector<std::string>& layers);

}  // namespace tessera
