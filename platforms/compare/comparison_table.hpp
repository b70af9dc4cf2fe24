#pragma once
// The comparison as people and programs read it.
#include <boost/json/fwd.hpp>
#include <span>
#include <string>
#include <vector>

#include "platforms/compare/baseline.hpp"
#include "platforms/compare/comparison.hpp"

namespace tessera {

/// A table that is Markdown and lines up on a terminal, its legend below. `notes`: what holds of the table as a whole.
[[nodiscard]] std::string comparison_text(std::span<const Row> rows, const std::vector<std::string>& notes);

/// The ratios to a baseline in the same form.
[[nodiscard]] std::string baseline_text(const BaselineTable& table);

/// Plain columns, all of one length: under `layers` the means over seeds, for each metric with `METRIC.half_width_95` and
/// `METRIC.unranked` (why the figure does not rank, or null); under `runs` every metric of every run; under `baselines`, by
/// the name of each, `METRIC.ratio`, `.ratio.low_95`, `.ratio.high_95`, `.ratio.seeds`, `.ratio.unranked` and `METRIC.against`, the layer
/// that it is divided by.
[[nodiscard]] std::string comparison_json(boost::json::object facts, std::span<const Row> rows, std::span<const RunResult> runs,
                                          std::span<const BaselineTable> baselines, const std::vector<std::string>& notes);

}  // namespace tessera
