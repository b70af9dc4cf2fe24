#include "platforms/output/summary.hpp"

#include <boost/json.hpp>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <limits>

#include "base/error.hpp"

using namespace tessera;

TEST_CASE("a summary is one line a metric, in the order of reporting, with null for the undefined") {
  MetricSet metrics;
  metrics.add("host.requests", 100000.0, "1", "requests of the input");
  metrics.add("host.latency.mean", 1.5, "ms", "mean \"end to end\"");
  metrics.add("cleaning.mean", std::nullopt, "ms", "mean duration");
  const boost::json::object run{
      {"drive", "common"}, {"seed", 7}, {"partial", false}, {"cuts", boost::json::array{1, 2}}, {"notes", boost::json::array{}}};
  CHECK(summary_text(run, {{{"role", "drive"}, {"bytes", 3}}}, metrics) == R"({
  "schema": 1,
  "run": {
    "drive": "common",
    "seed": 7,
    "partial": false,
    "cuts": [1, 2],
    "notes": []
  },
  "inputs": [
    {"role": "drive", "bytes": 3}
  ],
  "metrics": {
    "host.requests": {"value": 100000, "unit": "1", "description": "requests of the input"},
    "host.latency.mean": {"value": 1.5, "unit": "ms", "description": "mean \"end to end\""},
    "cleaning.mean": {"value": null, "unit": "ms", "description": "mean duration"}
  }
}
)");
}

TEST_CASE("numbers read back as the same double") {
  for (const double value : {0.1, 1.0 / 3, 123456789.123456789, 5e-324, 1.7976931348623157e308, 4294967296.0, 1e15 + 0.3}) {
    MetricSet metrics;
    metrics.add("x", value, "1", "");
    const std::string text = summary_text({}, {}, metrics);
    const std::string key = "\"value\": ";
    CHECK(std::strtod(text.c_str() + text.find(key) + key.size(), nullptr) == value);
  }
}

TEST_CASE("a metric that is not a number is a model bug: undefined figures are null") {
  MetricSet metrics;
  metrics.add("x", std::numeric_limits<double>::quiet_NaN(), "1", "");
  CHECK_THROWS_AS(summary_text({}, {}, metrics), ModelBug);
}
