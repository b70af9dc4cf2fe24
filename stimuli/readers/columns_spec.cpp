#include "stimuli/readers/columns_spec.hpp"

#include <toml++/toml.h>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>

#include "base/error.hpp"
#include "stimuli/readers/column_names.hpp"
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
  /// From 1, from the right as -1, or by name.
  [[nodiscard]] ColumnsSpec::Place column(std::string_view text) const {
    const std::string expected = "a column from 1 to " + std::to_string(Fields::capacity) + " (from the right: -1 to -" +
                                 std::to_string(Fields::capacity) + "), or its name in the header";
    text = trimmed(text);
    const bool from_right = text.starts_with('-');
    const auto digits = from_right ? text.substr(1) : text;
    if (digits.empty()) refuse(expected);
    if (!from_right && (digits[0] < '0' || digits[0] > '9')) return {0, std::string(text)};
    const auto parsed = number(digits, expected);
    if (parsed == 0 || parsed > Fields::capacity) refuse(expected);
    return {from_right ? -static_cast<int>(parsed) : static_cast<int>(parsed), {}};
  }
};

std::pair<std::string_view, std::string_view> halves(std::string_view text, char at) {
  const auto middle = text.find(at);
  if (middle == std::string_view::npos) return {text, {}};
  return {text.substr(0, middle), text.substr(middle + 1)};
}

ColumnsSpec::Column time_column(const Entry& entry, const char* or_else = "") {
  const auto [column, unit] = halves(entry.value, ':');
  const auto ps = ps_per_unit(unit);
  if (ps == 0) entry.refuse(std::string("COLUMN:UNIT with ") + time_unit_names + or_else);
  return {entry.column(column), ps};
}

/// COLUMN:UNIT, COLUMN:date, DATE+TIME:date or none.
void set_time(ColumnsSpec& spec, const Entry& entry) {
  spec.no_times = entry.value == "none";
  if (spec.no_times) return;
  const auto [columns, unit] = halves(entry.value, ':');
  spec.calendar = unit == "date";
  if (!spec.calendar) {
    spec.time = time_column(entry, " (COLUMN:date of the calendar, or none)");
    return;
  }
  const auto [first, second] = halves(columns, '+');
  spec.time = {entry.column(first), 1};
  if (!second.empty()) spec.time_of_day = entry.column(second);
}

ColumnsSpec::Column byte_column(const Entry& entry) {
  const std::string expected = "COLUMN:UNIT with the number of bytes of one, or bytes, KiB or MiB; COLUMN:UNIT:hex; or fixed:BYTES";
  const auto [column, rest] = halves(entry.value, ':');
  if (column == "fixed") return {{}, entry.number(rest, expected), false};
  const auto [unit, base] = halves(rest, ':');
  if (!base.empty() && base != "hex") entry.refuse(expected);
  const std::uint64_t bytes = unit == "bytes" ? 1 : unit == "KiB" ? 1024 : unit == "MiB" ? 1024 * 1024 : entry.number(unit, expected);
  if (bytes == 0) entry.refuse(expected);
  return {entry.column(column), bytes, base == "hex"};
}

char separator(const Entry& entry) {
  if (entry.value == "comma") return ',';
  if (entry.value == "space") return ' ';
  if (entry.value == "tab") return '\t';
  if (entry.value == "semicolon") return ';';
  if (entry.value.size() != 1) entry.refuse("comma, space, tab, semicolon or one character");
  return entry.value[0];
}

std::vector<std::string> words_of(const Entry& entry, std::string_view rest) {
  std::vector<std::string> all;
  do {
    const auto [word, more] = halves(rest, '|');
    if (word.empty()) entry.refuse("one or more words with '|' between them ('blank' for a field without text)");
    all.emplace_back(word == "blank" ? "" : word);
    rest = more;
  } while (!rest.empty());
  return all;
}

void add_words(ColumnsSpec& spec, const Entry& entry, HostOp op) {
  for (auto& word : words_of(entry, entry.value)) spec.words.emplace_back(std::move(word), op);
}

void set_op(ColumnsSpec& spec, const Entry& entry) {
  if (!entry.value.starts_with("fixed")) {
    spec.op = entry.column(entry.value);
    return;
  }
  const auto word = halves(entry.value, ':').second;
  if (word != "r" && word != "w") entry.refuse("COLUMN, fixed:r or fixed:w");
  spec.fixed_op = word == "r" ? HostOp::read : HostOp::write;
  spec.words.emplace_back(word, *spec.fixed_op);
}

