// The listings that programs read: JSON and JSON Schema.
#include <boost/json.hpp>
#include <cmath>

#include "platforms/description/listing.hpp"
#include "platforms/description/range_text.hpp"

namespace tessera {

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
