#pragma once
// Each file that a command writes is a file of its own: no other output, and nothing that the command reads.
#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

struct NamedPath {
  std::string what;  ///< for messages: the option that names it
  std::filesystem::path path;
};

/// InputError for the first two that are one file, by their path or by what is there. A terminal or /dev/null may be several.
void require_apart(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs);

}  // namespace tessera
