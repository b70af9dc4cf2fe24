#pragma once
#include <string_view>

namespace tessera {

/// Tables and arrays inside one another; real descriptions stay below 10.
inline constexpr std::size_t deepest_nesting = 64;

/// The first line of a TOML text at which tables and arrays are nested more than `deepest_nesting` deep, by brackets or by the parts of a
/// dotted key; 0 where there is none. To be asked before parsing: trees are walked by recursion, and a key of 100,000 parts would
/// overflow the stack.
[[nodiscard]] std::size_t line_nested_too_deep(std::string_view toml);

}  // namespace tessera
