#include "platforms/compare/time_lines.hpp"

#include <algorithm>

#include "platforms/output/time_parts.hpp"

namespace tessera {

namespace {

/// Over the measured seeds. A phase that a run does not report took no time in it.
std::optional<double> mean_of(std::span<const RunResult> seeds, std::string_view name) {
  double sum = 0;
  double measured = 0;
  for (const RunResult& run : seeds) {
    sum += run.metric(name).value_or(0);
    if (run.measured()) ++measured;
  }
  return measured == 0 ? std::nullopt : std::optional(sum / measured);
}

using Line = std::string (*)(const MetricLookup&, const std::string&);

/// A line for the reads and for the writes of each layer that `line` has words for, under a heading.
std::string lines_of(std::span<const RunResult> runs, const std::string& heading, Line line) {
  std::size_t width = 0;
  for (const RunResult& run : runs) width = std::max(width, run.layer.size());
  std::string text;
  for (auto first = runs.begin(); first != runs.end();) {
    const auto last = std::find_if(first, runs.end(), [first](const RunResult& run) { return run.layer != first->layer; });
    const std::span<const RunResult> seeds(first, last);
    const MetricLookup metric = [seeds](std::string_view name) { return mean_of(seeds, name); };
    for (const auto& [name, ops] : {std::pair("  reads   ", "host.read"), {"  writes  ", "host.write"}})
      if (const std::string said = line(metric, ops); !said.empty())
        text += first->layer + std::string(width - first->layer.size(), ' ') + name + said + "\n";
    first = last;
  }
  return text.empty() ? text : "\n" + heading + ":\n" + text;
}

}  // namespace

std::string time_lines(std::span<const RunResult> runs) {
  return lines_of(runs, "Where the time goes", time_line) + lines_of(runs, "Whose work it is", cause_line);
}

}  // namespace tessera
