#include "media/seek_curve.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"

using namespace tessera;
using namespace tessera::literals;

namespace {

const std::vector<SeekPoint> points{{1, 1000_us}, {2, 1500_us}, {4, 1400_us}, {10, 2000_us}};

}  // namespace

TEST_CASE("a measured seek curve is exact at its points and linear between them") {
  const SeekCurve curve = SeekCurve::from_points(points, 100);
  CHECK(curve.time(0) == Picoseconds());
  CHECK(curve.time(1) == 1000_us);
  CHECK(curve.time(2) == 1500_us);
  CHECK(curve.time(3) == 1450_us);  // a falling stretch, as real curves have
  CHECK(curve.time(4) == 1400_us);
  CHECK(curve.time(7) == 1700_us);
  CHECK(curve.time(10) == 2000_us);
}

TEST_CASE("beyond its last point a measured seek curve keeps the last slope") {
  const SeekCurve curve = SeekCurve::from_points(points, 100);
  CHECK(curve.time(11) == 2100_us);
  CHECK(curve.time(99) == 10900_us);
}

TEST_CASE("a seek time between points rounds to the nearest picosecond") {
  const SeekCurve curve = SeekCurve::from_points({{1, 0_ps}, {4, 2_ps}}, 8);
  CHECK(curve.time(2) == 1_ps);  // 0.67
  CHECK(curve.time(3) == 1_ps);  // 1.33
  CHECK(curve.time(5) == 3_ps);  // 2.67
}

TEST_CASE("below a first point that is not 1 the first time holds, and one point is a constant") {
  CHECK(SeekCurve::from_points({{3, 5_us}, {4, 6_us}}, 8).time(1) == 5_us);
  const SeekCurve constant = SeekCurve::from_points({{1, 5_us}}, 8);
  CHECK(constant.time(1) == 5_us);
  CHECK(constant.time(7) == 5_us);
}

TEST_CASE("the seek formula meets the oracle of the interlaced paper") {
  const SeekCurve curve = SeekCurve::from_formula(2_ms, 20_ms, 750'000);
  CHECK(curve.time(0) == Picoseconds());
  CHECK(curve.time(749'999) == 20_ms);
  CHECK(curve.time(250'000) == 12392311774_ps);  // 12.39 ms; 18 * sqrt(250000 / 749999) + 2
  CHECK(curve.time(1) == 2020784624_ps);         // 2.020785 ms
}

TEST_CASE("the mean random seek of the interlaced paper's drive is 11.60 ms") {
  constexpr std::uint32_t radii = 750'000;
  const SeekCurve curve = SeekCurve::from_formula(2_ms, 20_ms, radii);
  double mean = 0;  // over all pairs of tracks: 2 * (n - d) of n * n are d apart
  for (std::uint32_t d = 1; d < radii; ++d) mean += 2.0 * (radii - d) / radii / radii * static_cast<double>(curve.time(d).value());
  CHECK(mean / 1e9 == Approx(11.60).margin(0.005));
}

TEST_CASE("the least seek of a curve that never falls is its own") {
  const SeekCurve curve = SeekCurve::from_formula(2_ms, 20_ms, 100);
  for (const std::uint32_t d : {0U, 1U, 50U, 99U}) CHECK(curve.least(d) == curve.time(d));
  CHECK(curve.least(100) == 20_ms);
}

TEST_CASE("the least seek bounds every move at least as far, and never decreases") {
  const SeekCurve curve = SeekCurve::from_points(points, 50);
  for (std::uint32_t d = 0; d < 50; ++d) {
    Picoseconds least = Picoseconds::max();
    for (std::uint32_t further = d; further < 50; ++further) least = std::min(least, curve.time(further));
    CHECK(curve.least(d) == least);
    if (d > 0) CHECK(curve.least(d) >= curve.least(d - 1));
  }
  CHECK(curve.least(2) == 1400_us);
  CHECK(curve.least(1'000) == curve.least(49));
}
