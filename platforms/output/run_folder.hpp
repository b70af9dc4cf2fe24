#pragma once
// The folder that holds what one run gives.
#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

class RunFolder {
 public:
  /// Creates the folder and its parents, and tries that files can be written there; throws OutputError before any simulation.
  explicit RunFolder(std::filesystem::path path);

  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return path_ / name; }
  /// Writes a whole file; throws OutputError.
  void write(std::string_view name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace tessera
