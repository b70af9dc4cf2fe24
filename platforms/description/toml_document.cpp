#include "platforms/description/toml_document.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <sstream>
#include <system_error>

#include "platforms/description/former_names.hpp"
#include "platforms/description/nesting.hpp"
#include "platforms/description/range_text.hpp"

namespace tessera {

namespace {

using Table = DescriptionValue::Table;
using Array = DescriptionValue::Array;

/// Descriptions that extend one another in a row.
constexpr std::size_t most_extended = 64;

DescriptionValue converted(const toml::node& node, const std::string& file) {
  DescriptionValue value;
  value.place = {file, node.source().begin.line};
  if (const auto* table = node.as_table()) {
    std::vector<std::pair<toml::source_position, DescriptionEntry>> entries;
    for (const auto& [key, child] : *table) {
      entries.emplace_back(key.source().begin, DescriptionEntry{std::string(key.str()), converted(child, file)});
    }
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    auto& sorted = value.data.emplace<Table>();
    for (auto& [position, entry] : entries) sorted.push_back(std::move(entry));
  } else if (const auto* array = node.as_array()) {
    auto& elements = value.data.emplace<Array>();
    for (const auto& element : *array) elements.push_back(converted(element, file));
  } else if (const auto* boolean = node.as_boolean()) {
    value.data = boolean->get();
  } else if (const auto* integer = node.as_integer()) {
    value.data = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    value.data = real->get();
  } else if (const auto* string = node.as_string()) {
    value.data = string->get();
  } else {
    throw input_error(file, value.place.line, "expected a number, a text, a table or an array, found a date or time");
  }
  return value;
}

DescriptionValue parsed(std::string_view text, const std::string& file) {
  if (const std::size_t line = line_nested_too_deep(text); line != 0)
    throw input_error(file, line, "tables and arrays are nested more than " + std::to_string(deepest_nesting) + " deep");
  try {
    return converted(toml::parse(text, file), file);
  } catch (const toml::parse_error& error) {
    throw input_error(file, error.source().begin.line, "not valid TOML: " + std::string(error.description()));
  }
}

std::string file_text(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::exists(file, error)) throw InputError(file.string() + ": no such file");
  if (std::filesystem::is_directory(file, error)) throw InputError(file.string() + ": expected a file, found a folder");
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) throw InputError(file.string() + ": cannot be read");
  return text.str();
}

/// Lays `upper` over `lower`.
void merge(DescriptionValue& lower, DescriptionValue&& upper) {
  auto* lower_table = std::get_if<Table>(&lower.data);
  auto* upper_table = std::get_if<Table>(&upper.data);
  if (lower_table == nullptr || upper_table == nullptr) {
    lower = std::move(upper);
    return;
  }
  lower.place = upper.place;
  std::map<std::string, std::size_t, std::less<>> below;  // by name: a generated description may have many keys
  for (std::size_t i = 0; i < lower_table->size(); ++i) below.emplace((*lower_table)[i].name, i);
  for (auto& entry : *upper_table) {
    if (const auto same = below.find(entry.name); same != below.end()) {
      merge((*lower_table)[same->second].value, std::move(entry.value));
    } else {
      lower_table->push_back(std::move(entry));
    }
  }
}

