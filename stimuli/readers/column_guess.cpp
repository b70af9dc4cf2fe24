#include "stimuli/readers/column_guess.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "stimuli/readers/decimal.hpp"

namespace tessera {
namespace {

constexpr std::size_t enough_lines = 2'000;
constexpr double nearly_all = 0.95;

/// What the values of one column have in common.
struct GuessedColumn {
  std::string name;  ///< in the header, in lower case
  std::size_t seen = 0;
  std::size_t numbers = 0;
  std::size_t rising = 0;     ///< not below the one before
  std::size_t by_one = 0;     ///< above the one before by exactly 1
  std::size_t multiples = 0;  ///< of 512
  std::size_t digits = 0;     ///< of the first number, before its point
  bool fractions = false;
  bool hexadecimal = false;
  double least = 0;
  double most = 0;
  double last = 0;
  std::set<std::string> words;  ///< up to `most_words`

  static constexpr std::size_t most_words = 17;
  [[nodiscard]] bool is_number() const { return seen > 0 && static_cast<double>(numbers) >= nearly_all * static_cast<double>(seen); }
  [[nodiscard]] bool all_multiples() const { return numbers > 0 && multiples == numbers; }
  [[nodiscard]] bool rises() const {
    return is_number() && most > least && static_cast<double>(rising) >= nearly_all * static_cast<double>(numbers - 1);
  }
  /// A number of the line, not a time.
  [[nodiscard]] bool counts() const { return numbers > 2 && by_one == numbers - 1; }
};

std::string lower(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return all;
}

/// The number of a field, decimal or 0x; none where it is none.
std::optional<double> number_of(std::string_view text, GuessedColumn& column) {
  std::uint64_t whole = 0;
  if (text.starts_with("0x") && parse_hexadecimal(text, whole) == NumberFault::none) {
    column.hexadecimal = true;
    return static_cast<double>(whole);
  }
  constexpr std::uint64_t billion = 1'000'000'000;
  TraceTime billionths = 0;
  if (parse_time(text, billion, billionths) != NumberFault::none) return std::nullopt;
  const auto point = text.find('.');
  column.fractions = column.fractions || point != std::string_view::npos;
  if (column.numbers == 0) column.digits = std::min(point, text.size());
  return static_cast<double>(billionths) / 1e9;
}

void take(GuessedColumn& column, std::string_view text) {
  ++column.seen;
  if (column.words.size() < GuessedColumn::most_words) column.words.emplace(text);
  const auto number = number_of(text, column);
  if (!number) return;
  if (column.numbers > 0 && *number >= column.last) ++column.rising;
  if (column.numbers > 0 && *number == column.last + 1) ++column.by_one;
  column.least = column.numbers == 0 ? *number : std::min(column.least, *number);
  column.most = std::max(column.most, *number);
  column.last = *number;
  column.multiples += std::fmod(*number, 512) == 0 ? 1 : 0;
  ++column.numbers;
}

struct TextLayout {
  char separator = ',';
  std::size_t columns = 0;
};

/// The separator that gives nearly every line as many fields, at least three.
TextLayout text_layout_of(const Sample& sample) {
  for (const char separator : {',', '\t', ';', '|', ' '}) {
    std::map<std::size_t, std::size_t> counts;
    Fields fields(separator);
    const std::size_t lines = std::min(sample.lines.size(), enough_lines);
    for (std::size_t i = 0; i < lines; ++i) {
      fields.split(sample.lines[i]);
      ++counts[fields.size()];
    }
    const auto usual = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    if (usual == counts.end() || usual->first < 3 || usual->first > Fields::capacity) continue;
    if (static_cast<double>(usual->second) >= 0.8 * static_cast<double>(lines)) return {separator, usual->first};
  }
  return {};
}

bool has_number(const Fields& fields) {
  GuessedColumn ignored;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (number_of(fields[i], ignored)) return true;
  return false;
}

std::vector<GuessedColumn> columns_of(const Sample& sample, const TextLayout& layout) {
  std::vector<GuessedColumn> columns(layout.columns);
  Fields fields(layout.separator);
  bool first = true;
  for (std::size_t i = 0; i < std::min(sample.lines.size(), enough_lines); ++i) {
    fields.split(sample.lines[i]);
    if (fields.size() != layout.columns) continue;
    if (std::exchange(first, false) && !has_number(fields)) {
      for (std::size_t k = 0; k < columns.size(); ++k) columns[k].name = lower(fields[k]);
      continue;
    }
    for (std::size_t k = 0; k < columns.size(); ++k) take(columns[k], fields[k]);
  }
  return columns;
}

bool named(const GuessedColumn& column, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return column.name.find(part) != std::string::npos; });
}

