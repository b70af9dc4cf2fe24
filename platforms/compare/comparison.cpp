#include "platforms/compare/comparison.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace tessera {

namespace {

// A ranking needs that many cleanings, or heat intervals of layers that adapt by them, in the measured part of each run.
constexpr double enough_cleanings = 20;
// A percentile counts from so many requests above it on: the 99th from 10,000 requests, the 99.9th from 100,000.
constexpr double enough_above = 100;

constexpr double per_kib = 1.0 / 1024;
constexpr double per_mib = per_kib / 1024;

/// Of the latency, unless the user names others.
std::vector<Column> usual_percentiles() {
  return {
      {"p50 (ms)", "host.latency.p50", 1, ColumnKind::latency},
      {"p99 (ms)", "host.latency.p99", 1, ColumnKind::percentile, 0.01},
      {"p99.9 (ms)", "host.latency.p999", 1, ColumnKind::percentile, 0.001},
  };
}

std::vector<Column> other_columns() {
  return {
      {"max (ms)", "host.latency.max", 1, ColumnKind::latency},
      {"WA", "write_amplification.total", 1, ColumnKind::steady_state},
      {"WA media", "write_amplification.media", 1, ColumnKind::steady_state},
      {"WA flash", "write_amplification.flash", 1, ColumnKind::steady_state},
      {"RMWs", "rmw.count", 1, ColumnKind::steady_state},
      {"cleanings", "cleaning.count", 1, ColumnKind::steady_state},
      {"cleaning mean (ms)", "cleaning.mean", 1, ColumnKind::steady_state},
      {"cleaning max (ms)", "cleaning.max", 1, ColumnKind::steady_state},
      {"metadata (KiB)", "metadata.bytes", per_kib, ColumnKind::size},
      {"DRAM (MiB)", "dram.reserved.total", per_mib, ColumnKind::size},
      {"capacity gain", "capacity.gain_vs_cmr", 1, ColumnKind::size},
      {"$ per user TB", "cost.per_user_tb", 1, ColumnKind::size},
      {"requests / CPU-s", "run.requests_per_cpu_second", 1, ColumnKind::machine},
      {"errors", "scoreboard.errors", 1, ColumnKind::size},
  };
}

/// One comparison a process: its columns are chosen before it is made.
std::vector<Column> columns_with(std::span<const Column> percentiles) {
  std::vector<Column> all{{"mean (ms)", "host.latency.mean", 1, ColumnKind::latency}};
  all.insert(all.end(), percentiles.begin(), percentiles.end());
  for (auto& column : other_columns()) all.push_back(std::move(column));
  return all;
}

std::vector<Column>& all_columns() {
  static std::vector<Column> all = columns_with(usual_percentiles());
  return all;
}

/// Why the steady state of `run` is not known, if so.
std::optional<Unranked> not_steady(const RunResult& run) {
  const std::optional<double> intervals = run.metric("intervals.count");
  if (!run.cleans && !intervals) return std::nullopt;
  const double cleanings = run.metric("cleaning.count").value_or(0);
  if (cleanings >= enough_cleanings || intervals.value_or(0) >= enough_cleanings) return std::nullopt;
  return cleanings == 0 && !intervals ? Unranked::no_cleaning : Unranked::few_cleanings;
}

std::set<Unranked> unranked(const RunResult& run, const Column& column) {
  std::set<Unranked> found;
  if (run.status != 0) found.insert(Unranked::wrong);
  if (column.kind == ColumnKind::size || column.kind == ColumnKind::machine) return found;
  if (const auto reason = not_steady(run)) found.insert(*reason);
  if (column.kind == ColumnKind::steady_state) return found;
  if (run.unstable) found.insert(Unranked::unstable);
  const double above = run.metric("host.served").value_or(0) * column.above;
  if (column.kind == ColumnKind::percentile && above < enough_above) found.insert(Unranked::few_requests);
  return found;
}

Cell cell_of(std::span<const RunResult> runs, const Column& column) {
  Cell cell;
  std::vector<double> values;
  std::size_t measured = 0;
  for (const RunResult& run : runs) {
    if (!run.measured()) continue;
    ++measured;
    if (const auto value = run.metric(column.metric)) values.push_back(*value);
    cell.unranked.merge(unranked(run, column));
  }
  if (values.empty() || values.size() != measured) return {};
  double sum = 0;
  for (const double value : values) sum += value;
  cell.mean = sum / static_cast<double>(values.size());
  cell.half_width = confidence_half_width(values);
  return cell;
}

std::string status_of(std::span<const RunResult> runs) {
  const auto bad = [](const RunResult& run) { return run.status != 0; };
  const auto first = std::find_if(runs.begin(), runs.end(), bad);
  if (first == runs.end()) return "ok";
  std::string what = first->status ? first->message : "not run";
  const auto count = std::count_if(runs.begin(), runs.end(), bad);
  if (count == std::ssize(runs)) return what;
  return std::to_string(count) + " of " + std::to_string(runs.size()) + " runs, first with seed " + std::to_string(first->seed) + ": " +
         what;
}

}  // namespace

std::string_view in_words(Unranked reason) {
  switch (reason) {
    case Unranked::no_cleaning: return "no cleaning came: the layer's caches were never full (longer input, smaller cache, --prefill)";
    case Unranked::few_cleanings: return "fewer than 20 cleanings or heat intervals: no steady state";
    case Unranked::unstable: return "the backlog grew all along: latencies measure the length of the run";
    case Unranked::few_requests: return "fewer than 100 requests lie above this percentile";
    case Unranked::wrong: return "the run did not end well (status)";
  }
  return "";
}

void show_percentiles(std::span<const Percentile> percentiles) {
  constexpr double tail = 0.9;  // from here on a percentile rests on few requests
  std::vector<Column> named;
  for (const auto& percentile : percentiles)
    named.push_back({"p" + percentile.text + " (ms)", "host.latency." + percentile.suffix(), 1,
                     percentile.fraction >= tail ? ColumnKind::percentile : ColumnKind::latency, 1 - percentile.fraction});
  all_columns() = columns_with(named);
}

std::span<const Column> comparison_columns() { return all_columns(); }

std::optional<double> confidence_half_width(std::span<const double> values) {
  if (values.size() < 2) return std::nullopt;
  const auto count = static_cast<double>(values.size());
  double sum = 0;
  for (const double value : values) sum += value;
  const double mean = sum / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  constexpr double upper = 0.975;  // two-sided 95 %
  // In double precision: tables in long double are made at every start, and valgrind, which has none, ends there.
  using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
  const double t = boost::math::quantile(boost::math::students_t_distribution<double, InDouble>(count - 1), upper);
  return t * std::sqrt(squares / (count - 1) / count);
}

std::vector<Row> compare_layers(std::span<const RunResult> runs) {
  std::vector<Row> rows;
  for (auto first = runs.begin(); first != runs.end();) {
    const auto last = std::find_if(first, runs.end(), [first](const RunResult& run) { return run.layer != first->layer; });
    const std::span<const RunResult> of_layer(first, last);
    Row row{first->layer, status_of(of_layer), {}};
    for (const Column& column : all_columns()) row.cells.push_back(cell_of(of_layer, column));
    rows.push_back(std::move(row));
    first = last;
  }
  return rows;
}

}  // namespace tessera
