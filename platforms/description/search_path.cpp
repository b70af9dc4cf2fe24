#include "platforms/description/search_path.hpp"

#include <algorithm>
#include <cstdlib>

#include "platforms/description/former_names.hpp"

namespace tessera {

namespace fs = std::filesystem;

/// Folder of the workloads of published tables, and part of their names.
static constexpr const char* of_papers = "papers";

/// What a kind of description is called and where it lies.
struct KindOfFile {
  const char* noun;
  const char* source;     ///< folder in the source tree
  const char* installed;  ///< folder of an installation
  const char* below;      ///< a folder in it whose files are found as well; "" = none
};

static const KindOfFile& kind_of(DescriptionFile kind) {
  static constexpr KindOfFile kinds[] = {{"drive", "platforms/drives", "drives", "measured"},
                                         {"workload", "stimuli/workloads", "workloads", of_papers},
                                         {"array", "platforms/arrays", "arrays", ""}};
  return kinds[static_cast<std::size_t>(kind)];
}

/// `papers/mu-web_0` is found as `mu-web_0` as well, where no other is called that; names of earlier releases are found too.
static std::optional<fs::path> find_in(const std::vector<NamedFile>& files, std::string_view name) {
  for (const std::string& called : {std::string(name), std::string(of_papers) + "/" + std::string(name), current_name(name)})
    if (const auto file = std::ranges::find(files, called, &NamedFile::name); file != files.end()) return file->file;
  const auto alike = [name](const NamedFile& file) { return spelled_alike(file.name, name); };
  if (const auto file = std::ranges::find_if(files, alike); file != files.end()) return file->file;
  return std::nullopt;
}

SearchPath SearchPath::standard(const fs::path& executable) {
  std::vector<fs::path> roots;
  if (const char* home = std::getenv("TESSERA_HOME"); home != nullptr && *home != '\0') roots.emplace_back(home);
  std::error_code error;
  const fs::path real = fs::canonical(executable, error);
  if (!error) roots.push_back(real.parent_path().parent_path() / "share" / "tessera");
  roots.emplace_back(TESSERA_SOURCE_DIR);
  return SearchPath(std::move(roots));
}

fs::path SearchPath::trace(const fs::path& path) const {
  constexpr const char* file = "sample.csv.xz";
  std::error_code error;
  if (path != "sample" || fs::exists(path, error)) return path;
  for (const auto& root : roots_)
    for (const auto& folder : {root / "stimuli/traces", root / "traces"})
      if (fs::is_regular_file(folder / file, error)) return folder / file;
  return path;
}

std::vector<fs::path> SearchPath::folders(DescriptionFile kind) const {
  std::vector<fs::path> found;
  for (const auto& root : roots_) {
    const KindOfFile& sort = kind_of(kind);
    for (const auto& folder : {root / sort.source, root / sort.installed}) {
      std::error_code error;
      if (fs::is_directory(folder, error)) found.push_back(folder);
      const fs::path below = folder / sort.below;
      if (*sort.below != '\0' && fs::is_directory(below, error)) found.push_back(below);
    }
  }
  return found;
}

std::vector<NamedFile> SearchPath::names(DescriptionFile kind) const {
  std::vector<NamedFile> files;
  for (const auto& folder : folders(kind)) {
    std::error_code error;
    const fs::path prefix = kind == DescriptionFile::workload && folder.filename() == of_papers ? of_papers : "";
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      if (entry.path().extension() == ".toml") files.push_back({(prefix / entry.path().stem()).string(), entry.path(), ""});
    }
  }
  const auto by_name = [](const NamedFile& a, const NamedFile& b) { return a.name < b.name; };
  std::stable_sort(files.begin(), files.end(), by_name);  // stable: of one name, the earlier root's comes first and stays
  files.erase(std::unique(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name == b.name; }), files.end());
  return files;
}

std::vector<NamedFile> SearchPath::list(DescriptionFile kind) const {
  auto files = names(kind);
  for (auto& file : files) file.summary = TomlDocument::load(file.file, by_name(kind)).summary();
  return files;
}

bool SearchPath::knows(DescriptionFile kind, std::string_view name) const { return find_in(names(kind), name).has_value(); }

FindDescription SearchPath::by_name(DescriptionFile kind) const {
  return [this, kind](const std::string& name) { return find_in(names(kind), name); };
}

TomlDocument SearchPath::load(DescriptionFile kind, std::string_view name) const {
  TomlDocument document = TomlDocument::load(find(kind, name), by_name(kind));
  document.add_library(folders(kind));
  return document;
}

fs::path SearchPath::find(DescriptionFile kind, std::string_view name) const {
  const std::string noun = kind_of(kind).noun;
  const std::vector<NamedFile> files = names(kind);
  if (auto found = find_in(files, name)) return *found;
  if (name.find('/') != std::string_view::npos || name.ends_with(".toml")) {
    std::error_code error;
    if (fs::exists(name, error) && !fs::is_directory(name, error)) return name;
    throw InputError(std::string(name) + ": no such " + noun + " file");
  }
  std::vector<std::string> known;
  known.reserve(files.size());
  for (const auto& file : files) known.push_back(file.name);
  std::string message = unknown_name(noun, name, known) + "; searched:";
  for (const auto& folder : folders(kind)) message += " " + folder.string();
  throw InputError(message);
}

}  // namespace tessera
