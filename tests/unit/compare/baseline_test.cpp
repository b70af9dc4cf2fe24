#include "platforms/compare/baseline.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>

#include "platforms/compare/comparison_table.hpp"

using namespace tessera;

namespace {

constexpr const char* latency = "host.latency.mean";

RunResult run_of(const std::string& layer, std::uint64_t seed, std::optional<double> mean_ms, int status = 0) {
  RunResult run;
  run.layer = layer;
  run.seed = seed;
  run.status = status;
  run.metrics = {{latency, mean_ms}, {"host.served", 1e6}, {"write_amplification.total", 1.0}};
  return run;
}

/// Seeds count up from 1.
std::vector<RunResult> runs_of(const std::string& layer, const std::vector<double>& means_ms) {
  std::vector<RunResult> runs;
  for (const double mean : means_ms) runs.push_back(run_of(layer, runs.size() + 1, mean));
  return runs;
}

std::vector<RunResult> together(std::initializer_list<std::vector<RunResult>> all) {
  std::vector<RunResult> runs;
  for (const auto& some : all) runs.insert(runs.end(), some.begin(), some.end());
  return runs;
}

/// Of the column of mean latencies, which is the first.
const RatioCell& mean_cell(const BaselineTable& table, std::size_t row) { return table.rows.at(row).at(0); }

}  // namespace

TEST_CASE("ratios are paired by seed, not a quotient of means") {
  // Seed by seed twice the baseline, which itself differs tenfold from seed to seed: exactly 2, without any doubt.
  const auto twice = paired_ratio(runs_of("a", {2, 20, 200}), runs_of("b", {1, 10, 100}), latency);
  CHECK(twice->mean == Approx(2));
  CHECK(twice->interval->first == Approx(2));
  CHECK(twice->interval->second == Approx(2));
  CHECK(twice->seeds == 3);
  // 4, 1 and 1/4 times: 1 in the geometric mean, where the quotient of the means, 6 over 9, says 0.67.
  const auto even = paired_ratio(runs_of("a", {4, 1, 1}), runs_of("b", {1, 1, 4}), latency);
  CHECK(even->mean == Approx(1));
  // The logarithms ln 4, 0, -ln 4 have the deviation ln 4; Student's t for two degrees of freedom is 4.3027.
  const double half = 4.30265 * std::log(4.0) / std::sqrt(3.0);
  CHECK(even->interval->first == Approx(std::exp(-half)).epsilon(1e-4));
  CHECK(even->interval->second == Approx(std::exp(half)).epsilon(1e-4));
}

TEST_CASE("the ratio of A to B is one over that of B to A, its interval as well") {
  const auto there = paired_ratio(runs_of("a", {3, 5, 4}), runs_of("b", {1, 2, 3}), latency);
  const auto back = paired_ratio(runs_of("b", {1, 2, 3}), runs_of("a", {3, 5, 4}), latency);
  CHECK(there->mean * back->mean == Approx(1));
  CHECK(there->interval->first * back->interval->second == Approx(1));
}

TEST_CASE("only seeds that ran well on both count, and one of them makes no interval") {
  const std::vector<RunResult> a{run_of("a", 1, 6), run_of("a", 2, 8), run_of("a", 3, 1, 1), run_of("a", 4, std::nullopt)};
  const std::vector<RunResult> b{run_of("b", 2, 4), run_of("b", 3, 1), run_of("b", 4, 1), run_of("b", 5, 1)};
  const auto ratio = paired_ratio(a, b, latency);
  CHECK(ratio->seeds == 1);
  CHECK(ratio->mean == Approx(2));
  CHECK_FALSE(ratio->interval.has_value());
  CHECK_FALSE(paired_ratio(runs_of("a", {1}), {}, latency).has_value());
}

TEST_CASE("a figure of 0 has no ratio, the smallest above it has one") {
  CHECK_FALSE(paired_ratio(runs_of("a", {0, 1}), runs_of("b", {1, 1}), latency).has_value());
  CHECK_FALSE(paired_ratio(runs_of("a", {1, 1}), runs_of("b", {1, 0}), latency).has_value());
  CHECK(paired_ratio(runs_of("a", {1e-9, 1}), runs_of("b", {1, 1}), latency).has_value());
}

TEST_CASE("a table divides each layer by the baseline, the baseline itself too") {
  const auto runs = together({runs_of("cmr", {2, 4}), runs_of("slow", {6, 12}), runs_of("fast", {1, 2})});
  const BaselineTable table = against_baseline(runs, compare_layers(runs), "cmr");
  CHECK(table.layers == std::vector<std::string>{"cmr", "slow", "fast"});
  CHECK(table.against.at(0) == "cmr");
  CHECK(mean_cell(table, 0).ratio->mean == Approx(1));
  CHECK(mean_cell(table, 1).ratio->mean == Approx(3));
  CHECK(mean_cell(table, 2).ratio->mean == Approx(0.5));
}

TEST_CASE("the best is the smallest of those that rank, and a figure that does not rank keeps its mark") {
  auto runs = together({runs_of("cmr", {2, 4}), runs_of("slow", {6, 12}), runs_of("empty", {1, 2})});
  for (RunResult& run : runs)
    if (run.layer == "empty") run.cleans = true;  // and never did
  const std::vector<Row> rows = compare_layers(runs);
  const BaselineTable table = against_baseline(runs, rows, "best");
  CHECK(table.against.at(0) == "cmr");
  CHECK(mean_cell(table, 2).ratio->mean == Approx(0.5));
  CHECK(mean_cell(table, 2).unranked == std::set<Unranked>{Unranked::no_cleaning});
  CHECK(mean_cell(table, 1).unranked.empty());
  // Divided by it, every figure has its mark.
  CHECK(mean_cell(against_baseline(runs, rows, "empty"), 1).unranked == std::set<Unranked>{Unranked::no_cleaning});
}

TEST_CASE("where no layer ranks there is no best") {
  auto runs = runs_of("empty", {1, 2});
  for (RunResult& run : runs) run.cleans = true;
  const BaselineTable table = against_baseline(runs, compare_layers(runs), "best");
  CHECK(table.against.at(0).empty());
  CHECK_FALSE(mean_cell(table, 0).ratio.has_value());
  CHECK_THAT(baseline_text(table), Catch::Contains("| times best | mean |") && Catch::Contains("| empty      |    - |"));
}

TEST_CASE("the table is Markdown with the layer that each column is divided by, the file has plain columns") {
  const auto runs = together({runs_of("cmr", {2, 4}), runs_of("slow", {6, 14})});
  const BaselineTable table = against_baseline(runs, compare_layers(runs), "best");
  CHECK_THAT(baseline_text(table), Catch::Contains("mean: cmr"));
  const std::string text = comparison_json({}, compare_layers(runs), runs, std::vector{table}, {});
  const auto columns = boost::json::parse(text).at("baselines").at("best").as_object();
  CHECK(columns.at("layer") == boost::json::array{"cmr", "slow"});
  CHECK(columns.at("host.latency.mean.against") == "cmr");
  CHECK(columns.at("host.latency.mean.ratio").as_array()[1].as_double() == Approx(std::sqrt(3 * 3.5)));
  CHECK(columns.at("host.latency.mean.ratio.seeds") == boost::json::array{2, 2});
  CHECK(columns.at("host.latency.mean.ratio.high_95").as_array()[1].as_double() >
        columns.at("host.latency.mean.ratio.low_95").as_array()[1].as_double());
  CHECK(columns.at("host.latency.mean.ratio.unranked").as_array()[1].is_null());
}
