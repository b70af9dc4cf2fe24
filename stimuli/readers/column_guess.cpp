#include "stimuli/readers/column_guess.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "stimuli/readers/column_facts.hpp"

namespace tessera {
namespace {

using All = std::vector<ColumnFacts>;

bool named(const ColumnFacts& column, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return column.name.find(part) != std::string::npos; });
}

/// 'r', 'w', 'f' or 't' for a word that says an operation; 0 for any other.
char meaning(const std::string& word) {
  static constexpr std::pair<std::string_view, char> known[] = {
      {"r", 'r'},     {"read", 'r'}, {"rd", 'r'}, {"ra", 'r'}, {"rs", 'r'},   {"diskread", 'r'}, {"get", 'r'},       {"w", 'w'},
      {"write", 'w'}, {"wr", 'w'},   {"ws", 'w'}, {"wa", 'w'}, {"wrt", 'w'},  {"put", 'w'},      {"diskwrite", 'w'}, {"f", 'f'},
      {"flush", 'f'}, {"sync", 'f'}, {"t", 't'},  {"d", 't'},  {"trim", 't'}, {"discard", 't'},  {"unmap", 't'},     {"ds", 't'}};
  const auto small = lower_case(word);
  const auto* found = std::ranges::find(known, small, [](const auto& entry) { return entry.first; });
  return found == std::end(known) ? '\0' : found->second;
}

bool says_operations(const ColumnFacts& column) {
  return !column.words.empty() && std::ranges::all_of(column.words, [](const auto& word) { return meaning(word) != '\0'; });
}

/// Named for kilobytes, which programs that print them count by 1,024.
bool in_kib(const ColumnFacts& column) {
  return column.name == "kb" || column.name == "kib" || named(column, {"_kb", "_kib", "(kb)", "(kib)"});
}

bool is_bit(const ColumnFacts& column) { return column.words == std::set<std::string>{"0", "1"}; }

/// What 1 means in a column of 0 and 1: 'r' or 'w' by its name, 0 where that is open.
char meaning_of_one(const ColumnFacts& column) {
  const bool read = named(column, {"read"});
  const bool write = named(column, {"write"});
  return read == write ? '\0' : read ? 'r' : 'w';
}

/// Columns by what they seem to be, as numbers from 1; 0 for none.
struct Roles {
  std::size_t time = 0;
  std::size_t day = 0;  ///< in front of a time of day
  std::size_t op = 0;
  std::size_t offset = 0;
  std::size_t size = 0;
  std::size_t volume = 0;
  std::size_t fua = 0;
  std::size_t flush = 0;
  std::size_t only = 0;             ///< which lines are requests
  std::vector<std::string> unsure;  ///< what remains open, for people

  [[nodiscard]] bool taken(std::size_t number) const {
    return number == time || number == day || number == op || number == offset || number == size || number == volume || number == fua ||
           number == flush || number == only;
  }
};

/// Numbers of the free columns that fit.
template <class Fits>
std::vector<std::size_t> all_of(const All& columns, const Roles& roles, Fits fits) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < columns.size(); ++i)
    if (!roles.taken(i + 1) && fits(columns[i])) found.push_back(i + 1);
  return found;
}

template <class Fits>
std::size_t first_of(const All& columns, const Roles& roles, Fits fits) {
  const auto found = all_of(columns, roles, fits);
  return found.empty() ? 0 : found.front();
}

/// "column 4 ('kind')", "columns 3 and 5"
std::string columns_text(const All& columns, const std::vector<std::size_t>& numbers) {
  std::string text = numbers.size() == 1 ? "column " : "columns ";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto& name = columns[numbers[i] - 1].name;
    text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
    if (!name.empty()) text += " ('" + name + "')";
  }
  return text;
}

std::string words_text(const ColumnFacts& column) {
  std::string text;
  for (const auto& word : column.words) text += (text.empty() ? "" : ", ") + (word.empty() ? "blank" : word);
  return text;
}

/// By name first, then by what they hold. Of several, those that rise; of these the earliest, as an arrival is.
void find_time(const All& columns, Roles& roles) {
  const auto is_time = [](const ColumnFacts& c) { return c.rises() && !c.counts(); };
  const auto is_named = [](const ColumnFacts& c) { return named(c, {"time", "ts", "stamp", "arrival", "usec", "when"}); };
  roles.time = first_of(columns, roles, [](const ColumnFacts& c) { return c.is_date(); });
  if (roles.time > 1 && columns[roles.time - 2].is_day()) roles.day = roles.time - 1;
  if (roles.time != 0) return;
  auto found = all_of(columns, roles, [&](const ColumnFacts& c) { return is_time(c) && is_named(c); });
  if (found.empty()) found = all_of(columns, roles, [&](const ColumnFacts& c) { return is_time(c) && c.fractions; });
  if (found.empty())
    found = all_of(columns, roles, [](const ColumnFacts& c) { return c.is_number() && named(c, {"time", "stamp", "arrival"}); });
  if (found.empty()) found = all_of(columns, roles, is_time);
  if (!found.empty()) roles.time = *std::ranges::min_element(found, {}, [&](std::size_t number) { return columns[number - 1].first; });
}

