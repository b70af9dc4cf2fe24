#include "platforms/output/progress.hpp"

#include <catch2/catch.hpp>

using namespace tessera;
using namespace tessera::literals;

TEST_CASE("what comes after the requests has no time left, and is named") {
  CHECK(waiting_line(12'500_ms, 100'000, "a rebuild goes on") == "12.5 s simulated, 100,000 requests served; a rebuild goes on");
  CHECK(progress_line(12'500_ms, 100'000, 100'000, 2.0) == "12.5 s simulated, 100,000 of 100,000 requests, 50,000 a second");
}

TEST_CASE("the progress line tells simulated time, requests, speed and time left") {
  CHECK(progress_line(12'500_ms, 40'000, 100'000, 2.0) == "12.5 s simulated, 40,000 of 100,000 requests, 20,000 a second, 0:03 left");
  CHECK(progress_line(12'500_ms, 999, std::nullopt, 1.0) == "12.5 s simulated, 999 requests, 999 a second");
  CHECK(progress_line(0_ms, 0, 1'000, 0.0) == "0.0 s simulated, 0 of 1,000 requests");
  CHECK(progress_line(1_s, 1'000, 1'234'567, 10.0) == "1.0 s simulated, 1,000 of 1,234,567 requests, 100 a second, 205:35 left");
}
