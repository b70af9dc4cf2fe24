#pragma once
// How many times a figure of each layer is that of another one, seed by seed: both ran the same random streams, so what the seed did to
// both falls out, which it does not in a quotient of two means.
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/compare/comparison.hpp"

namespace tessera {

/// The word for the layer whose figure is the smallest of those that rank, in each column by itself.
inline constexpr std::string_view best_baseline = "best";

/// The geometric mean of a layer's figure over the baseline's with the same seed: the ratio of A to B is one over that of B to A.
struct Ratio {
  double mean = 1;
  /// 95 % interval (Student's t over the logarithms); from two common seeds on.
  std::optional<std::pair<double, double>> interval;
  std::size_t seeds = 0;  ///< on which both ran well and have the figure
};

/// Empty without a common seed, or where a figure of one is not above 0.
[[nodiscard]] std::optional<Ratio> paired_ratio(std::span<const RunResult> layer, std::span<const RunResult> baseline,
                                                std::string_view metric);

struct RatioCell {
  std::optional<Ratio> ratio;
  std::set<Unranked> unranked;  ///< why one of the two figures does not rank
};

/// One row a layer and one column a metric of baseline_columns().
struct BaselineTable {
  std::string baseline;              ///< a layer, or best_baseline
  std::vector<std::string> against;  ///< by column: the layer that figures are divided by; "" where there is none
  std::vector<std::string> layers;
  std::vector<std::vector<RatioCell>> rows;
};

/// Those of comparison_columns() of which less is better and a ratio says something: latencies and write amplifications.
[[nodiscard]] std::vector<Column> baseline_columns();

/// `runs` and `rows` as of compare_layers(). A layer that is its own baseline has the ratio 1 where it has the figure.
[[nodiscard]] BaselineTable against_baseline(std::span<const RunResult> runs, std::span<const Row> rows, const std::string& baseline);

}  // namespace tessera
