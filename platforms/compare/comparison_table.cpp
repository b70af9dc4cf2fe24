#include "platforms/compare/comparison_table.hpp"

#include <algorithm>
#include <boost/json.hpp>
#include <cmath>
#include <cstdio>

#include "platforms/output/summary.hpp"

namespace tessera {

namespace {

/// Four digits, and whole numbers in groups of three.
std::string number_text(double value) {
  constexpr double four_digits = 1'000;
  char text[64];
  if (value != std::trunc(value) && std::abs(value) < four_digits) {
    std::snprintf(text, sizeof text, "%.*f", value >= 100 ? 1 : value >= 10 ? 2 : 3, value);
    return text;
  }
  std::snprintf(text, sizeof text, "%.0f", value);
  std::string grouped = text;
  for (std::size_t at = grouped.size(); at > 3 && grouped[at - 4] != '-';) grouped.insert(at -= 3, ",");
  return grouped;
}

char letter(Unranked reason) { return static_cast<char>('a' + static_cast<int>(reason)); }

std::string letters(const std::set<Unranked>& unranked) {
  std::string text = unranked.empty() ? "" : " ";
  for (const Unranked reason : unranked) text += letter(reason);
  return text;
}

std::string cell_text(const Cell& cell, const Column& column) {
  if (!cell.mean) return "-";
  std::string text = number_text(*cell.mean * column.scale);
  if (cell.half_width) text += " ± " + number_text(*cell.half_width * column.scale);
  return text + letters(cell.unranked);
}

std::string cell_text(const RatioCell& cell) {
  if (!cell.ratio) return "-";
  std::string text = number_text(cell.ratio->mean);
  if (const auto& interval = cell.ratio->interval; interval && interval->first != interval->second)
    text += " [" + number_text(interval->first) + ", " + number_text(interval->second) + "]";
  return text + letters(cell.unranked);
}

std::string words_of(const std::set<Unranked>& unranked) {
  std::string why;
  for (const Unranked reason : unranked) why += (why.empty() ? "" : "; ") + std::string(in_words(reason));
  return why;
}

/// Characters that a terminal shows of UTF-8.
std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '|', '/');  // a bar would end the cell
  return text;
}

using Lines = std::vector<std::vector<std::string>>;
enum class LastColumn : std::uint8_t { figures, words };

/// Markdown whose columns line up: names to the left, figures to the right; words at the end as long as they are.
std::string aligned(const Lines& table, LastColumn last) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.front().size(); ++i) {
    std::size_t width = 0;
    for (const auto& line : table) width = std::max(width, shown_width(line[i]));
    widths.push_back(width);
  }
  const std::size_t figures = last == LastColumn::words ? widths.size() - 1 : widths.size();
  std::string text;
  for (std::size_t n = 0; n < table.size(); ++n) {
    for (std::size_t i = 0; i < figures; ++i) {
      const std::string pad(widths[i] - shown_width(table[n][i]), ' ');
      text += "| " + (i == 0 ? table[n][i] + pad : pad + table[n][i]) + " ";
    }
    text += last == LastColumn::words ? "| " + table[n].back() + " |\n" : "|\n";
    if (n > 0) continue;
    for (std::size_t i = 0; i < figures; ++i)
      text += i == 0 ? "|:" + std::string(widths[i] + 1, '-') : "|" + std::string(widths[i] + 1, '-') + ":";
    text += last == LastColumn::words ? "|:-------|\n" : "|\n";
  }
  return text;
}

std::string legend(std::span<const Row> rows) {
  std::set<Unranked> used;
  for (const Row& row : rows)
    for (const Cell& cell : row.cells)
      if (cell.mean) used.insert(cell.unranked.begin(), cell.unranked.end());
  std::string text;
  for (const Unranked reason : used)
    text += std::string("\nNot to be ranked, ") + letter(reason) + ": " + std::string(in_words(reason)) + ".";
  return text;
}

boost::json::value number_or_null(std::optional<double> value) { return value ? boost::json::value(*value) : boost::json::value(nullptr); }

boost::json::object layer_columns(std::span<const Row> rows) {
  boost::json::object columns;
  boost::json::array layers, statuses;
  for (const Row& row : rows) {
    layers.emplace_back(row.layer);
    statuses.emplace_back(row.status);
  }
  columns["layer"] = std::move(layers);
  columns["status"] = std::move(statuses);
  for (std::size_t i = 0; i < comparison_columns().size(); ++i) {
    boost::json::array means, half_widths, unranked;
    for (const Row& row : rows) {
      const Cell& cell = row.cells[i];
      means.push_back(number_or_null(cell.mean));
      half_widths.push_back(number_or_null(cell.half_width));
      const std::string why = words_of(cell.unranked);
      unranked.push_back(why.empty() ? boost::json::value(nullptr) : boost::json::value(why));
    }
    const std::string name(comparison_columns()[i].metric);
    columns[name] = std::move(means);
    columns[name + ".half_width_95"] = std::move(half_widths);
    columns[name + ".unranked"] = std::move(unranked);
  }
  return columns;
}

