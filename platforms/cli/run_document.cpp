#include "platforms/cli/run_document.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <system_error>

#include "platforms/cli/arguments.hpp"
#include "platforms/description/toml_document.hpp"

namespace tessera::cli {

namespace {

using Table = DescriptionValue::Table;
using Array = DescriptionValue::Array;

const std::set<std::string, std::less<>> no_part_of_a_run{"out", "json", "list-inputs", "document", "help", "until"};
/// Options whose value is a file, or may be the name of something that comes with the program.
const std::set<std::string, std::less<>> of_files{"drive", "trace", "workload", "load-state", "save-state", "firmware", "elf"};
const std::set<std::string, std::less<>> of_code{"firmware", "elf"};
/// What no folder of results may load or write: such folders are mailed and published.
const std::set<std::string, std::less<>> not_of_results{"firmware", "elf",      "save-state",       "vcd",
                                                        "fst",      "timeline", "firmware-profile", "gdb"};

[[noreturn]] void refuse(const DescriptionValue& value, const std::string& sentence) {
  throw input_error(value.place.file, value.place.line, sentence);
}

/// A number or a text as the command line takes it.
std::optional<std::string> word_of(const DescriptionValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value.data)) {
    char digits[64];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, *real, std::chars_format::fixed);
    if (error == std::errc()) return std::string(digits, end);
  }
  return std::nullopt;
}

/// `--set` for each value of a table, whose path so far is `path`.
void add_settings(std::vector<std::string>& words, const DescriptionValue& value, const std::string& path) {
  if (const auto* table = std::get_if<Table>(&value.data)) {
    for (const DescriptionEntry& entry : *table) add_settings(words, entry.value, path.empty() ? entry.name : path + "." + entry.name);
    return;
  }
  if (path.empty()) refuse(value, "set: expected a table of parameters, as \"media.rpm\" = \"5400 rpm\", found " + value.text());
  words.insert(words.end(), {"--set", path + "=" + word_of(value).value_or(value.text())});
}

class Reader {
 public:
  Reader(const std::string& file, const Arguments& given)
      : file_(file), folder_(std::filesystem::path(file).parent_path()), given_(given) {}

  std::vector<std::string> words(const DescriptionValue& run) {
    const DescriptionValue* drive = run.find("drive");
    if (drive == nullptr) refuse(run, "[run]: expected a drive, as drive = \"common\"");
    words_ = {text_of("drive", *drive)};
    for (const DescriptionEntry& entry : std::get<Table>(run.data))
      if (entry.name != "drive") add(entry.name, entry.value);
    return words_;
  }

 private:
  void add(const std::string& name, const DescriptionValue& value) {
    const std::string option = "--" + name;
    const Arguments::Kind kind = given_.kind(option);
    if (no_part_of_a_run.contains(name)) refuse(value, "[run]: '" + name + "' is no part of a run: give it on the command line");
    if (kind == Arguments::Kind::none) refuse(value, "[run]: " + unknown_name("option", name, names()));
    if (not_of_results.contains(name) && of_results())
      refuse(value, "[run]: '" + name + "' in a folder of results, which names no code and no output: give it on the command line");
    const auto* several = std::get_if<Array>(&value.data);
    if (name == "set" && several == nullptr) return add_settings(words_, value, "");
    if ((given_.given(option) && name != "set") || is_other_input(name)) return;
    if (kind == Arguments::Kind::flag) {
      const auto* on = std::get_if<bool>(&value.data);
      if (on == nullptr) refuse(value, name + ": expected true or false, found " + value.text());
      if (*on) words_.push_back(option);
      return;
    }
    if (several == nullptr || kind != Arguments::Kind::repeated) {
      words_.insert(words_.end(), {option, text_of(name, value)});
      return;
    }
    for (const DescriptionValue& each : *several) words_.insert(words_.end(), {option, text_of(name, each)});
  }

  [[nodiscard]] bool of_results() const {
    std::error_code error;
    return std::filesystem::exists(folder_ / "summary.json", error) || std::filesystem::exists(folder_ / "run.json", error);
  }

  /// The command line names a trace and the document a workload, or the reverse.
  [[nodiscard]] bool is_other_input(const std::string& name) const {
    return (name == "trace" && given_.given("--workload")) || (name == "workload" && given_.given("--trace"));
  }

