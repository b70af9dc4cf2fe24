#include "platforms/description/reader.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "platforms/description/range_text.hpp"

namespace tessera {

namespace {

using Table = DescriptionValue::Table;
using Array = DescriptionValue::Array;

/// A whole number, or one past TOML's 63 bits written as text; nothing where the value is neither.
std::optional<std::uint64_t> whole_number(const DescriptionValue& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value.data)) {
    return *number < 0 ? std::nullopt : std::optional(static_cast<std::uint64_t>(*number));
  }
  const auto* text = std::get_if<std::string>(&value.data);
  if (text == nullptr) return std::nullopt;
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  constexpr auto most_toml = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (error != std::errc() || end != text->data() + text->size() || number <= most_toml) return std::nullopt;
  return number;
}

std::optional<double> real_number(const DescriptionValue& value) {
  if (const auto* real = std::get_if<double>(&value.data)) return *real;
  if (const auto* whole = std::get_if<std::int64_t>(&value.data)) return static_cast<double>(*whole);
  return std::nullopt;
}

/// long double has the 64 bits of mantissa that an exact comparison needs.
bool within(std::uint64_t amount, const Range& range) {
  const auto exact = static_cast<long double>(amount);
  return exact >= static_cast<long double>(range.min) && exact <= static_cast<long double>(range.max);
}

std::string dotted(const std::string& section, std::string_view name) {
  return section.empty() ? std::string(name) : section + "." + std::string(name);
}

}  // namespace

DescriptionReader::DescriptionReader(const TomlDocument& document) : DescriptionReader(document, document.root(), "") {
  fields_[""].push_back("summary");
}

DescriptionReader::DescriptionReader(const TomlDocument& document, const DescriptionValue& table, std::string path)
    : document_(document), root_(table), root_path_(std::move(path)), sections_{{root_path_, &table}} {
  fields_[root_path_];
}

std::string DescriptionReader::path_of(std::string_view name) const { return dotted(sections_.back().path, name); }

const DescriptionValue* DescriptionReader::take(std::string_view name) {
  auto& declared = fields_[sections_.back().path];
  if (std::find(declared.begin(), declared.end(), name) == declared.end()) declared.emplace_back(name);
  return sections_.back().table == nullptr ? nullptr : sections_.back().table->find(name);
}

void DescriptionReader::reject(const DescriptionValue& value, std::string_view name, const std::string& expected,
                               const std::string& problem) const {
  throw input_error(value.place.file, value.place.line,
                    path_of(name) + ": expected " + expected + ", found " + value.text() + (problem.empty() ? "" : ": " + problem));
}

std::uint64_t DescriptionReader::read_amount(std::string_view name, std::uint64_t amount, Range range, Dimension dimension) {
  const DescriptionValue* value = take(name);
  if (value == nullptr) return amount;
  const std::string expected = std::string(expectation(dimension)) + range_clause(range, dimension);
  const auto* text = std::get_if<std::string>(&value->data);
  if (text == nullptr) reject(*value, name, expected);
  const QuantityReading reading = read_quantity(dimension, *text);
  if (!reading.problem.empty()) reject(*value, name, expected, reading.problem);
  if (!within(reading.amount, range)) reject(*value, name, expected);
  return reading.amount;
}

std::uint64_t DescriptionReader::read_count(std::string_view name, std::uint64_t count, Range range, std::uint64_t limit) {
  const DescriptionValue* value = take(name);
  if (value == nullptr) return count;
  const auto number = whole_number(*value);
  if (number && *number <= limit && within(*number, range)) return *number;
  if (limit < std::numeric_limits<std::uint64_t>::max()) range.max = std::min(range.max, static_cast<double>(limit));
  reject(*value, name, "a whole number" + range_clause(range));
}

void DescriptionReader::field(std::string_view name, bool& value, std::string_view /*doc*/) {
  const DescriptionValue* found = take(name);
  if (found == nullptr) return;
  const auto* boolean = std::get_if<bool>(&found->data);
  if (boolean == nullptr) reject(*found, name, "true or false");
  value = *boolean;
}

void DescriptionReader::field(std::string_view name, std::uint32_t& value, Range range, std::string_view /*doc*/) {
  value = static_cast<std::uint32_t>(read_count(name, value, range, std::numeric_limits<std::uint32_t>::max()));
}

void DescriptionReader::field(std::string_view name, std::uint64_t& value, Range range, std::string_view /*doc*/) {
  value = read_count(name, value, range, std::numeric_limits<std::uint64_t>::max());
}

void DescriptionReader::field(std::string_view name, double& value, Range range, std::string_view /*doc*/) {
  const DescriptionValue* found = take(name);
  if (found == nullptr) return;
  const auto number = real_number(*found);
  if (!number || !(*number >= range.min && *number <= range.max)) reject(*found, name, "a number" + range_clause(range));
  value = *number;
}

void DescriptionReader::field(std::string_view name, Picoseconds& value, Range range, std::string_view /*doc*/) {
  value = Picoseconds(read_amount(name, value.value(), range, Dimension::time));
}

void DescriptionReader::field(std::string_view name, Bytes& value, Range range, std::string_view /*doc*/) {
  value = Bytes(read_amount(name, value.value(), range, Dimension::size));
}

void DescriptionReader::field(std::string_view name, BytesPerSecond& value, Range range, std::string_view /*doc*/) {
  value = BytesPerSecond(read_amount(name, value.value(), range, Dimension::rate));
}

