#include "platforms/description/listing.hpp"

#include <algorithm>
#include <array>
#include <boost/json.hpp>
#include <cmath>

#include "platforms/description/range_text.hpp"
#include "platforms/description/toml_document.hpp"

namespace tessera {

namespace {

/// TOML's integers have 63 bits; what is past them is written as text.
std::string count_text(std::uint64_t value) {
  const std::string text = std::to_string(value);
  return value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()) ? toml_quoted(text) : text;
}

}  // namespace

std::string type_text(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::section: return "section";
    case ParameterKind::boolean: return "true or false";
    case ParameterKind::count: return "whole number";
    case ParameterKind::real: return "number";
    case ParameterKind::text: return "text";
    case ParameterKind::choice: return "one of " + joined(parameter.names);
    case ParameterKind::table: return "rows of " + joined(parameter.names);
    case ParameterKind::quantity: break;
  }
  const std::string_view phrase = expectation(parameter.dimension);  // "a time such as ..."
  const auto noun = phrase.find(' ') + 1;
  return std::string(phrase.substr(noun, phrase.find(' ', noun) - noun));
}

std::string range_text(const Parameter& parameter) {
  const auto bound = [&parameter](double value) {
    return parameter.kind == ParameterKind::quantity ? bound_text(value, parameter.dimension) : bound_text(value);
  };
  if (parameter.range.max < std::numeric_limits<double>::infinity()) {
    return bound(parameter.range.min) + " to " + bound(parameter.range.max);
  }
  return parameter.range.min > 0 ? "at least " + bound(parameter.range.min) : "";
}

Parameter& ParameterCollector::add(std::string_view name, ParameterKind kind, std::string value, std::string_view doc) {
  Parameter& parameter = parameters_.emplace_back();
  parameter.section = sections_.empty() ? "" : sections_.back();
  parameter.name = name;
  parameter.kind = kind;
  parameter.value = std::move(value);
  parameter.doc = doc;
  if (!unused_.empty()) parameter.unused = unused_.front();
  return parameter;
}

void ParameterCollector::add_quantity(std::string_view name, Dimension dimension, std::uint64_t amount, Range range, std::string_view doc) {
  Parameter& parameter = add(name, ParameterKind::quantity, toml_quoted(print_quantity(dimension, amount)), doc);
  parameter.dimension = dimension;
  parameter.range = range;
}

void ParameterCollector::field(std::string_view name, bool& value, std::string_view doc) {
  add(name, ParameterKind::boolean, value ? "true" : "false", doc);
}

void ParameterCollector::field(std::string_view name, std::uint32_t& value, Range range, std::string_view doc) {
  add(name, ParameterKind::count, count_text(value), doc).range = range;
}

void ParameterCollector::field(std::string_view name, std::uint64_t& value, Range range, std::string_view doc) {
  add(name, ParameterKind::count, count_text(value), doc).range = range;
}

void ParameterCollector::field(std::string_view name, double& value, Range range, std::string_view doc) {
  add(name, ParameterKind::real, number_text(value), doc).range = range;
}

void ParameterCollector::field(std::string_view name, Picoseconds& value, Range range, std::string_view doc) {
  add_quantity(name, Dimension::time, value.value(), range, doc);
}

void ParameterCollector::field(std::string_view name, Bytes& value, Range range, std::string_view doc) {
  add_quantity(name, Dimension::size, value.value(), range, doc);
}

void ParameterCollector::field(std::string_view name, BytesPerSecond& value, Range range, std::string_view doc) {
  add_quantity(name, Dimension::rate, value.value(), range, doc);
}

void ParameterCollector::field(std::string_view name, Hertz& value, Range range, std::string_view doc) {
  add_quantity(name, Dimension::frequency, value.value(), range, doc);
}

void ParameterCollector::field(std::string_view name, Rpm& value, Range range, std::string_view doc) {
  add_quantity(name, Dimension::speed, value.value(), range, doc);
}

void ParameterCollector::field(std::string_view name, Microwatts& value, Range range, std::string_view doc) {
  add_quantity(name, Dimension::power, value.value(), range, doc);
}

void ParameterCollector::field(std::string_view name, Picojoules& value, Range range, std::string_view doc) {
  add_quantity(name, Dimension::energy, value.value(), range, doc);
}

void ParameterCollector::field(std::string_view name, std::string& value, std::string_view doc) {
  add(name, ParameterKind::text, toml_quoted(value), doc);
}

void ParameterCollector::choice(std::string_view name, std::uint32_t& value, ChoiceNames names, std::string_view doc) {
  add(name, ParameterKind::choice, toml_quoted(std::string(names[value])), doc).names.assign(names.begin(), names.end());
}

