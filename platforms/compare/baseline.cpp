#include "platforms/compare/baseline.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

namespace {

std::span<const RunResult> runs_of(std::span<const RunResult> runs, std::string_view layer) {
  const auto first = std::ranges::find(runs, layer, &RunResult::layer);
  const auto last = std::find_if(first, runs.end(), [layer](const RunResult& run) { return run.layer != layer; });
  return {first, last};
}

/// Of a run that ended well.
std::optional<double> figure_of(const RunResult& run, std::string_view metric) {
  return run.status == 0 ? run.metric(metric) : std::nullopt;
}

/// The layer whose mean is the smallest of those that rank and whose runs all ended well; "" where there is none.
std::string best_of(std::span<const Row> rows, std::size_t column) {
  const Row* best = nullptr;
  for (const Row& row : rows) {
    const Cell& cell = row.cells[column];
    if (!cell.mean || !cell.unranked.empty()) continue;
    if (best == nullptr || *cell.mean < *best->cells[column].mean) best = &row;
  }
  return best == nullptr ? "" : best->layer;
}

bool divides(const Column& column) {
  return column.kind == ColumnKind::latency || column.kind == ColumnKind::percentile || column.metric.starts_with("write_amplification.");
}

}  // namespace

std::optional<Ratio> paired_ratio(std::span<const RunResult> layer, std::span<const RunResult> baseline, std::string_view metric) {
  std::vector<double> logarithms;
  for (const RunResult& run : layer) {
    const auto partner = std::ranges::find(baseline, run.seed, &RunResult::seed);
    if (partner == baseline.end()) continue;
    const std::optional<double> figure = figure_of(run, metric);
    const std::optional<double> base = figure_of(*partner, metric);
    if (!figure || !base) continue;
    if (*figure <= 0 || *base <= 0) return std::nullopt;
    logarithms.push_back(std::log(*figure / *base));
  }
  if (logarithms.empty()) return std::nullopt;
  double sum = 0;
  for (const double logarithm : logarithms) sum += logarithm;
  const double mean = sum / static_cast<double>(logarithms.size());
  Ratio ratio{std::exp(mean), std::nullopt, logarithms.size()};
  if (const auto half = confidence_half_width(logarithms)) ratio.interval = {std::exp(mean - *half), std::exp(mean + *half)};
  return ratio;
}

std::vector<Column> baseline_columns() {
  std::vector<Column> columns;
  std::ranges::copy_if(comparison_columns(), std::back_inserter(columns), divides);
  return columns;
}

BaselineTable against_baseline(std::span<const RunResult> runs, std::span<const Row> rows, const std::string& baseline) {
  BaselineTable table{baseline, {}, {}, std::vector<std::vector<RatioCell>>(rows.size())};
  for (const Row& row : rows) table.layers.push_back(row.layer);
  const std::span<const Column> columns = comparison_columns();
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!divides(columns[i])) continue;
    const std::string& against = table.against.emplace_back(baseline == best_baseline ? best_of(rows, i) : baseline);
    const auto base = std::ranges::find(rows, against, &Row::layer);
    for (std::size_t n = 0; n < rows.size(); ++n) {
      RatioCell& cell = table.rows[n].emplace_back();
      cell.ratio = paired_ratio(runs_of(runs, rows[n].layer), runs_of(runs, against), columns[i].metric);
      cell.unranked = rows[n].cells[i].unranked;
      if (base != rows.end()) cell.unranked.insert(base->cells[i].unranked.begin(), base->cells[i].unranked.end());
    }
  }
  return table;
}

}  // namespace tessera
