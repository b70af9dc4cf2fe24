#include "platforms/output/progress.hpp"

#include <catch2/catch.hpp>

using namespace tessera;
using namespace tessera::literals;

TEST_CASE("what comes after the requests and has no share has no time left, and is named") {
  CHECK(waiting_line(12'500_ms, 100'000, "the drives come to rest") ==
        "12.5 s simulated, 100,000 requests served; the drives come to rest");
  CHECK(progress_line(12'500_ms, 100'000, 100'000, 2.0) == "12.5 s simulated, 100,000 of 100,000 requests, 50,000 a second");
}

TEST_CASE("work besides the requests has a share, and the time left is that of whatever takes longest") {
  const auto rebuild = [](std::optional<double> left) { return Aside{{"a rebuild goes on", 0.125}, left}; };
  const std::string head = "12.5 s simulated, 40,000 of 100,000 requests, 20,000 a second, a rebuild goes on: 12 %";
  CHECK(progress_line(12'500_ms, 40'000, 100'000, 2.0, rebuild(35.0)) == head + ", 0:35 left");
  CHECK(progress_line(12'500_ms, 40'000, 100'000, 2.0, rebuild(1.0)) == head + ", 0:03 left");
  CHECK(progress_line(12'500_ms, 40'000, 100'000, 2.0, rebuild(std::nullopt)) == head);
  CHECK(progress_line(0_ms, 0, 100'000, 0.0, rebuild(35.0)) == "0.0 s simulated, 0 of 100,000 requests, a rebuild goes on: 12 %");
  CHECK(waiting_line(1_s, 7, "the drives come to rest", rebuild(65.0)) ==
        "1.0 s simulated, 7 requests served; a rebuild goes on: 12 %, 1:05 left");
}

TEST_CASE("the progress line tells simulated time, requests, speed and time left") {
  CHECK(progress_line(12'500_ms, 40'000, 100'000, 2.0) == "12.5 s simulated, 40,000 of 100,000 requests, 20,000 a second, 0:03 left");
  CHECK(progress_line(12'500_ms, 999, std::nullopt, 1.0) == "12.5 s simulated, 999 requests, 999 a second");
  CHECK(progress_line(0_ms, 0, 1'000, 0.0) == "0.0 s simulated, 0 of 1,000 requests");
  CHECK(progress_line(1_s, 1'000, 1'234'567, 10.0) == "1.0 s simulated, 1,000 of 1,234,567 requests, 100 a second, 205:35 left");
}