void find_operations(const All& columns, Roles& roles) {
  const auto may_say = [](const ColumnFacts& c) { return named(c, {"op", "type", "rw", "cmd", "action", "write", "read"}); };
  const auto few = [](const ColumnFacts& c) { return c.words.size() > 1 && c.words.size() < ColumnFacts::most_words; };
  roles.op = first_of(columns, roles, [&](const ColumnFacts& c) { return says_operations(c) && may_say(c); });
  if (roles.op == 0) roles.op = first_of(columns, roles, says_operations);
  if (roles.op == 0) roles.op = first_of(columns, roles, [](const ColumnFacts& c) { return is_bit(c) && meaning_of_one(c) != '\0'; });
  if (roles.op != 0) return;
  auto open = all_of(columns, roles, [&](const ColumnFacts& c) { return few(c) && may_say(c); });
  const auto may_be_size = [](const ColumnFacts& c) { return c.is_number() && c.least > 0 && c.eighths == c.numbers; };
  if (open.empty())
    open = all_of(columns, roles, [&](const ColumnFacts& c) { return few(c) && !c.fractions && c.most < 256 && !may_be_size(c); });
  std::string text = "which requests are reads and which are writes";
  if (open.size() == 1)
    text += ": " + columns_text(columns, open) + " may say so, with " + words_text(columns[open.front() - 1]);
  else if (!open.empty())
    text += ": one of the " + columns_text(columns, open) + " may say so";
  roles.unsure.push_back(text);
}

/// A column of 0 and 1 named for what a request has besides its operation.
void find_flags(const All& columns, Roles& roles) {
  roles.fua = first_of(columns, roles, [](const ColumnFacts& c) { return named(c, {"fua", "force"}) && c.words.size() <= 2; });
  roles.flush = first_of(columns, roles, [](const ColumnFacts& c) { return named(c, {"flush"}) && c.words.size() <= 2; });
}

/// The largest numbers, where no others come near.
void find_offset(const All& columns, Roles& roles) {
  roles.offset = first_of(columns, roles, [](const ColumnFacts& c) {
    return c.is_number() && named(c, {"lba", "lbn", "offset", "addr", "sector", "block"}) &&
           !named(c, {"size", "count", "num", "len", "sectors", "blocks"});
  });
  if (roles.offset != 0) return;
  auto large = all_of(columns, roles, [](const ColumnFacts& c) { return c.is_number() && !c.fractions && c.least != c.most; });
  std::ranges::stable_sort(large, {}, [&](std::size_t number) { return -columns[number - 1].most; });
  if (large.empty()) {
    roles.unsure.emplace_back("where a request begins");
    return;
  }
  roles.offset = large.front();
  constexpr double near = 1.0 / 64;
  std::erase_if(large, [&](std::size_t number) { return columns[number - 1].most < near * columns[roles.offset - 1].most; });
  // Large requests are near to small addresses: where all are multiples of a block of 512 B, the size is told by that.
  std::erase_if(large, [&](std::size_t number) { return number != roles.offset && columns[number - 1].all_multiples(); });
  if (large.size() > 1) roles.unsure.push_back("where a request begins: " + columns_text(columns, large) + " hold large numbers");
}

/// Bytes or blocks: never 0, and unless they are named for it, multiples of 8 that no other column has as well.
void find_size(const All& columns, Roles& roles) {
  constexpr double largest_size = 64.0 * 1024 * 1024;
  const auto may_be = [](const ColumnFacts& c) { return c.is_number() && !c.fractions && c.least > 0 && c.most <= largest_size; };
  auto found = all_of(columns, roles, [&](const ColumnFacts& c) {
    return may_be(c) && (named(c, {"size", "len", "bytes", "sectors", "blocks", "blks", "count"}) || in_kib(c));
  });
  if (found.empty()) {
    found = all_of(columns, roles, [&](const ColumnFacts& c) { return may_be(c) && c.eighths == c.numbers && c.least != c.most; });
    if (found.empty()) found = all_of(columns, roles, [&](const ColumnFacts& c) { return may_be(c) && c.all_multiples(); });
    const auto others =
        all_of(columns, roles, [&](const ColumnFacts& c) { return may_be(c) && c.eighths != c.numbers && c.least != c.most; });
    found.insert(found.end(), others.begin(), others.end());
    if (found.size() == 1 && !others.empty()) {
      roles.unsure.push_back("how long a request is: " + columns_text(columns, found) +
                             " may be a size in blocks, or a number of something else");
      return;
    }
  }
  // The same in blocks and in bytes.
  if (found.size() == 2 && columns[found[1] - 1].most == 512 * columns[found[0] - 1].most) found.erase(found.begin());
  if (found.size() == 2 && columns[found[0] - 1].most == 512 * columns[found[1] - 1].most) found.pop_back();
  if (found.size() == 1)
    roles.size = found.front();
  else if (found.empty())
    roles.unsure.emplace_back("how long a request is");
  else
    roles.unsure.push_back("how long a request is: " + columns_text(columns, found) + " may be sizes");
}