/// The names that `extends` could have meant: the files beside `file`.
std::vector<std::string> siblings(const std::filesystem::path& file) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(file.parent_path().empty() ? "." : file.parent_path(), error)) {
    if (entry.path().extension() == ".toml" && entry.path().filename() != file.filename()) names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

/// The file beside `file`, or else a description that is known by the name: one's own "common" may extend the built-in one.
std::filesystem::path extended_file(const std::filesystem::path& file, const DescriptionValue& extends, const FindDescription& find) {
  const auto* name = std::get_if<std::string>(&extends.data);
  if (name == nullptr || name->empty()) {
    throw input_error(extends.place.file, extends.place.line, "extends: expected the name of a description, found " + extends.text());
  }
  std::filesystem::path target = file.parent_path() / *name;
  if (target.extension() != ".toml") target += ".toml";
  std::error_code error;
  const bool beside = std::filesystem::is_regular_file(target, error);
  if (beside && !std::filesystem::equivalent(target, file, error)) return target;
  if (const auto known = find ? find(*name) : std::nullopt) return *known;
  if (beside) return target;
  throw input_error(extends.place.file, extends.place.line,
                    "extends: there is no file " + target.string() + "; " + unknown_name("description", *name, siblings(file)));
}

/// A layer's parameters may stand under the name that it had in an earlier release.
void rename_layers(DescriptionValue& document) {
  DescriptionValue* layers = document.find("layers");
  auto* sections = layers == nullptr ? nullptr : std::get_if<Table>(&layers->data);
  if (sections == nullptr) return;
  for (auto& section : *sections) {
    const std::string name = current_name(section.name);
    if (const auto* same = name == section.name ? nullptr : layers->find(name))
      throw input_error(section.value.place.file, section.value.place.line,
                        "layers." + section.name + " is called layers." + name + " today, and line " + std::to_string(same->place.line) +
                            " has that too");
    section.name = name;
  }
}

/// `file` over all that it extends; `chain` holds the files that led here.
DescriptionValue loaded(const std::filesystem::path& file, const FindDescription& find, std::vector<std::filesystem::path>& chain) {
  chain.push_back(file);
  DescriptionValue value = parsed(file_text(file), file.string());
  rename_layers(value);
  auto& table = std::get<Table>(value.data);
  const auto extends = std::find_if(table.begin(), table.end(), [](const auto& entry) { return entry.name == "extends"; });
  if (extends == table.end()) return value;

  const std::filesystem::path lower_file = extended_file(file, extends->value, find);
  if (chain.size() == most_extended)
    throw input_error(file.string(), extends->value.place.line,
                      "more than " + std::to_string(most_extended) + " descriptions extend one another");
  std::error_code error;
  const auto first =
      std::find_if(chain.begin(), chain.end(), [&](const auto& seen) { return std::filesystem::equivalent(seen, lower_file, error); });
  if (first != chain.end()) {
    std::string circle;
    for (auto link = first; link != chain.end(); ++link) circle += link->filename().string() + " -> ";
    throw input_error(file.string(), extends->value.place.line, "extends goes in a circle: " + circle + first->filename().string());
  }
  table.erase(extends);
  DescriptionValue lower = loaded(lower_file, find, chain);
  merge(lower, std::move(value));
  return lower;
}

bool is_bare_key(std::string_view key) {
  return !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == '-'; });
}

/// The right-hand side of an override: TOML where it is TOML, else the text itself.
DescriptionValue override_value(const std::string& text, const std::string& option) {
  const bool delimited = text.starts_with('"') || text.starts_with('\'') || text.starts_with('[') || text.starts_with('{');
  DescriptionValue bare{text, {option, 0}};
  if (!delimited && text.find_first_of("#\n") != std::string::npos) return bare;  // would end the TOML value early
  try {
    DescriptionValue table = parsed("value = " + text, option);
    if (std::get<Table>(table.data).size() != 1) throw InputError(option + ": expected one value, found several lines");
    return std::move(std::get<Table>(table.data).front().value);
  } catch (const InputError&) {
    if (!delimited) return bare;
    throw InputError(option + ": expected a value in TOML, such as \"text\" or [[0, 1.5], [100, 3.0]], found " + text);
  }
}

/// An override has no lines: all that it sets is placed at the option.
void place_at(DescriptionValue& value, const std::string& option) {
  value.place = {option, 0};
  if (auto* array = std::get_if<Array>(&value.data)) {
    for (auto& element : *array) place_at(element, option);
  } else if (auto* table = std::get_if<Table>(&value.data)) {
    for (auto& entry : *table) place_at(entry.value, option);
  }
}

std::string real_text(double value) {
  const std::string text = number_text(value);
  const bool is_real = text.find_first_of(".en") != std::string::npos;  // e: exponent; n: inf and nan
  return is_real ? text : text + ".0";
}

struct Printer {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return real_text(value); }
  std::string operator()(const std::string& value) const { return toml_quoted(value); }
  std::string operator()(const Array& values) const {
    std::string text = "[";
    for (const auto& value : values) text += (&value == &values.front() ? "" : ", ") + value.text();
    return text + "]";
  }
  std::string operator()(const Table& entries) const {
    std::string text = "{";
    for (const auto& entry : entries) text += (&entry == &entries.front() ? "" : ", ") + entry.name + " = " + entry.value.text();
    return text + "}";
  }
};

}  // namespace