/// 'r', 'w', 'f' or 't' for a word that says an operation; 0 for any other.
char meaning(const std::string& word) {
  static constexpr std::pair<std::string_view, char> known[] = {
      {"r", 'r'},     {"read", 'r'}, {"rd", 'r'}, {"ra", 'r'}, {"rs", 'r'},   {"diskread", 'r'}, {"get", 'r'},       {"w", 'w'},
      {"write", 'w'}, {"wr", 'w'},   {"ws", 'w'}, {"wa", 'w'}, {"wrt", 'w'},  {"put", 'w'},      {"diskwrite", 'w'}, {"f", 'f'},
      {"flush", 'f'}, {"sync", 'f'}, {"t", 't'},  {"d", 't'},  {"trim", 't'}, {"discard", 't'},  {"unmap", 't'},     {"ds", 't'}};
  const auto small = lower(word);
  const auto* found = std::ranges::find(known, small, [](const auto& entry) { return entry.first; });
  return found == std::end(known) ? '\0' : found->second;
}

bool says_operations(const GuessedColumn& column) {
  return !column.words.empty() && std::ranges::all_of(column.words, [](const auto& word) { return meaning(word) != '\0'; });
}

/// Named for kilobytes, which programs that print them count by 1,024.
bool in_kib(const GuessedColumn& column) {
  return column.name == "kb" || column.name == "kib" || named(column, {"_kb", "_kib", "(kb)", "(kib)"});
}

bool is_bit(const GuessedColumn& column) { return column.words == std::set<std::string>{"0", "1"}; }

/// Columns by what they seem to be, as numbers from 1; 0 for none.
struct Roles {
  std::size_t time = 0;
  std::size_t op = 0;
  std::size_t offset = 0;
  std::size_t size = 0;
  std::size_t volume = 0;

  [[nodiscard]] bool taken(std::size_t number) const {
    return number == time || number == op || number == offset || number == size || number == volume;
  }
};

/// The first column that is free and fits; of the names first.
template <class Fits>
std::size_t first_of(const std::vector<GuessedColumn>& columns, const Roles& roles, Fits fits) {
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!roles.taken(i + 1) && fits(columns[i])) return i + 1;
  return 0;
}

/// The free column of numbers with the largest one.
std::size_t largest_of(const std::vector<GuessedColumn>& columns, const Roles& roles) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const GuessedColumn& column = columns[i];
    if (roles.taken(i + 1) || !column.is_number() || column.fractions || column.least == column.most) continue;
    if (best == 0 || column.most > columns[best - 1].most) best = i + 1;
  }
  return best;
}

Roles roles_of(const std::vector<GuessedColumn>& columns) {
  Roles roles;
  const auto either = [&](auto by_name, auto by_value) {
    const auto found = first_of(columns, roles, by_name);
    return found != 0 ? found : first_of(columns, roles, by_value);
  };
  roles.op = either(
      [](const GuessedColumn& c) {
        return says_operations(c) && named(c, {"op", "type", "rw", "cmd", "action"});
      },
      says_operations);
  roles.time = either(
      [](const GuessedColumn& c) {
        return c.is_number() && named(c, {"time", "ts", "stamp", "arrival"});
      },
      [](const GuessedColumn& c) { return c.rises() && !c.counts(); });
  if (roles.time == 0) roles.time = first_of(columns, roles, [](const GuessedColumn& c) { return c.rises(); });
  roles.offset = first_of(columns, roles, [](const GuessedColumn& c) {
    return c.is_number() && named(c, {"lba", "lbn", "offset", "addr", "sector", "block"}) &&
           !named(c, {"size", "count", "num", "len", "sectors", "blocks"});
  });
  if (roles.offset == 0) roles.offset = largest_of(columns, roles);
  constexpr double largest_size = 64.0 * 1024 * 1024;
  const auto may_be_size = [](const GuessedColumn& c) { return c.is_number() && !c.fractions && c.least > 0 && c.most <= largest_size; };
  roles.size = either(
      [&](const GuessedColumn& c) {
        return may_be_size(c) && (named(c, {"size", "len", "bytes", "sectors", "blocks", "count"}) || in_kib(c));
      },
      [&](const GuessedColumn& c) { return may_be_size(c) && c.all_multiples(); });
  if (roles.size == 0) roles.size = first_of(columns, roles, may_be_size);
  if (roles.op == 0)
    roles.op = either([](const GuessedColumn& c) { return is_bit(c) && named(c, {"op", "type", "rw", "cmd", "write", "read"}); }, is_bit);
  roles.volume = first_of(columns, roles, [](const GuessedColumn& c) { return named(c, {"dev", "disk", "vol", "lun", "asu", "host"}); });
  return roles;
}

struct GuessedUnit {
  const char* name;
  double per_second;
};

