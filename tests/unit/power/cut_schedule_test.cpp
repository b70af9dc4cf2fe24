#include "power/cut_schedule.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::literals;

TEST_CASE("cuts come in order of time, equal ones once") {
  CutSchedule schedule({30_ms, 10_ms, 20_ms, 10_ms});
  std::vector<Picoseconds> seen;
  while (const auto cut = schedule.next()) {
    seen.push_back(*cut);
    schedule.happened(*cut);
  }
  CHECK(seen == std::vector<Picoseconds>{10_ms, 20_ms, 30_ms});
  CHECK(schedule.done() == 3);
  CHECK(schedule.dropped() == 0);
}

TEST_CASE("a cut inside the outage of another is dropped, one at the instant the power is back is not") {
  CutSchedule schedule({10_ms, 20_ms - 1_ps, 20_ms});
  schedule.happened(10_ms);
  schedule.dark_until(20_ms);
  CHECK(schedule.dropped() == 1);
  CHECK(schedule.next() == 20_ms);
}

TEST_CASE("cuts inside an outage that no cut of the schedule began are dropped alike") {
  CutSchedule schedule({10_ms, 15_ms, 40_ms});
  schedule.dark_until(16_ms);
  CHECK(schedule.dropped() == 2);
  CHECK(schedule.done() == 0);
  CHECK(schedule.next() == 40_ms);
}

TEST_CASE("a schedule without cuts has no next one, and nothing may happen on it") {
  CutSchedule schedule;
  CHECK_FALSE(schedule.next().has_value());
  CHECK_THROWS_AS(schedule.happened(1_ms), ModelBug);
  CutSchedule later({2_ms});
  CHECK_THROWS_AS(later.happened(1_ms), ModelBug);
}

TEST_CASE("a cut that is added comes in its turn, once, and into an outage as any other") {
  CutSchedule schedule({10_ms, 40_ms});
  schedule.happened(10_ms);
  CHECK(schedule.add(20_ms));
  CHECK(schedule.add(30_ms));
  CHECK_FALSE(schedule.add(40_ms));
  CHECK(schedule.next() == 20_ms);
  schedule.happened(20_ms);
  schedule.dark_until(35_ms);
  CHECK(schedule.dropped() == 1);
  CHECK(schedule.next() == 40_ms);
  schedule.happened(40_ms);
  CHECK(schedule.add(50_ms));
  CHECK(schedule.next() == 50_ms);
}
