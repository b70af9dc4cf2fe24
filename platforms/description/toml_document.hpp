#pragma once
// A description as a tree of values: a TOML file, the files it extends, and the `--set` overrides laid over them. Each value
// remembers where it was written, so that an error found later still names file and line.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.hpp"

namespace tessera {

/// Where a value was written. An override has the text of its option as `file` and line 0.
struct Place {
  std::string file;
  std::uint64_t line = 0;
};

struct DescriptionEntry;

/// One value of a description, or a table of them.
struct DescriptionValue {
  using Array = std::vector<DescriptionValue>;
  using Table = std::vector<DescriptionEntry>;  ///< in the order in which keys were written; names are unique

  std::variant<bool, std::int64_t, double, std::string, Array, Table> data;
  Place place;

  /// The entry `name` of a table, or nullptr where there is none or this is no table.
  [[nodiscard]] const DescriptionValue* find(std::string_view name) const;
  [[nodiscard]] DescriptionValue* find(std::string_view name);

  /// The value as TOML on one line, for messages.
  [[nodiscard]] std::string text() const;
};

struct DescriptionEntry {
  std::string name;
  DescriptionValue value;
};

/// A TOML basic string: quoted and escaped.
[[nodiscard]] std::string toml_quoted(std::string_view text);

/// The file of a description that is known by name; empty where there is none.
using FindDescription = std::function<std::optional<std::filesystem::path>(const std::string& name)>;

/// Who gave a value.
enum class Author : std::uint8_t {
  nobody,       ///< it is the default
  library,      ///< a description that is known by name, or comes with Tessera
  own_file,     ///< any other file
  command_line  ///< an override
};

class TomlDocument {
 public:
  /// Loads `file`. Its top-level key `extends = "NAME"` names a file to start from: a sibling without its `.toml`, a path
  /// relative to the folder of `file`, or else a name that `find` knows. Tables merge key by key, every other value replaces the extended
  /// file's. Throws InputError: unreadable file, TOML syntax (with line), a missing extended file (with the nearest that exists), a circle.
  static TomlDocument load(const std::filesystem::path& file, const FindDescription& find = {});

  /// A document from memory, where `name` stands for the file in messages; it may not extend another.
  static TomlDocument parse(std::string_view toml, std::string_view name);

  /// Lays an override over the document: `dotted.path=value`. The value is a TOML value or, where it is none, the text itself;
  /// so that names and quantities need no quotes: `nand.read=0.1 ms`.
  /// Throws InputError that begins with `--set ASSIGNMENT`.
  void set(std::string_view assignment);

  /// Files of these folders belong to a library of descriptions, for author_of().
  void add_library(const std::vector<std::filesystem::path>& folders);
  /// Of the value at a dotted path.
  [[nodiscard]] Author author_of(std::string_view path) const;

  [[nodiscard]] const DescriptionValue& root() const { return root_; }
  /// The top-level key `summary`: one line on what the file describes; "" where it has none.
  [[nodiscard]] std::string summary() const;
  /// The file itself and the files it extends, nearest first.
  [[nodiscard]] const std::vector<std::filesystem::path>& files() const { return files_; }

 private:
  DescriptionValue root_{DescriptionValue::Table{}, {}};
  std::vector<std::filesystem::path> files_;
  std::set<std::string> library_;  ///< of these, those of a library
};

}  // namespace tessera
