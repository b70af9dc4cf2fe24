#pragma once
// summary.json: what a run was, and every metric with unit and description.
#include <boost/json/fwd.hpp>
#include <string>

#include "base/metrics.hpp"

namespace tessera {

/// {"schema": 1, "run": RUN, "metrics": {NAME: {"value": .., "unit": .., "description": ..}}}. Keys keep the order in which
/// they were added, an undefined value is null, and a number is the shortest decimal that reads back as the same double.
[[nodiscard]] std::string summary_text(const boost::json::object& run, const MetricSet& metrics);

}  // namespace tessera
