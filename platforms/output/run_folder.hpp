#pragma once
// The folder that holds what one run gives. summary.json is written last: a folder without it is not that of a run that ended.
#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

class RunFolder {
 public:
  /// Creates the folder and its parents, tries that files can be written there, and removes the results of an earlier run: what is found
  /// there afterwards is of this one. Throws OutputError before any simulation.
  explicit RunFolder(std::filesystem::path path);

  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return path_ / name; }
  /// Writes a whole file; throws OutputError.
  void write(std::string_view name, std::string_view text) const;

 private:
  std::filesystem::path path_;
};

}  // namespace tessera