/// Every metric that any run has, and its unit.
std::map<std::string, std::string> units_of(std::span<const RunResult> runs) {
  std::map<std::string, std::string> units;
  for (const RunResult& run : runs) units.insert(run.units.begin(), run.units.end());
  return units;
}

boost::json::object run_columns(std::span<const RunResult> runs, const std::map<std::string, std::string>& units) {
  boost::json::object columns;
  boost::json::array layers, seeds, statuses, messages;
  for (const RunResult& run : runs) {
    layers.emplace_back(run.layer);
    seeds.emplace_back(run.seed);
    statuses.push_back(run.status ? boost::json::value(*run.status) : boost::json::value(nullptr));
    messages.push_back(run.message.empty() ? boost::json::value(nullptr) : boost::json::value(run.message));
  }
  columns["layer"] = std::move(layers);
  columns["seed"] = std::move(seeds);
  columns["exit_status"] = std::move(statuses);
  columns["message"] = std::move(messages);
  for (const auto& [name, unit] : units) {
    boost::json::array values;
    for (const RunResult& run : runs) values.push_back(number_or_null(run.metric(name)));
    columns[name] = std::move(values);
  }
  return columns;
}

boost::json::object baseline_columns_of(const BaselineTable& table) {
  boost::json::object columns;
  columns["layer"] = boost::json::value_from(table.layers);
  const std::vector<Column> metrics = baseline_columns();
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    boost::json::array means, low, high, seeds, unranked;
    for (const auto& row : table.rows) {
      const std::optional<Ratio>& ratio = row[i].ratio;
      const std::string why = words_of(row[i].unranked);
      unranked.push_back(why.empty() ? boost::json::value(nullptr) : boost::json::value(why));
      means.push_back(ratio ? boost::json::value(ratio->mean) : boost::json::value(nullptr));
      const bool sure = ratio && ratio->interval;
      low.push_back(sure ? boost::json::value(ratio->interval->first) : boost::json::value(nullptr));
      high.push_back(sure ? boost::json::value(ratio->interval->second) : boost::json::value(nullptr));
      seeds.emplace_back(ratio ? ratio->seeds : 0);
    }
    const std::string name(metrics[i].metric);
    columns[name + ".against"] = table.against[i].empty() ? boost::json::value(nullptr) : boost::json::value(table.against[i]);
    columns[name + ".ratio"] = std::move(means);
    columns[name + ".ratio.low_95"] = std::move(low);
    columns[name + ".ratio.high_95"] = std::move(high);
    columns[name + ".ratio.seeds"] = std::move(seeds);
    columns[name + ".ratio.unranked"] = std::move(unranked);
  }
  return columns;
}

}  // namespace

std::string comparison_text(std::span<const Row> rows, const std::vector<std::string>& notes) {
  Lines table;
  table.emplace_back(1, "layer");
  for (const Column& column : comparison_columns()) table.front().emplace_back(column.title);
  table.front().emplace_back("status");
  for (const Row& row : rows) {
    auto& line = table.emplace_back(1, row.layer);
    for (std::size_t i = 0; i < row.cells.size(); ++i) line.push_back(cell_text(row.cells[i], comparison_columns()[i]));
    line.push_back(one_line(row.status));
  }
  std::string text = aligned(table, LastColumn::words) + legend(rows);
  for (const std::string& note : notes) text += "\nNote: " + note + ".";
  return text + "\n";
}

std::string baseline_text(const BaselineTable& table) {
  const std::vector<Column> columns = baseline_columns();
  Lines lines;
  lines.emplace_back(1, "times " + table.baseline);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string title = columns[i].title.substr(0, columns[i].title.find(" ("));
    lines.front().push_back(title + (table.baseline == best_baseline && !table.against[i].empty() ? ": " + table.against[i] : ""));
  }
  for (std::size_t n = 0; n < table.rows.size(); ++n) {
    auto& line = lines.emplace_back(1, table.layers[n]);
    for (const RatioCell& cell : table.rows[n]) line.push_back(cell_text(cell));
  }
  return aligned(lines, LastColumn::figures);
}

std::string comparison_json(boost::json::object facts, std::span<const Row> rows, std::span<const RunResult> runs,
                            std::span<const BaselineTable> baselines, const std::vector<std::string>& notes) {
  const std::map<std::string, std::string> units = units_of(runs);
  boost::json::object unit_columns;
  for (const auto& [name, unit] : units) unit_columns[name] = unit;
  facts["notes"] = boost::json::value_from(notes);
  boost::json::object ratios;
  for (const BaselineTable& table : baselines) ratios[table.baseline] = baseline_columns_of(table);
  const boost::json::object document{{"schema", 1},
                                     {"comparison", std::move(facts)},
                                     {"units", std::move(unit_columns)},
                                     {"layers", layer_columns(rows)},
                                     {"baselines", std::move(ratios)},
                                     {"runs", run_columns(runs, units)}};
  constexpr int a_line_a_column = 2;
  return json_text(document, a_line_a_column);
}

}  // namespace tessera