void ParameterCollector::table(std::string_view name, std::vector<NumberRow>& rows, const std::vector<std::string>& columns,
                               std::string_view doc) {
  std::string text = "[";
  for (const auto& row : rows) {
    text += &row == &rows.front() ? "[" : ", [";
    for (const double& cell : row) text += (&cell == &row.front() ? "" : ", ") + number_text(cell);
    text += "]";
  }
  add(name, ParameterKind::table, text + "]", doc).names = columns;
}

void ParameterCollector::enter(std::string_view name, std::string_view doc) {
  sections_.push_back(add(name, ParameterKind::section, "", doc).path());
}

void ParameterCollector::leave() { sections_.pop_back(); }

void ParameterCollector::begin_unused(std::string_view why) { unused_.emplace_back(why); }

void ParameterCollector::end_unused() { unused_.pop_back(); }

// --- Text ---

// The listings that people read: aligned text, a Markdown page, and the effective description as TOML.

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

// --- JSON and JSON Schema ---

// The listings that programs read: JSON and JSON Schema.

namespace {

namespace json = boost::json;

/// "^[0-9]+(\.[0-9]+)? *(ps|ns|...)$"
std::string quantity_pattern(Dimension dimension) {
  std::string units;
  for (const auto& name : unit_names(dimension)) units += (units.empty() ? "" : "|") + name;
  return "^ *[0-9]+(\\.[0-9]*)? *(" + units + ") *$";
}

json::value number(double value) {
  constexpr double exact_integers = 9'007'199'254'740'992.0;
  if (std::trunc(value) == value && std::fabs(value) <= exact_integers) return static_cast<std::int64_t>(value);
  return value;
}

json::object field_schema(const Parameter& parameter) {
  json::object schema;
  std::string doc = parameter.doc;
  switch (parameter.kind) {
    case ParameterKind::boolean: schema["type"] = "boolean"; break;
    case ParameterKind::text: schema["type"] = "string"; break;
    case ParameterKind::choice: schema["enum"] = json::value_from(parameter.names); break;
    case ParameterKind::quantity:
      schema["type"] = "string";
      schema["pattern"] = quantity_pattern(parameter.dimension);
      if (const std::string range = range_text(parameter); !range.empty()) doc += " (" + range + ")";
      break;
    case ParameterKind::table: {
      const auto columns = static_cast<std::uint64_t>(parameter.names.size());
      schema["type"] = "array";
      schema["items"] = {{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", columns}, {"maxItems", columns}};
      break;
    }
    case ParameterKind::count:
    case ParameterKind::real:
      schema["type"] = parameter.kind == ParameterKind::count ? "integer" : "number";
      if (std::isfinite(parameter.range.min)) schema["minimum"] = number(parameter.range.min);
      if (std::isfinite(parameter.range.max)) schema["maximum"] = number(parameter.range.max);
      break;
    case ParameterKind::section: break;
  }
  schema["description"] = doc;
  return schema;
}

json::object object_schema() { return {{"type", "object"}, {"additionalProperties", false}, {"properties", json::object()}}; }

/// The schema object of a section, made with all that enclose it where it is not there yet.
json::object& section_schema(json::object& root, std::string_view path) {
  json::object* object = &root;
  while (!path.empty()) {
    const auto dot = path.find('.');
    auto& child = object->at("properties").as_object()[path.substr(0, dot)];
    if (child.is_null()) child = object_schema();
    object = &child.as_object();
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return *object;
}

}  // namespace

std::string parameters_as_json(const std::vector<Parameter>& parameters) {
  json::array list;
  for (const auto& parameter : parameters) {
    if (parameter.kind == ParameterKind::section) continue;
    list.push_back({{"path", parameter.path()},
                    {"value", parameter.value},
                    {"type", type_text(parameter)},
                    {"range", range_text(parameter)},
                    {"description", parameter.doc}});
  }
  return json::serialize(list) + "\n";
}

std::string parameters_as_schema(const std::vector<Parameter>& parameters, std::string_view title) {
  json::object root = object_schema();
  root["$schema"] = "https://json-schema.org/draft/2020-12/schema";
  root["title"] = title;
  auto& top = root["properties"].as_object();
  top["summary"] = {{"type", "string"}, {"description", "one line on what this file describes"}};
  top["extends"] = {{"type", "string"}, {"description", "the description that this one starts from"}};
  for (const auto& parameter : parameters) {
    if (parameter.kind == ParameterKind::section) {
      section_schema(root, parameter.path())["description"] = parameter.doc;
    } else {
      section_schema(root, parameter.section).at("properties").as_object()[parameter.name] = field_schema(parameter);
    }
  }
  return json::serialize(root) + "\n";
}

}  // namespace tessera