ColumnsSpec::Filter filter(const Entry& entry) {
  const auto [column, list] = halves(entry.value, ':');
  return {entry.column(column), words_of(entry, list)};
}

bool yes(const Entry& entry) {
  if (entry.value != "yes" && entry.value != "no") entry.refuse("yes or no");
  return entry.value == "yes";
}

void set_comments(ColumnsSpec& spec, const Entry& entry) { spec.comments = entry.value == "none" ? "" : entry.value; }

void set_unmatched(ColumnsSpec& spec, const Entry& entry) {
  if (entry.value != "skip" && entry.value != "refuse") entry.refuse("skip or refuse");
  spec.skip_unmatched = entry.value == "skip";
}

void set_volume(ColumnsSpec& spec, const Entry& entry) {
  const auto [columns, prefix] = halves(entry.value, ':');
  spec.volume.clear();
  for (std::string_view rest = columns; !rest.empty() || spec.volume.empty();) {
    auto [column, more] = halves(rest, '+');
    const bool optional = column.ends_with('?');
    if (optional) column.remove_suffix(1);
    spec.volume.push_back(entry.column(column));
    spec.volume.back().optional = optional && !spec.volume.back().name.empty();
    rest = more;
  }
  spec.volume_prefix = prefix;
}

void set_header(ColumnsSpec& spec, const Entry& entry) {
  spec.header_auto = entry.value == "auto";
  if (!spec.header_auto) spec.header = entry.number(entry.value, "a number of lines, or auto");
}

template <HostOp op, std::vector<std::string> ColumnsSpec::*marked>
void set_marked(ColumnsSpec& spec, const Entry& entry) {
  const std::size_t before = spec.words.size();
  add_words(spec, entry, op);
  for (std::size_t i = before; i < spec.words.size(); ++i) (spec.*marked).push_back(spec.words[i].first);
}

template <HostOp op>
void set_words(ColumnsSpec& spec, const Entry& entry) {
  add_words(spec, entry, op);
}

/// What each entry sets, in the order in which messages name them.
struct Setter {
  const char* key;
  void (*set)(ColumnsSpec&, const Entry&);
};

constexpr Setter setters[] = {
    {"time", set_time},
    {"response", [](ColumnsSpec& spec, const Entry& entry) { spec.response = time_column(entry); }},
    {"offset", [](ColumnsSpec& spec, const Entry& entry) { spec.offset = byte_column(entry); }},
    {"size", [](ColumnsSpec& spec, const Entry& entry) { spec.size = byte_column(entry); }},
    {"op", set_op},
    {"r", set_words<HostOp::read>},
    {"w", set_words<HostOp::write>},
    {"u", set_marked<HostOp::write, &ColumnsSpec::forced>},
    {"f", set_words<HostOp::flush>},
    {"t", set_words<HostOp::trim>},
    {"za", set_marked<HostOp::write, &ColumnsSpec::appended>},
    {"zr", set_words<HostOp::zone_reset>},
    {"zra", set_marked<HostOp::zone_reset, &ColumnsSpec::of_all>},
    {"zo", set_words<HostOp::zone_open>},
    {"zc", set_words<HostOp::zone_close>},
    {"zf", set_words<HostOp::zone_finish>},
    {"zp", set_words<HostOp::zone_report>},
    {"s", [](ColumnsSpec& spec, const Entry& entry) { spec.skipped = words_of(entry, entry.value); }},
    {"only", [](ColumnsSpec& spec, const Entry& entry) { spec.only = filter(entry); }},
    {"except", [](ColumnsSpec& spec, const Entry& entry) { spec.except = filter(entry); }},
    {"fua", [](ColumnsSpec& spec, const Entry& entry) { spec.fua = filter(entry); }},
    {"flush", [](ColumnsSpec& spec, const Entry& entry) { spec.flush = filter(entry); }},
    {"volume", set_volume},
    {"separator", [](ColumnsSpec& spec, const Entry& entry) { spec.separator = separator(entry); }},
    {"quotes", [](ColumnsSpec& spec, const Entry& entry) { spec.quotes = yes(entry); }},
    {"comment", set_comments},
    {"header", set_header},
    {"regex", [](ColumnsSpec& spec, const Entry& entry) { spec.regex = entry.value; }},
    {"unmatched", set_unmatched},
};

[[noreturn]] void unknown_entry(const Entry& entry) {
  std::vector<std::string> known;
  for (const auto& setter : setters) known.emplace_back(setter.key);
  throw input_error(entry.origin, entry.line, unknown_name("entry", entry.key, known));
}

