#include "stimuli/generators/arrival_process.hpp"

#include <catch2/catch.hpp>

using namespace tessera;
using namespace tessera::literals;

namespace {

struct Moments {
  double mean_ms = 0;
  double deviation_ms = 0;
};

Moments moments(const ArrivalConfig& config, int gaps) {
  ArrivalProcess process(config, RandomStream(1, "arrival"));
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < gaps; ++i) {
    const double gap = static_cast<double>(process.gap().value()) * 1e-9;
    sum += gap;
    squares += gap * gap;
  }
  const double mean = sum / gaps;
  return {mean, std::sqrt(squares / gaps - mean * mean)};
}

ArrivalConfig arrivals(ArrivalLaw law, Picoseconds mean, Picoseconds deviation = Picoseconds(0)) {
  ArrivalConfig config;
  config.law = law;
  config.mean = mean;
  config.deviation = deviation;
  return config;
}

}  // namespace

TEST_CASE("gaps have the mean and the deviation of their law") {
  constexpr int gaps = 100'000;
  CHECK(moments(arrivals(ArrivalLaw::none, 50_ms), gaps).mean_ms == 0);
  CHECK(moments(arrivals(ArrivalLaw::fixed, 50_ms), gaps).mean_ms == Approx(50).epsilon(1e-12));
  // Five standard errors: of a mean sigma/sqrt(n); of a deviation sigma/sqrt(2n) (normal), sigma*sqrt(2/n) (exponential).
  const Moments normal = moments(arrivals(ArrivalLaw::normal, 50_ms, 10_ms), gaps);
  CHECK(std::abs(normal.mean_ms - 50) < 5 * 10 / std::sqrt(gaps));
  CHECK(std::abs(normal.deviation_ms - 10) < 5 * 10 / std::sqrt(2.0 * gaps));
  const Moments exponential = moments(arrivals(ArrivalLaw::exponential, 50_ms), gaps);
  CHECK(std::abs(exponential.mean_ms - 50) < 5 * 50 / std::sqrt(gaps));
  CHECK(std::abs(exponential.deviation_ms - 50) < 5 * 50 * std::sqrt(2.0 / gaps));
}

TEST_CASE("bursts keep the mean and put the stated share of the time between them") {
  ArrivalConfig config = arrivals(ArrivalLaw::fixed, 10_ms);
  config.burst_requests = 20;
  config.idle_share = 0.9;
  // Inside a burst: 10 ms * 0.1 * 20/19. All other gaps lie between bursts.
  const Picoseconds inside(1'052'632'000);
  ArrivalProcess process(config, RandomStream(1, "arrival"));
  double all = 0;
  double idle = 0;
  int bursts = 0;
  constexpr int gaps = 200'000;
  for (int i = 0; i < gaps; ++i) {
    const Picoseconds gap = process.gap();
    all += static_cast<double>(gap.value()) * 1e-9;
    if (gap == inside) continue;
    idle += static_cast<double>(gap.value()) * 1e-9;
    ++bursts;
  }
  CHECK(std::abs(bursts - gaps / 20) < 5 * std::sqrt(gaps / 20.0));
  // 10,000 exponential idle gaps of mean 180 ms, their number itself uncertain: relative error sqrt(2/10,000) of the idle time.
  CHECK(idle / all == Approx(0.9).epsilon(5 * std::sqrt(2e-4) * 0.1));
  CHECK(all / gaps == Approx(10).epsilon(5 * std::sqrt(2e-4)));
}

TEST_CASE("gaps are whole nanoseconds and never negative") {
  ArrivalProcess process(arrivals(ArrivalLaw::normal, 1_us, 5_us), RandomStream(1, "arrival"));
  for (int i = 0; i < 10'000; ++i) {
    const Picoseconds gap = process.gap();
    REQUIRE(gap.value() % 1000 == 0);
    REQUIRE(gap < 1_ms);
  }
}

TEST_CASE("gaps by a table have its percentiles, and are drawn evenly between them") {
  ArrivalConfig config;
  config.law = ArrivalLaw::table;
  config.gaps = {{20, 10}, {70, 10}, {90, 30}, {100, 1'000}};
  // Of 100: 70 of 10 us, 20 between 10 and 30 (mean 20), 10 between 30 and 1,000 (mean 515): 7 + 4 + 51.5 us.
  constexpr int gaps = 100'000;
  ArrivalProcess process(config, RandomStream(1, "arrival"));
  double sum_us = 0;
  int shortest = 0;
  int middle = 0;
  int lower_half_of_middle = 0;
  for (int i = 0; i < gaps; ++i) {
    const double us = static_cast<double>(process.gap().value()) * 1e-6;
    REQUIRE(us >= 10);
    REQUIRE(us < 1'000);
    sum_us += us;
    shortest += us == 10 ? 1 : 0;
    middle += us > 10 && us < 30 ? 1 : 0;
    lower_half_of_middle += us > 10 && us < 20 ? 1 : 0;
  }
  // Five standard errors, of a share at most 5 * 0.5 / sqrt(n); the deviation of a gap is below 250 us.
  CHECK(sum_us / gaps == Approx(62.5).margin(5 * 250 / std::sqrt(gaps)));
  CHECK(shortest == Approx(0.7 * gaps).margin(2.5 * std::sqrt(gaps)));
  CHECK(middle == Approx(0.2 * gaps).margin(2.5 * std::sqrt(gaps)));
  CHECK(lower_half_of_middle == Approx(0.1 * gaps).margin(2.5 * std::sqrt(gaps)));
}

TEST_CASE("a table of gaps that is none is refused by the row that is wrong") {
  CHECK(fault_of_gaps({{50, 1}, {100, 2}}).empty());
  CHECK(fault_of_gaps({{100, 0}}).empty());
  CHECK(fault_of_gaps({}) == "expected at least one row (percent, microseconds)");
  CHECK(fault_of_gaps({{50, 1}, {99, 2}}).find("expected 100") != std::string::npos);
  CHECK(fault_of_gaps({{50, 1}, {50, 2}, {100, 3}}).find("row 2") == 0);
  CHECK(fault_of_gaps({{50, 3}, {100, 2}}).find("row 2") == 0);
  CHECK(fault_of_gaps({{0, 3}, {100, 4}}).find("row 1") == 0);
  CHECK(fault_of_gaps({{50, -1}, {100, 4}}).find("row 1") == 0);
  CHECK(fault_of_gaps({{101, 1}}).find("row 1") == 0);
}