Roles roles_of(const TextColumns& text) {
  const All& columns = text.columns;
  Roles roles;
  if (text.only) roles.only = text.only->column;
  find_time(columns, roles);
  find_flags(columns, roles);
  find_operations(columns, roles);
  roles.volume = first_of(columns, roles, [](const ColumnFacts& c) { return named(c, {"dev", "disk", "vol", "lun", "asu", "host"}); });
  find_offset(columns, roles);
  find_size(columns, roles);
  return roles;
}

struct GuessedUnit {
  const char* name;
  double per_second;
};

/// By the digits of a time since 1970 (or 1601 in ticks of 100 ns), else the unit in which the rate is nearest to a drive's.
GuessedUnit unit_of(const ColumnFacts& time) {
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

std::string whose(const ColumnFacts& column) { return column.name.empty() ? "" : "named '" + column.name + "'; "; }

std::string time_line(const Roles& roles, const All& columns) {
  if (roles.time == 0) return "time = \"none\"  # no column rises: for --replay closed:N\n";
  const ColumnFacts& time = columns[roles.time - 1];
  if (time.is_date())
    return entry_line("time", (roles.day == 0 ? "" : std::to_string(roles.day) + "+") + std::to_string(roles.time) + ":date",
                      whose(time) + "of the calendar");
  const GuessedUnit unit = unit_of(time);
  const double rate = time.most > time.least ? static_cast<double>(time.numbers - 1) / (time.most - time.least) * unit.per_second : 0;
  return entry_line("time", std::to_string(roles.time) + ":" + unit.name,
                    whose(time) + "the unit is a guess, at which there are " + rate_text(rate) + " requests/s");
}

std::string byte_lines(const Roles& roles, const All& columns) {
  const ColumnFacts& offset = columns[roles.offset - 1];
  const ColumnFacts& size = columns[roles.size - 1];
  const auto column = [](std::size_t number, const ColumnFacts& guessed, const char* unit) {
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

std::string operation_lines(const Roles& roles, const All& columns) {
  const ColumnFacts& op = columns[roles.op - 1];
  std::string text = "op = " + std::to_string(roles.op) + "\n";
  if (is_bit(op))
    return text + (meaning_of_one(op) == 'r' ? "r = \"1\"  # by its name\nw = \"0\"\n" : "r = \"0\"  # by its name\nw = \"1\"\n");
  for (const char kind : {'r', 'w', 'f', 't'}) {
    std::string words;
    for (const auto& word : op.words)
      if (meaning(word) == kind) words += (words.empty() ? "" : "|") + word;
    if (!words.empty()) text += std::string(1, kind) + " = " + in_quotes(words) + "\n";
  }
  return text;
}

/// The word that sets a flag: the other of two than 0, no, false or none.
std::string flag_word(const ColumnFacts& column) {
  for (const auto& word : column.words)
    if (const auto small = lower_case(word);
        small != "0" && small != "n" && small != "no" && small != "false" && small != "-" && !small.empty())
      return word;
  return "1";
}

}  // namespace

GuessedColumns guess_columns(const Sample& sample) {
  const TextColumns text = columns_of(sample);
  const All& columns = text.columns;
  if (columns.empty()) return {};
  const Roles roles = roles_of(text);
  GuessedColumns guess;
  const bool any = std::ranges::any_of(columns, [](const ColumnFacts& c) { return c.is_number() && c.least != c.most; });
  if (any) guess.unsure = roles.unsure;
  guess.complete = roles.unsure.empty();
  if (!guess.complete) return guess;
  guess.toml = "separator = " + in_quotes(separator_word(text.separator)) + "\nheader = \"auto\"\n" + time_line(roles, columns) +
               byte_lines(roles, columns) + operation_lines(roles, columns);
  if (text.only)
    guess.toml +=
        entry_line("only", std::to_string(roles.only) + ":" + text.only->word, "lines with " + text.only->others + " say the same again");
  if (roles.volume != 0) guess.toml += entry_line("volume", std::to_string(roles.volume), whose(columns[roles.volume - 1]) + "a device");
  for (const auto& [key, number] : {std::pair{"fua", roles.fua}, std::pair{"flush", roles.flush}})
    if (number != 0)
      guess.toml += entry_line(key, std::to_string(number) + ":" + flag_word(columns[number - 1]), whose(columns[number - 1]) + "a flag");
  return guess;
}

}  // namespace tessera