/// By the digits of a time since 1970 (or 1601 in ticks of 100 ns), else the unit in which the rate is nearest to a drive's.
GuessedUnit unit_of(const GuessedColumn& time) {
  static constexpr GuessedUnit units[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"100ns", 1e7}, {"ns", 1e9}};
  switch (time.digits) {
    case 10:
      if (time.least > 9e8) return units[0];
      break;
    case 13: return units[1];
    case 16: return units[2];
    case 18: return units[3];
    case 19: return units[4];
    default: break;
  }
  if (time.fractions || time.most == time.least) return units[0];
  constexpr double usual_rate = 300;  // requests/s
  const double of_one = static_cast<double>(time.numbers - 1) / (time.most - time.least);
  GuessedUnit best = units[0];
  const auto distance = [&](const GuessedUnit& unit) { return std::abs(std::log(of_one * unit.per_second / usual_rate)); };
  for (const auto& unit : units)
    if (distance(unit) < distance(best) && std::string_view(unit.name) != "100ns") best = unit;
  return best;
}

std::string in_quotes(const std::string& text) {
  std::string all = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') all += '\\';
    all += c;
  }
  return all + "\"";
}

std::string entry_line(const char* key, const std::string& value, const std::string& why) {
  return std::string(key) + " = " + in_quotes(value) + "  # " + why + "\n";
}

std::string separator_word(char separator) {
  switch (separator) {
    case ',': return "comma";
    case '\t': return "tab";
    case ';': return "semicolon";
    case ' ': return "space";
    default: return {separator};
  }
}

std::string whose(const GuessedColumn& column) { return column.name.empty() ? "" : "named '" + column.name + "'; "; }

std::string time_line(const Roles& roles, const std::vector<GuessedColumn>& columns) {
  const GuessedColumn& time = columns[roles.time - 1];
  const GuessedUnit unit = unit_of(time);
  const double rate = time.most > time.least ? static_cast<double>(time.numbers - 1) / (time.most - time.least) * unit.per_second : 0;
  return entry_line("time", std::to_string(roles.time) + ":" + unit.name,
                    whose(time) + "the unit is a guess, at which there are " + rate_text(rate) + " requests/s");
}

std::string byte_lines(const Roles& roles, const std::vector<GuessedColumn>& columns) {
  const GuessedColumn& offset = columns[roles.offset - 1];
  const GuessedColumn& size = columns[roles.size - 1];
  const auto column = [](std::size_t number, const GuessedColumn& guessed, const char* unit) {
    return std::to_string(number) + ":" + unit + (guessed.hexadecimal ? ":hex" : "");
  };
  const bool kib = in_kib(size);
  const bool sizes = kib || size.all_multiples();
  const bool offsets = offset.all_multiples() && sizes;
  const char* const why_size = kib ? "by its name" : sizes ? "all are multiples of 512" : "not all are multiples of 512: blocks";
  const char* const why_offset = offsets                  ? "all are multiples of 512"
                                 : offset.all_multiples() ? "blocks, as the sizes are"
                                                          : "not all are multiples of 512: blocks";
  return entry_line("offset", column(roles.offset, offset, offsets ? "bytes" : "512"), whose(offset) + why_offset) +
         entry_line("size",
                    column(roles.size, size,
                           kib     ? "KiB"
                           : sizes ? "bytes"
                                   : "512"),
                    whose(size) + why_size);
}

std::string operation_lines(const Roles& roles, const std::vector<GuessedColumn>& columns) {
  if (roles.op == 0) return "op = \"fixed:r\"  # no column says what is read and what is written\n";
  const GuessedColumn& op = columns[roles.op - 1];
  std::string text = "op = " + std::to_string(roles.op) + "\n";
  if (is_bit(op)) return text + "r = \"0\"  # a guess: DiskSim and its kin have 1 for a read\nw = \"1\"\n";
  for (const char kind : {'r', 'w', 'f', 't'}) {
    std::string words;
    for (const auto& word : op.words)
      if (meaning(word) == kind) words += (words.empty() ? "" : "|") + word;
    if (!words.empty()) text += std::string(1, kind) + " = " + in_quotes(words) + "\n";
  }
  return text;
}

}  // namespace

GuessedColumns guess_columns(const Sample& sample) {
  const TextLayout layout = text_layout_of(sample);
  if (layout.columns == 0) return {};
  const auto columns = columns_of(sample, layout);
  const Roles roles = roles_of(columns);
  GuessedColumns guess;
  guess.complete = roles.time != 0 && roles.offset != 0 && roles.size != 0;
  if (!guess.complete) return guess;
  guess.toml = "separator = " + in_quotes(separator_word(layout.separator)) + "\nheader = \"auto\"\n" + time_line(roles, columns) +
               byte_lines(roles, columns) + operation_lines(roles, columns);
  if (roles.volume != 0) guess.toml += entry_line("volume", std::to_string(roles.volume), whose(columns[roles.volume - 1]) + "a device");
  return guess;
}

}  // namespace tessera
