#pragma once
// Finds descriptions of drives, workloads and arrays by name, so that `tessera run common` works from any folder.
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "platforms/description/toml_document.hpp"

namespace tessera {

/// A description that is known by name.
struct NamedFile {
  std::string name;  ///< the file's name without `.toml`
  std::filesystem::path file;
  std::string summary;  ///< its top-level key `summary`
};

/// The kinds of description files and the folders they live in.
enum class DescriptionFile { drive, workload, array };

class SearchPath {
 public:
  /// Searches these roots in order. A root holds `platforms/drives`, `platforms/arrays` and `stimuli/workloads` (the source tree), or
  /// `drives`, `arrays` and `workloads` (an installation).
  explicit SearchPath(std::vector<std::filesystem::path> roots) : roots_(std::move(roots)) {}

  /// $TESSERA_HOME where it is set; `../share/tessera` beside the executable; the source tree it was built from.
  static SearchPath standard(const std::filesystem::path& executable);

  /// The file of a description. A workload of a published table is called `papers/NAME`, and NAME where no other is. Else `name` with a
  /// slash or the ending `.toml` is a path as it stands, anything else a name to look up. Throws InputError: no such file; or an unknown
  /// name with the nearest known one and the folders that were searched.
  [[nodiscard]] std::filesystem::path find(DescriptionFile kind, std::string_view name) const;

  /// Whether a description of this kind comes with the program, or lies under $TESSERA_HOME, under that name.
  [[nodiscard]] bool knows(DescriptionFile kind, std::string_view name) const;

  /// The description that find() finds, over all that it extends; it may extend any that is known by name.
  [[nodiscard]] TomlDocument load(DescriptionFile kind, std::string_view name) const;

  /// The file of a trace: `path` itself where there is such a file, or where no trace that comes with the program has this name.
  [[nodiscard]] std::filesystem::path trace(const std::filesystem::path& path) const;

  /// All that can be found by name, in alphabetical order; a name in an earlier root hides the same name in a later one.
  [[nodiscard]] std::vector<NamedFile> list(DescriptionFile kind) const;

 private:
  [[nodiscard]] std::vector<std::filesystem::path> folders(DescriptionFile kind) const;
  [[nodiscard]] FindDescription by_name(DescriptionFile kind) const;
  /// Without summaries: looking a name up must not fail because of an unrelated broken file.
  [[nodiscard]] std::vector<NamedFile> names(DescriptionFile kind) const;

  std::vector<std::filesystem::path> roots_;
};

}  // namespace tessera