  [[nodiscard]] std::string text_of(const std::string& name, const DescriptionValue& value) const {
    const std::optional<std::string> word = word_of(value);
    if (!word || word->empty()) refuse(value, name + ": expected a text or a number, found " + value.text());
    if (!of_files.contains(name) || std::filesystem::path(*word).is_absolute()) return *word;
    std::error_code error;
    const std::filesystem::path from_here = folder_ / *word;
    return std::filesystem::is_regular_file(from_here, error) ? from_here.string() : *word;
  }

  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> names{"drive"};
    for (const auto* option : given_.command().get_options())
      for (const auto& name : option->get_lnames())
        if (!no_part_of_a_run.contains(name)) names.push_back(name);
    return names;
  }

  const std::string& file_;
  std::filesystem::path folder_;
  const Arguments& given_;
  std::vector<std::string> words_;
};

std::string text_of_file(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// A file that there is lies where it lies from every folder.
std::string from_anywhere(const NamedOption& option, const std::string& value) {
  std::error_code error;
  const bool is_path = of_files.contains(option.name) && std::filesystem::is_regular_file(value, error);
  return is_path ? std::filesystem::absolute(value).lexically_normal().string() : value;
}

std::string path_of(const std::string& setting) { return setting.substr(0, setting.find('=')); }

/// Of one that is set twice the second is laid over the first: a table cannot say that.
std::set<std::string> paths_of(const NamedOption& settings) {
  std::set<std::string> paths;
  for (const std::string& setting : settings.values) paths.insert(path_of(setting));
  return paths;
}

}  // namespace

bool is_run_document(const std::string& drive) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(drive, error)) return false;
  std::istringstream lines(text_of_file(drive));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t begin = line.find_first_not_of(" \t");
    const std::size_t name = begin == std::string::npos || line[begin] != '[' ? begin : line.find_first_not_of("[ \t", begin);
    if (name == begin || name == std::string::npos || line.compare(name, 3, "run") != 0) continue;
    if (line.find_first_of("] .\t\r", name) == name + 3 || line.size() == name + 3) return true;
  }
  return false;
}

std::vector<std::string> words_of_document(const std::string& file, const Arguments& given) {
  const TomlDocument document = TomlDocument::parse(text_of_file(file), file);
  for (const DescriptionEntry& entry : std::get<Table>(document.root().data))
    if (entry.name != "run")
      refuse(entry.value,
             "'" + entry.name + "' next to [run]: a run document has that table alone; put parameters of the drive into [run.set]");
  const DescriptionValue& run = *document.root().find("run");
  if (!std::holds_alternative<Table>(run.data)) refuse(run, "run: expected a table, found " + run.text());
  std::vector<std::string> words = Reader(file, given).words(run);
  const std::vector<std::string> said = given.words({});
  words.insert(words.end(), said.begin(), said.end());
  return words;
}

std::string run_document(const std::vector<NamedOption>& options, const std::string& digest_of_code) {
  const auto left_out = [&](const NamedOption& option) { return !digest_of_code.empty() && of_code.contains(option.name); };
  std::string text = "# The same again: tessera run run.toml\n";
  for (const NamedOption& option : options)
    if (left_out(option))
      text += "# with --" + option.name + " " + toml_quoted(option.values.front()) + ", which no folder of results may load\n";
  text += "[run]\n";
  const NamedOption* settings = nullptr;
  for (const NamedOption& option : options) {
    if (left_out(option)) continue;
    if (option.name == "set" && paths_of(option).size() == option.values.size()) {
      settings = &option;
      continue;
    }
    text += option.name + " = ";
    if (option.values.empty()) text += "true";
    if (option.repeated) text += "[";
    for (std::size_t i = 0; i < option.values.size(); ++i)
      text += (i == 0 ? "" : ", ") + toml_quoted(from_anywhere(option, option.values[i]));
    text += option.repeated ? "]\n" : "\n";
  }
  if (!digest_of_code.empty()) text += "firmware-digest = " + toml_quoted(digest_of_code) + "\n";
  if (settings == nullptr) return text;
  text += "\n[run.set]\n";
  for (const std::string& setting : settings->values)
    text += toml_quoted(path_of(setting)) + " = " + toml_quoted(setting.substr(path_of(setting).size() + 1)) + "\n";
  return text;
}

}  // namespace tessera::cli
