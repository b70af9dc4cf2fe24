#pragma once
// summary.json: what a run was, and every metric with unit and description.
#include <boost/json/fwd.hpp>
#include <string>

#include "base/metrics.hpp"

namespace tessera {

/// {"schema": 1, "run": RUN, "inputs": [FILE, ...], "metrics": {NAME: {"value": .., "unit": .., "description": ..}}}. Keys keep the order
/// in which they were added, an undefined value is null, and a number is the shortest decimal that reads back as the same double.
[[nodiscard]] std::string summary_text(const boost::json::object& run, const boost::json::array& inputs, const MetricSet& metrics);

/// JSON that people read too: keys in the order in which they were added, a line an entry down to `deepest_break` levels.
[[nodiscard]] std::string json_text(const boost::json::value& value, int deepest_break);

}  // namespace tessera
