#include "stimuli/player/backlog_curve.hpp"

#include <catch2/catch.hpp>

using namespace tessera;
using namespace tessera::literals;

namespace {

/// `count` arrivals every `gap`; completions every `service`, one at a time.
BacklogCurve queue(std::uint64_t count, Picoseconds gap, Picoseconds service) {
  BacklogCurve curve;
  Picoseconds free;
  for (std::uint64_t i = 0; i < count; ++i) {
    const Picoseconds arrival = gap * i;
    curve.arrived(arrival);
    free = std::max(free, arrival) + service;
    curve.completed(free);
  }
  return curve;
}

}  // namespace

TEST_CASE("the mean backlog is the area under the curve over the time, exactly") {
  BacklogCurve curve;
  curve.arrived(10_ms);
  curve.arrived(20_ms);
  curve.completed(30_ms);
  curve.completed(50_ms);
  CHECK(*curve.mean() == (20.0 + 30.0) / 40.0);
  CHECK(curve.peak() == 2);
}

TEST_CASE("a drive that is twice too slow has half of the requests left at the last arrival, and is unstable") {
  const BacklogCurve curve = queue(10'000, 5_ms, 10_ms);
  CHECK(std::abs(static_cast<double>(curve.final()) - 5'000) < 10'000.0 / 512);
  CHECK(curve.unstable(32));
  const auto quarters = curve.quarters();
  CHECK(quarters[0] == Approx(625).epsilon(0.02));
  CHECK(quarters[3] == Approx(4375).epsilon(0.02));
}

TEST_CASE("a drive that keeps up is stable") {
  CHECK_FALSE(queue(10'000, 11_ms, 10_ms).unstable(32));
  CHECK(queue(10'000, 11_ms, 10_ms).final() <= 1);
}

TEST_CASE("requests that come all at once are unstable: each waits for those before it") {
  BacklogCurve curve;
  for (std::uint64_t i = 0; i < 1000; ++i) curve.arrived(1_s);
  for (std::uint64_t i = 0; i < 1000; ++i) curve.completed(1_s + 10_ms * (i + 1));
  CHECK(curve.unstable(32));
  CHECK_FALSE(curve.unstable(1000));
}

TEST_CASE("an overload is one whatever the way there: by what waits at the last arrival, from a tenth of all requests on") {
  // 10,000 requests within 1 s that take 47 s: at an even pace, ever more slowly, and in two bursts.
  for (const int shape : {0, 1, 2}) {
    BacklogCurve curve;
    for (std::uint64_t i = 0; i < 10'000; ++i)
      curve.arrived(shape == 0 ? 100_us * i : shape == 1 ? 10_ns * (i * i) : i < 5'000 ? 1_us * i : 995_ms + 1_us * (i - 5'000));
    for (std::uint64_t i = 0; i < 10'000; ++i) curve.completed(4700_us * (i + 1));
    INFO("shape " << shape);
    CHECK(curve.final() > 9'700);
    CHECK(curve.unstable(32));
  }
  // Bursts of 1,000 that drain, and a last one with a share of all requests that lies on either side of a tenth.
  const auto last_burst = [](std::uint64_t size) {
    BacklogCurve curve;
    for (std::uint64_t burst = 0; burst < 10; ++burst)
      for (std::uint64_t i = 0; i < (burst < 9 ? 1'000 : size); ++i) {
        curve.arrived(10_s * burst);
        curve.completed(10_s * burst + 1_ms * (i + 1));
      }
    return curve;
  };
  CHECK_FALSE(last_burst(960).unstable(32));
  CHECK(last_burst(1'100).unstable(32));
}

TEST_CASE("a burst that drains is stable, and shows in the peak") {
  BacklogCurve curve;
  for (std::uint64_t i = 0; i < 1000; ++i) curve.arrived(1_s);
  for (std::uint64_t i = 0; i < 1000; ++i) curve.completed(1_s + 1_ms * (i + 1));
  curve.arrived(10_s);
  curve.completed(10_s + 1_ms);
  CHECK(curve.peak() > 950);
  CHECK_FALSE(curve.unstable(32));
  CHECK(curve.final() <= 1);
}

TEST_CASE("a backlog that grows but ends within the tags is no instability: one above is") {
  const BacklogCurve curve = queue(64, 5_ms, 10_ms);
  CHECK(curve.unstable(curve.final() - 1));
  CHECK_FALSE(curve.unstable(curve.final()));
}

TEST_CASE("counts survive any length of time") {
  BacklogCurve curve;
  curve.arrived(0_ps);
  curve.completed(1_ps);
  curve.arrived(Picoseconds(~std::uint64_t{0} - 1));
  CHECK(curve.final() == 1);
  CHECK(curve.arrivals() == 2);
}
