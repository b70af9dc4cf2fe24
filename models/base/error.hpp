#pragma once
// The two kinds of error that end a run. Device errors are statuses that firmware handles (firmware/ports/status.hpp).
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Bad input or description: exit status 2. The message stands alone: it says where, what was found and what was expected.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A broken invariant of the model: exit status 3.
class ModelBug : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

/// "FILE:LINE: MESSAGE"; line 0 leaves the line out.
[[nodiscard]] InputError input_error(std::string_view file, std::uint64_t line, std::string_view message);

/// The name of `known` that `name` begins, else the one with the smallest edit distance to it; "" where `known` is empty.
[[nodiscard]] std::string nearest_name(std::string_view name, const std::vector<std::string>& known);

/// "unknown KIND 'NAME'; did you mean 'NEAREST'? known: a, b, c" (the list is left out past 24 names).
[[nodiscard]] std::string unknown_name(std::string_view kind, std::string_view name, const std::vector<std::string>& known);

}  // namespace tessera
