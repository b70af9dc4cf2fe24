#include "platforms/description/listing.hpp"

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

}  // namespace tessera
