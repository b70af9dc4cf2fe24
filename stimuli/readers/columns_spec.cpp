#include "stimuli/readers/columns_spec.hpp"

#include <toml++/toml.h>
#include <filesystem>

#include "base/error.hpp"
#include "stimuli/readers/decimal.hpp"
#include "stimuli/readers/fields.hpp"

namespace tessera {
namespace {

/// One entry, and where it stands for the message of an error.
struct Entry {
  std::string key;
  std::string value;
  std::string origin;
  std::uint64_t line = 0;

  [[noreturn]] void refuse(const std::string& expected) const {
    throw input_error(origin, line, key + " = '" + value + "': expected " + expected);
  }
  [[nodiscard]] std::uint64_t number(std::string_view text, const std::string& expected) const {
    std::uint64_t parsed = 0;
    if (parse_unsigned(text, parsed) != NumberFault::none) refuse(expected);
    return parsed;
  }
  [[nodiscard]] std::size_t column(std::string_view text) const {
    const std::string expected = "a column from 1 to " + std::to_string(Fields::capacity);
    const auto parsed = number(text, expected);
    if (parsed == 0 || parsed > Fields::capacity) refuse(expected);
    return parsed;
  }
};

std::pair<std::string_view, std::string_view> halves(std::string_view text, char at) {
  const auto middle = text.find(at);
  if (middle == std::string_view::npos) return {text, {}};
  return {text.substr(0, middle), text.substr(middle + 1)};
}

ColumnsSpec::Column time_column(const Entry& entry) {
  const auto [column, unit] = halves(entry.value, ':');
  const auto ps = ps_per_unit(unit);
  if (ps == 0) entry.refuse(std::string("COLUMN:UNIT with ") + time_unit_names);
  return {entry.column(column), ps};
}

ColumnsSpec::Column byte_column(const Entry& entry) {
  const std::string expected = "COLUMN:UNIT with the number of bytes of one, or 'bytes'";
  const auto [column, unit] = halves(entry.value, ':');
  const std::uint64_t bytes = unit == "bytes" ? 1 : entry.number(unit, expected);
  if (bytes == 0) entry.refuse(expected);
  return {entry.column(column), bytes};
}

char separator(const Entry& entry) {
  if (entry.value == "comma") return ',';
  if (entry.value == "space") return ' ';
  if (entry.value == "tab") return '\t';
  if (entry.value == "semicolon") return ';';
  if (entry.value.size() != 1) entry.refuse("comma, space, tab, semicolon or one character");
  return entry.value[0];
}

void add_words(ColumnsSpec& spec, const Entry& entry, HostOp op) {
  std::string_view rest = entry.value;
  do {
    const auto [word, more] = halves(rest, '|');
    if (word.empty()) entry.refuse("one or more words with '|' between them");
    spec.words.emplace_back(word, op);
    rest = more;
  } while (!rest.empty());
}

ColumnsSpec interpret(const std::vector<Entry>& entries, const std::string& origin) {
  ColumnsSpec spec;
  for (const Entry& entry : entries) {
    if (entry.key == "time")
      spec.time = time_column(entry);
    else if (entry.key == "offset")
      spec.offset = byte_column(entry);
    else if (entry.key == "size")
      spec.size = byte_column(entry);
    else if (entry.key == "op")
      spec.op = entry.column(entry.value);
    else if (entry.key == "r")
      add_words(spec, entry, HostOp::read);
    else if (entry.key == "w")
      add_words(spec, entry, HostOp::write);
    else if (entry.key == "u") {
      const std::size_t before = spec.words.size();
      add_words(spec, entry, HostOp::write);
      for (std::size_t i = before; i < spec.words.size(); ++i) spec.forced.push_back(spec.words[i].first);
    } else if (entry.key == "f")
      add_words(spec, entry, HostOp::flush);
    else if (entry.key == "t")
      add_words(spec, entry, HostOp::trim);
    else if (entry.key == "volume") {
      const auto [column, prefix] = halves(entry.value, ':');
      spec.volume = entry.column(column);
      spec.volume_prefix = prefix;
    } else if (entry.key == "separator")
      spec.separator = separator(entry);
    else if (entry.key == "header")
      spec.header = entry.number(entry.value, "a number of lines");
    else
      throw input_error(
          entry.origin, entry.line,
          unknown_name("entry", entry.key, {"time", "offset", "size", "op", "r", "w", "u", "f", "t", "volume", "separator", "header"}));
  }
  const std::pair<const char*, bool> needed[] = {{"time", spec.time.number != 0},
                                                 {"offset", spec.offset.number != 0},
                                                 {"size", spec.size.number != 0},
                                                 {"op", spec.op != 0},
                                                 {"r or w", !spec.words.empty()}};
  for (const auto& [name, given] : needed)
    if (!given) throw input_error(origin, 0, std::string("the description of the columns lacks ") + name);
  return spec;
}

}  // namespace

ColumnsSpec parse_columns_spec(std::string_view text, std::string_view origin) {
  std::vector<Entry> entries;
  const auto add = [&](std::string_view entry) {
    const auto [key, value] = halves(entry, '=');
    entries.push_back({std::string(trimmed(key)), std::string(trimmed(value)), std::string(origin)});
  };
  while (!text.empty()) {
    const auto [entry, rest] = halves(text, ',');
    text = rest;
    const auto colon = entry.find(':');
    const bool word_follows = trimmed(entry).starts_with("op=") && colon != std::string_view::npos;  // op=5:r=1
    add(word_follows ? entry.substr(0, colon) : entry);
    if (word_follows) add(entry.substr(colon + 1));
  }
  return interpret(entries, std::string(origin));
}

ColumnsSpec read_columns_spec(const std::string& toml_path) {
  if (!std::filesystem::exists(toml_path)) throw input_error(toml_path, 0, "no such file");
  std::vector<Entry> entries;
  try {
    const toml::table table = toml::parse_file(toml_path);
    for (const auto& [key, value] : table) {
      Entry entry{std::string(key.str()), {}, toml_path, key.source().begin.line};
      if (const auto text = value.value_exact<std::string>())
        entry.value = *text;
      else if (const auto number = value.value_exact<std::int64_t>())
        entry.value = std::to_string(*number);
      else
        entry.refuse("a string or an integer");
      entries.push_back(std::move(entry));
    }
  } catch (const toml::parse_error& error) {
    throw input_error(toml_path, error.source().begin.line, error.description());
  }
  return interpret(entries, toml_path);
}

std::string columns_file(const std::string& trace_path) { return trace_path + ".columns.toml"; }

}  // namespace tessera
