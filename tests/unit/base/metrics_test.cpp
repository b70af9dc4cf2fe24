#include "base/metrics.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "base/error.hpp"
#include "base/random.hpp"

using namespace tessera;
using namespace tessera::literals;

TEST_CASE("percentiles lie at most 1/256 above the true order statistic") {
  DurationHistogram histogram;
  RandomStream random(1, "histogram");
  std::vector<std::uint64_t> all;
  for (int i = 0; i < 10'000; ++i) {
    all.push_back(random() >> random.below(50));
    histogram.record(Picoseconds(all.back()));
  }
  std::sort(all.begin(), all.end());
  for (const double fraction : {0.001, 0.5, 0.9, 0.99, 0.999}) {
    const auto rank = static_cast<std::size_t>(fraction * 10'000);
    const auto truth = all[rank == 0 ? 0 : rank - 1];
    const auto found = histogram.percentile(fraction)->value();
    CHECK(found >= truth);
    CHECK(found - truth <= truth / 256 + 1);
  }
  CHECK(histogram.percentile(1.0) == Picoseconds(all.back()));
  CHECK(histogram.max() == Picoseconds(all.back()));
}

TEST_CASE("small durations are exact") {
  DurationHistogram histogram;
  for (std::uint64_t i = 0; i < 512; ++i) histogram.record(Picoseconds(i));
  CHECK(histogram.percentile(0.5) == Picoseconds(255));
  CHECK(*histogram.mean_ps() == Approx(255.5));
}

TEST_CASE("statistics of nothing are undefined, not zero") {
  const DurationHistogram empty;
  MetricSet metrics;
  empty.report(metrics, "x", "of nothing");
  REQUIRE(metrics.find("x.mean") != nullptr);
  for (const Metric& metric : metrics.all()) CHECK_FALSE(metric.value.has_value());
  CHECK_FALSE(Tally().mean().has_value());
  CHECK_FALSE(TimeWeighted().mean(Picoseconds(0)).has_value());
}

TEST_CASE("a time-weighted level counts each level for as long as it lasted") {
  TimeWeighted level;
  level.set(4, 10_ns);
  level.set(1, 20_ns);
  CHECK(level.peak() == 4);
  CHECK(*level.mean(40_ns) == Approx((4.0 * 10 + 1.0 * 20) / 40));
}

TEST_CASE("a metric reported twice is a model bug") {
  MetricSet metrics;
  metrics.add("a", 1.0, "1", "one");
  CHECK_THROWS_AS(metrics.add("a", 2.0, "1", "two"), ModelBug);
}
