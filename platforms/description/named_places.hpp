#pragma once
#include <functional>
#include <string>

#include "platforms/description/toml_document.hpp"

namespace tessera {

/// A sentence about several parameters with the places where the description says them: "... (nand.page_size: my.toml:5)". It names a
/// parameter by the end of its path ("page_size", "nand.page_size"). `counts`: whether a path is of interest, where two end alike.
[[nodiscard]] std::string with_named_places(const std::string& sentence, const TomlDocument& document,
                                            const std::function<bool(const std::string& path)>& counts);

}  // namespace tessera
