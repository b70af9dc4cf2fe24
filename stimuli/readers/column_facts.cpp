#include "stimuli/readers/column_facts.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "stimuli/readers/calendar.hpp"
#include "stimuli/readers/decimal.hpp"

namespace tessera {
namespace {

constexpr std::size_t enough_lines = 2'000;

/// The number of a field, decimal or 0x; none where it is none.
std::optional<double> number_of(std::string_view text, ColumnFacts& column) {
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

void take(ColumnFacts& column, std::string_view text) {
  ++column.seen;
  if (column.words.size() < ColumnFacts::most_words) column.words.emplace(text);
  TraceTime date = 0;
  column.dates += parse_calendar(text, date) == NumberFault::none ? 1 : 0;
  column.days += parse_calendar(std::string(text) + " 00:00:00", date) == NumberFault::none ? 1 : 0;
  const auto number = number_of(text, column);
  if (!number) return;
  if (column.numbers > 0 && *number >= column.last) ++column.rising;
  if (column.numbers > 0 && *number == column.last + 1) ++column.by_one;
  column.least = column.numbers == 0 ? *number : std::min(column.least, *number);
  column.most = std::max(column.most, *number);
  if (column.numbers == 0) column.first = *number;
  column.last = *number;
  column.multiples += std::fmod(*number, 512) == 0 ? 1 : 0;
  column.eighths += std::fmod(*number, 8) == 0 ? 1 : 0;
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
  ColumnFacts ignored;
  for (std::size_t i = 0; i < fields.size(); ++i)
    if (number_of(fields[i], ignored)) return true;
  return false;
}

/// The last line of the comments above the records, as they print the columns' names: without its mark, or "".
std::string_view named_in_a_comment(const Sample& sample) {
  if (sample.lines.empty()) return {};
  const auto* const records = sample.lines.front().data();
  std::string_view above = std::string_view(sample.bytes).substr(0, static_cast<std::size_t>(records - sample.bytes.data()));
  const auto mark = above.find_last_of("#%");
  if (mark == std::string_view::npos) return {};
  above.remove_prefix(mark + 1);
  return trimmed(above.substr(0, above.find_first_of("\r\n")));
}

using Row = std::vector<std::string_view>;

struct Rows {
  std::vector<Row> rows;
  std::vector<std::string> names;
};

/// The lines with all columns; the first without a number is the header, also where it comes again.
Rows rows_of(const Sample& sample, const TextLayout& layout) {
  Rows all;
  Fields fields(layout.separator);
  std::string_view header;
  const auto take_names = [&] {
    for (std::size_t k = 0; k < layout.columns; ++k) all.names.push_back(lower_case(fields[k]));
  };
  for (std::size_t i = 0; i < std::min(sample.lines.size(), enough_lines); ++i) {
    fields.split(sample.lines[i]);
    if (fields.size() != layout.columns || (!header.empty() && sample.lines[i] == header)) continue;
    if (all.rows.empty() && header.empty() && !has_number(fields)) {
      header = sample.lines[i];
      take_names();
      continue;
    }
    Row row;
    for (std::size_t k = 0; k < layout.columns; ++k) row.push_back(fields[k]);
    all.rows.push_back(std::move(row));
  }
  if (all.names.empty()) {
    fields.split(named_in_a_comment(sample));
    if (fields.size() == layout.columns && !has_number(fields)) take_names();
  }
  return all;
}

/// How many columns, constants and `but` aside, hold nearly the same values in the lines of both kinds.
std::size_t columns_alike(const std::vector<const Row*>& a, const std::vector<const Row*>& b, std::size_t but) {
  std::size_t alike = 0;
  for (std::size_t k = 0; k < a.front()->size(); ++k) {
    if (k == but) continue;
    const auto values = [k](const std::vector<const Row*>& rows) {
      Row all;
      for (const Row* row : rows) all.push_back((*row)[k]);
      std::ranges::sort(all);
      return all;
    };
    const Row first = values(a);
    const Row second = values(b);
    if (first.front() == first.back()) continue;
    Row both;
    std::ranges::set_intersection(first, second, std::back_inserter(both));
    alike += static_cast<double>(both.size()) >= 0.9 * static_cast<double>(std::max(first.size(), second.size())) ? 1 : 0;
  }
  return alike;
}

/// A column that parts the lines into those of requests and those that say the same again, of their completion.
std::optional<OneKind> one_kind(const std::vector<Row>& rows) {
  constexpr std::size_t most_kinds = 4;
  constexpr std::size_t enough_alike = 3;  // operation, address and size
  if (rows.empty()) return std::nullopt;
  for (std::size_t k = 0; k < rows.front().size(); ++k) {
    std::map<std::string_view, std::vector<const Row*>> kinds;
    for (const Row& row : rows)
      if (kinds.size() <= most_kinds) kinds[row[k]].push_back(&row);
    if (kinds.size() < 2 || kinds.size() > most_kinds) continue;
    const auto first = rows.front()[k];
    const auto& of_first = kinds.at(first);
    std::string others;
    for (const auto& [word, lines] : kinds)
      if (word != first && columns_alike(of_first, lines, k) >= enough_alike) others += (others.empty() ? "" : "|") + std::string(word);
    if (!others.empty()) return OneKind{k + 1, std::string(first), others};
  }
  return std::nullopt;
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string all(text);
  std::ranges::transform(all, all.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; });
  return all;
}

TextColumns columns_of(const Sample& sample) {
  const TextLayout layout = text_layout_of(sample);
  TextColumns text{layout.separator, std::vector<ColumnFacts>(layout.columns), std::nullopt};
  if (layout.columns == 0) return text;
  const Rows all = rows_of(sample, layout);
  text.only = one_kind(all.rows);
  for (std::size_t k = 0; k < all.names.size(); ++k) text.columns[k].name = all.names[k];
  for (const Row& row : all.rows) {
    if (text.only && row[text.only->column - 1] != text.only->word) continue;
    for (std::size_t k = 0; k < row.size(); ++k) take(text.columns[k], row[k]);
  }
  return text;
}

}  // namespace tessera