void DescriptionReader::field(std::string_view name, Hertz& value, Range range, std::string_view /*doc*/) {
  value = Hertz(read_amount(name, value.value(), range, Dimension::frequency));
}

void DescriptionReader::field(std::string_view name, Rpm& value, Range range, std::string_view /*doc*/) {
  value = Rpm(read_amount(name, value.value(), range, Dimension::speed));
}

void DescriptionReader::field(std::string_view name, Microwatts& value, Range range, std::string_view /*doc*/) {
  value = Microwatts(read_amount(name, value.value(), range, Dimension::power));
}

void DescriptionReader::field(std::string_view name, Picojoules& value, Range range, std::string_view /*doc*/) {
  value = Picojoules(read_amount(name, value.value(), range, Dimension::energy));
}

void DescriptionReader::field(std::string_view name, std::string& value, std::string_view /*doc*/) {
  const DescriptionValue* found = take(name);
  if (found == nullptr) return;
  const auto* text = std::get_if<std::string>(&found->data);
  if (text == nullptr) reject(*found, name, "a text in quotes");
  value = *text;
}

void DescriptionReader::choice(std::string_view name, std::uint32_t& value, ChoiceNames names, std::string_view /*doc*/) {
  const DescriptionValue* found = take(name);
  if (found == nullptr) return;
  const std::vector<std::string> known(names.begin(), names.end());
  const std::string expected = "one of " + joined(known);
  const auto* text = std::get_if<std::string>(&found->data);
  if (text == nullptr) reject(*found, name, expected);
  const auto match = std::find(names.begin(), names.end(), *text);
  if (match == names.end()) reject(*found, name, expected, "did you mean '" + nearest_name(*text, known) + "'?");
  value = static_cast<std::uint32_t>(match - names.begin());
}

void DescriptionReader::table(std::string_view name, std::vector<NumberRow>& rows, const std::vector<std::string>& columns,
                              std::string_view /*doc*/) {
  const DescriptionValue* found = take(name);
  if (found == nullptr) return;
  const std::string row_text = std::to_string(columns.size()) + " numbers (" + joined(columns) + ")";
  const auto* lines = std::get_if<Array>(&found->data);
  if (lines == nullptr) reject(*found, name, "an array of rows of " + row_text);
  std::vector<NumberRow> read;
  for (const auto& line : *lines) {
    const std::string expected = "row " + std::to_string(read.size() + 1) + " to be " + row_text;
    const auto* cells = std::get_if<Array>(&line.data);
    if (cells == nullptr || cells->size() != columns.size()) reject(line, name, expected);
    NumberRow& row = read.emplace_back();
    for (const auto& cell : *cells) {
      const auto number = real_number(cell);
      if (!number || !std::isfinite(*number)) reject(line, name, expected);
      row.push_back(*number);
    }
  }
  rows = std::move(read);
}

void DescriptionReader::enter(std::string_view name, std::string_view /*doc*/) {
  const DescriptionValue* found = take(name);
  if (found != nullptr && !std::holds_alternative<Table>(found->data)) reject(*found, name, "a section [" + path_of(name) + "]");
  const std::string path = path_of(name);
  fields_.try_emplace(path);
  sections_.push_back({path, found});
}

void DescriptionReader::leave() { sections_.pop_back(); }

void DescriptionReader::finish() const { check_known(root_, root_path_); }

void DescriptionReader::check_known(const DescriptionValue& table, const std::string& path) const {
  const auto& declared = fields_.at(path);
  for (const auto& entry : std::get<Table>(table.data)) {
    const std::string entry_path = dotted(path, entry.name);
    if (std::find(declared.begin(), declared.end(), entry.name) == declared.end()) {
      throw input_error(entry.value.place.file, entry.value.place.line,
                        "unknown " + std::string(std::holds_alternative<Table>(entry.value.data) ? "section" : "key") + " '" + entry_path +
                            "'; did you mean " + suggestion(path, entry));
    }
    if (fields_.contains(entry_path)) check_known(entry.value, entry_path);
  }
}

std::string DescriptionReader::suggestion(const std::string& section, const DescriptionEntry& entry) const {
  const bool is_section = std::holds_alternative<Table>(entry.value.data);
  std::vector<std::string> elsewhere;  // the right name in the wrong section
  for (const auto& [path, names] : fields_) {
    std::string candidate = dotted(path, entry.name);
    const bool declared = std::find(names.begin(), names.end(), entry.name) != names.end();
    if (declared && fields_.contains(candidate) == is_section) elsewhere.push_back(std::move(candidate));
  }
  const auto question = [](const std::string& name) { return "'" + name + "'?"; };
  const auto& names = fields_.at(section);
  if (!elsewhere.empty()) {
    // The section may be right, and the name another word for one of its own.
    const std::string own = section.empty() || names.empty() ? "" : " [" + section + "] has: " + joined(names);
    return question(nearest_name(dotted(section, entry.name), elsewhere)) + own;
  }
  return question(names.empty() ? section : dotted(section, nearest_name(entry.name, names)));
}

Place DescriptionReader::place_of(std::string_view path) const {
  const DescriptionValue* value = &document_.root();
  Place place = value->place;
  while (!path.empty()) {
    const auto dot = path.find('.');
    value = value->find(path.substr(0, dot));
    if (value == nullptr) break;
    place = value->place;
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return place;
}

}  // namespace tessera
