#include "platforms/serve/pace.hpp"

#include <catch2/catch.hpp>

using namespace tessera;
using namespace tessera::literals;
using namespace std::chrono_literals;

TEST_CASE("pace: a simulated time is due when the clock has come as far, in the ratio asked for") {
  const Pace::Clock::time_point noon{1'000s};
  Pace half(1, 2);  // a simulated second takes half a second
  half.begin(10_s, noon);
  CHECK(half.until(14_s, noon) == 2s);
  CHECK(half.until(14_s, noon + 1'999ms) == 1ms);
  CHECK(half.until(14_s, noon + 2s) == 0ns);
  CHECK(half.until(14_s, noon + 5s) == 0ns);
  CHECK(half.until(9_s, noon) == 0ns);
  CHECK(half.at(noon) == 10_s);
  CHECK(half.at(noon + 3ms) == 10_s + 6_ms);
  CHECK(half.at(noon - 1s) == 10_s);
  CHECK(half.imposed());
  CHECK_FALSE(Pace().imposed());
}
