#pragma once
// Names that a library gives: they become folders, words of lists, columns of CSV files and keys of descriptions.
#include <string>
#include <string_view>

namespace tessera {

/// What is wrong with the name of a layer, "has the name '...'; expected ...": "" where nothing is.
[[nodiscard]] std::string fault_of_layer_name(std::string_view name);

/// The same of a parameter, region, gauge or kind of event.
[[nodiscard]] std::string fault_of_name(std::string_view name);

}  // namespace tessera
