// The listings that people read: aligned text, a Markdown page, and the effective description as TOML.
#include <algorithm>
#include <array>

#include "platforms/description/listing.hpp"
#include "platforms/description/toml_document.hpp"

namespace tessera {

namespace {

/// A value as a listing shows it; long tables are shortened.
std::string shown(const Parameter& parameter) {
  constexpr std::size_t longest = 40;
  if (parameter.kind == ParameterKind::table && parameter.value.size() > longest) return parameter.value.substr(0, longest - 4) + " ...";
  return parameter.value;
}

std::string default_note(const Parameter& parameter, const std::vector<Parameter>* defaults) {
  if (defaults == nullptr) return "";
  const auto original =
      std::find_if(defaults->begin(), defaults->end(), [&](const Parameter& other) { return other.path() == parameter.path(); });
  if (original == defaults->end() || original->value == parameter.value) return "";
  return " (default " + shown(*original) + ")";
}

/// The section paths in the order of their first field or declaration, the top first.
std::vector<std::string> section_paths(const std::vector<Parameter>& parameters) {
  std::vector<std::string> paths{""};
  for (const auto& parameter : parameters) {
    const std::string& path = parameter.kind == ParameterKind::section ? parameter.path() : parameter.section;
    if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
  }
  return paths;
}

/// The fields of one section, those declared in several visits to it together.
std::vector<const Parameter*> fields_of(const std::vector<Parameter>& parameters, const std::string& section) {
  std::vector<const Parameter*> fields;
  for (const auto& parameter : parameters) {
    if (parameter.kind != ParameterKind::section && parameter.section == section) fields.push_back(&parameter);
  }
  return fields;
}

std::string section_doc(const std::vector<Parameter>& parameters, const std::string& path) {
  for (const auto& parameter : parameters) {
    if (parameter.kind == ParameterKind::section && parameter.path() == path) return parameter.doc;
  }
  return "";
}

/// A value as a description holds it; a long table has a line for each row.
std::string written(const Parameter& parameter) {
  constexpr std::size_t longest = 100;
  if (parameter.kind != ParameterKind::table || parameter.value.size() <= longest) return parameter.value;
  std::string text = "[\n  ";
  for (const char c : std::string_view(parameter.value).substr(1, parameter.value.size() - 2)) {
    if (c == ' ' && text.ends_with("],")) {
      text += "\n  ";
    } else {
      text += c;
    }
  }
  return text + ",\n]";
}

std::string markdown_cell(const std::string& text) {
  std::string cell;
  for (const char c : text) cell += c == '|' ? "\\|" : std::string(1, c);
  return cell;
}

}  // namespace

std::string parameters_as_text(const std::vector<Parameter>& parameters, const std::vector<Parameter>* defaults) {
  constexpr std::size_t columns = 4;
  std::vector<std::array<std::string, columns + 1>> lines;
  std::array<std::size_t, columns> widths{};
  for (const auto& parameter : parameters) {
    if (parameter.kind == ParameterKind::section) continue;
    auto& line = lines.emplace_back();
    line = {parameter.path(), shown(parameter) + default_note(parameter, defaults), type_text(parameter), range_text(parameter),
            parameter.doc};
    for (std::size_t i = 0; i < columns; ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < columns; ++i) text += line[i] + std::string(widths[i] - line[i].size() + 2, ' ');
    text += line[columns] + '\n';
  }
  return text;
}

std::string parameters_as_markdown(const std::vector<Parameter>& parameters, std::string_view title) {
  std::string text = "# " + std::string(title) + "\n";
  for (const auto& path : section_paths(parameters)) {
    const auto fields = fields_of(parameters, path);
    if (fields.empty()) continue;
    text += path.empty() ? "\n" : "\n## [" + path + "]\n\n";
    if (const std::string doc = section_doc(parameters, path); !doc.empty()) text += doc + "\n\n";
    text += "| key | default | type | range | meaning |\n|---|---|---|---|---|\n";
    for (const Parameter* field : fields) {
      text += "| `" + field->name + "` | `" + markdown_cell(shown(*field)) + "` | " + markdown_cell(type_text(*field)) + " | " +
              range_text(*field) + " | " + markdown_cell(field->doc) + " |\n";
    }
  }
  return text;
}

std::string parameters_as_toml(const std::vector<Parameter>& parameters, std::string_view summary) {
  std::string text = "summary = " + toml_quoted(summary) + "\n";
  for (const auto& path : section_paths(parameters)) {
    const auto fields = fields_of(parameters, path);
    if (fields.empty()) continue;
    if (!path.empty()) text += "\n[" + path + "]\n";
    for (const Parameter* field : fields) text += field->name + " = " + written(*field) + "\n";
  }
  return text;
}

}  // namespace tessera
