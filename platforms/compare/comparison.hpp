#pragma once
// What runs of several layers on one input say side by side: a row a layer, means over seeds, and which figures do not rank.
#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/percentile.hpp"
#include "platforms/compare/run_result.hpp"

namespace tessera {

/// Why a figure is shown but must not be ranked against others, in the order of the legend.
enum class Unranked : std::uint8_t {
  no_cleaning,    ///< the layer's caches were never full
  few_cleanings,  ///< fewer cleanings or heat intervals than a steady state takes
  unstable,       ///< the backlog grew: latencies measure the length of the run
  few_requests,   ///< a percentile that too few requests lie above
  wrong           ///< requests failed, reads were wrong, or the run was interrupted
};
inline constexpr std::size_t reasons = 5;
/// What the reason means, for a legend.
[[nodiscard]] std::string_view in_words(Unranked reason);

/// What a column's figures depend on, and so which reasons apply to it.
enum class ColumnKind : std::uint8_t { latency, percentile, steady_state, size, machine };

struct Column {
  std::string title;   ///< with the unit as shown
  std::string metric;  ///< name in summary.json
  double scale;        ///< from the metric's unit to the title's
  ColumnKind kind;
  double above = 0;  ///< of a percentile: share of the requests that lie above it
};
/// Columns for these percentiles instead of the 50th, 99th and 99.9th; before comparison_columns() is first called.
void show_percentiles(std::span<const Percentile> percentiles);
[[nodiscard]] std::span<const Column> comparison_columns();

struct Cell {
  std::optional<double> mean;        ///< over seeds, in the metric's unit; empty where undefined in any run
  std::optional<double> half_width;  ///< of the 95 % confidence interval of the mean; from two runs on
  std::set<Unranked> unranked;
};

struct Row {
  std::string layer;
  std::string status;       ///< "ok", or what went wrong in one sentence
  std::vector<Cell> cells;  ///< one a column
};

/// `runs`: in order of layers, all seeds of a layer together.
[[nodiscard]] std::vector<Row> compare_layers(std::span<const RunResult> runs);

/// Half the width of the 95 % confidence interval of the mean (Student's t), from two values on.
[[nodiscard]] std::optional<double> confidence_half_width(std::span<const double> values);

}  // namespace tessera
