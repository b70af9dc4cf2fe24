#pragma once
// Columns that have names: groups of a regular expression, words of a header.
#include <string>
#include <vector>

namespace tessera {

/// Takes the names out of `(?<name>...)` and `(?P<name>...)`, which the standard library does not know. Answers what each group is called,
/// "" for one without a name.
[[nodiscard]] std::vector<std::string> name_groups(std::string& regex);

}  // namespace tessera