const DescriptionValue* DescriptionValue::find(std::string_view name) const {
  const auto* table = std::get_if<Table>(&data);
  if (table == nullptr) return nullptr;
  const auto entry = std::find_if(table->begin(), table->end(), [name](const auto& candidate) { return candidate.name == name; });
  return entry == table->end() ? nullptr : &entry->value;
}

DescriptionValue* DescriptionValue::find(std::string_view name) {
  return const_cast<DescriptionValue*>(static_cast<const DescriptionValue*>(this)->find(name));
}

std::string DescriptionValue::text() const { return std::visit(Printer{}, data); }

std::string toml_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += {'\\', c};
    } else if (byte < 0x20 || byte == 0x7f) {
      constexpr std::string_view hex = "0123456789abcdef";
      out += "\\u00";
      out += {hex[byte >> 4], hex[byte & 15]};
    } else {
      out += c;
    }
  }
  return out + '"';
}

TomlDocument TomlDocument::load(const std::filesystem::path& file, const FindDescription& find) {
  TomlDocument document;
  document.root_ = loaded(file, find, document.files_);
  return document;
}

TomlDocument TomlDocument::parse(std::string_view toml, std::string_view name) {
  TomlDocument document;
  document.root_ = parsed(toml, std::string(name));
  if (const auto* extends = document.root_.find("extends")) {
    throw input_error(name, extends->place.line, "extends: only a description in a file can extend another");
  }
  return document;
}

void TomlDocument::set(std::string_view assignment) {
  const std::string option = "--set " + std::string(assignment);
  const auto equals = assignment.find('=');
  if (equals == std::string_view::npos) throw InputError(option + ": expected path=value, such as media.rpm=\"7200 rpm\"");
  const std::string path(assignment.substr(0, equals));
  const std::string text(assignment.substr(equals + 1));
  if (text.empty()) throw InputError(option + ": expected a value after the '='");
  if (path == "extends") throw InputError(option + ": expected a parameter, but extends belongs to the file");

  DescriptionValue upper = override_value(text, option);
  place_at(upper, option);
  std::istringstream keys(path + '.');
  std::vector<std::string> names;
  for (std::string key; std::getline(keys, key, '.');) {
    if (!is_bare_key(key)) throw InputError(option + ": expected a dotted path such as media.rpm before the '=', found '" + path + "'");
    names.push_back(names == std::vector<std::string>{"layers"} ? current_name(key) : key);
  }
  if (names.size() > deepest_nesting)
    throw InputError(option.substr(0, 40) + "...: expected a path of at most " + std::to_string(deepest_nesting) + " parts, found " +
                     std::to_string(names.size()));
  const DescriptionValue* below = &root_;
  for (const auto& name : names) {
    if (below != nullptr && !std::holds_alternative<Table>(below->data)) {
      throw InputError(option + ": '" + name + "' cannot be set inside " + below->text() + ", which is no section (" + below->place.file +
                       (below->place.line != 0 ? ":" + std::to_string(below->place.line) : "") + ")");
    }
    below = below == nullptr ? nullptr : below->find(name);
  }
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    DescriptionValue wrapped{Table{}, {option, 0}};
    std::get<Table>(wrapped.data).push_back({*name, std::move(upper)});
    upper = std::move(wrapped);
  }
  merge(root_, std::move(upper));
}

void TomlDocument::add_library(const std::vector<std::filesystem::path>& folders) {
  for (const auto& file : files_) {
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    std::error_code error;
    if (std::ranges::any_of(folders, [&](const auto& known) { return std::filesystem::equivalent(known, folder, error); }))
      library_.insert(file.string());
  }
}

Author TomlDocument::author_of(std::string_view path) const {
  const DescriptionValue* value = &root_;
  while (!path.empty() && value != nullptr) {
    const auto dot = path.find('.');
    value = value->find(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  if (value == nullptr) return Author::nobody;
  if (value->place.line == 0) return Author::command_line;
  return library_.contains(value->place.file) ? Author::library : Author::own_file;
}

std::string TomlDocument::summary() const {
  const auto* value = root_.find("summary");
  if (value == nullptr) return {};
  if (const auto* text = std::get_if<std::string>(&value->data)) return *text;
  throw input_error(value->place.file, value->place.line, "summary: expected one line of text, found " + value->text());
}

}  // namespace tessera
