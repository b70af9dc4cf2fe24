#include "firmware/layers/layer_statistics.hpp"

#include <catch2/catch.hpp>

using namespace tessera;
using namespace tessera::literals;

TEST_CASE("times of read-modify-writes and cleanings that never happened are undefined, their counts and sum zero") {
  MetricSet metrics;
  report_read_modify_writes(metrics, {}, "what", "time");
  report_cleanings(metrics, {}, "what");
  for (const char* const name : {"rmw.time.mean", "rmw.time.max", "cleaning.mean", "cleaning.max"}) {
    CAPTURE(name);
    CHECK_FALSE(metrics.find(name)->value.has_value());
  }
  for (const char* const name : {"rmw.count", "rmw.time_total", "cleaning.count"}) {
    CAPTURE(name);
    CHECK(metrics.find(name)->value == 0);
  }
}

TEST_CASE("rounds say how many came of those that are enough, and moves of what was learnt are no clock") {
  MetricSet metrics;
  report_rounds(metrics, "heat_intervals", 4, "intervals");
  report_cleaning_times(metrics, {}, "moves");
  CHECK(metrics.find("progress.heat_intervals.done")->value == 4);
  CHECK(metrics.find("progress.heat_intervals.done")->accumulates);
  CHECK(metrics.find("progress.heat_intervals.of")->value == 20);
  CHECK(metrics.find("progress.cleanings.of") == nullptr);
}

TEST_CASE("a cache has filled once it has taken in twice what it holds, or all that is read was hit twenty times, or nobody reads") {
  const auto enough = [](const Fill& fill) {
    MetricSet metrics;
    report_fill(metrics, "cache", fill);
    CHECK_FALSE(metrics.find("progress.cache.done")->accumulates);  // since power-on
    return *metrics.find("progress.cache.done")->value >= *metrics.find("progress.cache.of")->value;
  };
  CHECK_FALSE(enough({.taken_in = 199, .hits = 0, .misses = 199, .capacity = 100}));
  CHECK(enough({.taken_in = 200, .hits = 0, .misses = 200, .capacity = 100}));
  CHECK_FALSE(enough({.taken_in = 10, .hits = 199, .misses = 10, .capacity = 100}));
  CHECK(enough({.taken_in = 10, .hits = 200, .misses = 10, .capacity = 100}));
  CHECK_FALSE(enough({.taken_in = 0, .hits = 0, .misses = 10, .capacity = 100}));
  CHECK(enough({.taken_in = 0, .hits = 0, .misses = 0, .capacity = 100}));
}

TEST_CASE("what no part of a merge's time is, is the rest") {
  MetricSet metrics;
  const MergePart parts[] = {{"read", 10_ms, "reading"}, {"write", 15_ms, "writing"}};
  report_merge_times(metrics, 60_ms, parts, "waiting");
  CHECK(*metrics.find("merge.time.read")->value == Approx(10));
  CHECK(*metrics.find("merge.time.write")->value == Approx(15));
  CHECK(*metrics.find("merge.time.rest")->value == Approx(35));
  CHECK(metrics.find("merge.time.rest")->accumulates);
}

TEST_CASE("read-modify-writes are reported by count, sum, mean and longest, in ms") {
  DurationHistogram rmws;
  for (const Picoseconds taken : {10_ms, 30_ms, 20_ms}) rmws.record(taken);
  MetricSet metrics;
  report_read_modify_writes(metrics, rmws, "what", "time");
  CHECK(metrics.find("rmw.count")->value == 3);
  CHECK(metrics.find("rmw.count")->accumulates);
  CHECK(*metrics.find("rmw.time_total")->value == Approx(60));
  CHECK(metrics.find("rmw.time_total")->accumulates);
  CHECK(*metrics.find("rmw.time.mean")->value == Approx(20));
  CHECK(*metrics.find("rmw.time.max")->value == Approx(30));
}