void settle_regex(ColumnsSpec& spec, const Entry& entry) {
  constexpr std::size_t most_characters = 1024;
  if (spec.regex.size() > most_characters) entry.refuse("at most " + std::to_string(most_characters) + " characters");
  const std::vector<std::string> groups = name_groups(spec.regex);
  if (groups.size() > Fields::capacity) entry.refuse("at most " + std::to_string(Fields::capacity) + " groups");
  try {
    static_cast<void>(std::regex(spec.regex));
  } catch (const std::regex_error& error) {
    entry.refuse(std::string("a regular expression (ECMAScript, and (?<name>...) for groups with names): ") + error.what());
  }
  std::vector<std::string> known;
  for (const auto& name : groups)
    if (!name.empty()) known.push_back(name);
  for (const auto& name : spec.names())
    if (std::ranges::find(groups, name) == groups.end())
      throw input_error(entry.origin, entry.line, "regex: " + unknown_name("group", name, known));
  static_cast<void>(spec.resolve(groups));
  for (const auto* place : spec.places())
    if (place->number < 0 || static_cast<std::size_t>(place->number) > groups.size())
      entry.refuse("a group for every column: it has " + std::to_string(groups.size()) + ", and column " + std::to_string(place->number) +
                   " is asked for");
}

void check_whole(ColumnsSpec& spec, const std::string& origin) {
  const std::pair<const char*, bool> needed[] = {{"time (or time = none)", spec.time.at.given() || spec.no_times},
                                                 {"offset", spec.offset.at.given()},
                                                 {"size", spec.size.at.given() || spec.size.unit != 0},
                                                 {"op", spec.op.given() || spec.fixed_op},
                                                 {"r or w", !spec.words.empty()}};
  for (const auto& [name, given] : needed)
    if (!given) throw input_error(origin, 0, std::string("the description of the columns lacks ") + name);
  // Where every name may be missing, any line would do for the header.
  if (spec.names().empty() && std::ranges::any_of(spec.volume, &ColumnsSpec::Place::optional))
    throw input_error(origin, 0, "volume: a name that ends with ? needs another column by name");
}

ColumnsSpec interpret(const std::vector<Entry>& entries, const std::string& origin) {
  ColumnsSpec spec;
  const Entry* regex = nullptr;
  for (const Entry& entry : entries) {
    const auto* setter = std::ranges::find(setters, entry.key, [](const Setter& one) { return std::string_view(one.key); });
    if (setter == std::end(setters)) unknown_entry(entry);
    setter->set(spec, entry);
    if (entry.key == "regex") regex = &entry;
  }
  check_whole(spec, origin);
  if (regex != nullptr) settle_regex(spec, *regex);
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
    if (trimmed(text).starts_with("regex=")) {  // to the end: it may hold commas
      add(text);
      break;
    }
    const auto [entry, rest] = halves(text, ',');
    text = rest;
    const auto colon = entry.find(':');
    const bool word_follows =
        trimmed(entry).starts_with("op=") && !trimmed(entry).starts_with("op=fixed") && colon != std::string_view::npos;  // op=5:r=1
    add(word_follows ? entry.substr(0, colon) : entry);
    if (word_follows) add(entry.substr(colon + 1));
  }
  return interpret(entries, std::string(origin));
}

ColumnsSpec columns_of_toml(const std::string& toml, const std::string& origin) {
  std::vector<Entry> entries;
  try {
    const toml::table table = toml::parse(toml, origin);
    for (const auto& [key, value] : table) {
      Entry entry{std::string(key.str()), {}, origin, key.source().begin.line};
      if (const auto text = value.value_exact<std::string>())
        entry.value = *text;
      else if (const auto number = value.value_exact<std::int64_t>())
        entry.value = std::to_string(*number);
      else
        entry.refuse("a string or an integer");
      entries.push_back(std::move(entry));
    }
  } catch (const toml::parse_error& error) {
    throw input_error(origin, error.source().begin.line, error.description());
  }
  return interpret(entries, origin);
}

ColumnsSpec read_columns_spec(const std::string& toml_path) {
  if (!std::filesystem::exists(toml_path)) throw input_error(toml_path, 0, "no such file");
  if (!std::filesystem::is_regular_file(toml_path))  // opening a pipe would wait for somebody: the file is found beside a trace
    throw input_error(toml_path, 0, "expected a file that describes columns, found no regular file");
  std::ifstream file(toml_path, std::ios::binary);
  return columns_of_toml({std::istreambuf_iterator<char>(file), {}}, toml_path);
}

std::string columns_file(const std::string& trace_path) { return trace_path + ".columns.toml"; }

}  // namespace tessera
