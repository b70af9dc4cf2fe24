#include "media/track_geometry.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "base/random.hpp"
#include "small_drive.hpp"

using namespace tessera;

TEST_CASE("division by a fixed number equals division") {
  RandomStream random(1, "divisor");
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t d = (random() >> random.below(63)) | 1;
    const std::uint64_t x = random() >> random.below(63);
    const FixedDivisor divisor(d);
    REQUIRE(divisor.quotient(x) == x / d);
    REQUIRE(divisor.remainder(x) == x % d);
    const std::uint64_t multiple = x / d * d;  // both sides of a step
    REQUIRE(divisor.quotient(multiple) == x / d);
    if (multiple != 0) REQUIRE(divisor.quotient(multiple - 1) == x / d - 1);
  }
}

TEST_CASE("every sector begins at the exact floor of its share of a turn") {
  for (const std::uint64_t rpm : {1800, 5396, 6000, 7200, 10045, 20000}) {
    const Picoseconds turn = revolution(Rpm(rpm));
    for (const std::uint32_t n : {1U, 2U, 3U, 72U, 100U, 120U, 487U, 512U, 1000U, 16383U, 16384U}) {
      const TrackDensity density(n, turn);
      for (std::uint32_t i = 0; i <= n; ++i) REQUIRE(density.offset(i) == static_cast<std::uint64_t>(i) * turn.value() / n);
    }
  }
}

TEST_CASE("skews add up over surfaces and cylinders and start anew in each zone, from its start angle") {
  MediaConfig config;
  config.speed = Rpm(6000);
  config.surfaces = 3;
  config.zones = {{9, 100, 7, 20, 0, 0}, {19, 80, 5, 11, 0, 79}};
  const TrackGeometry geometry(config, {});
  const std::uint64_t turn = geometry.revolution().value();
  for (std::uint32_t radius = 0; radius < 20; ++radius) {
    const bool outer = radius < 10;
    const std::uint64_t n = outer ? 100 : 80;
    for (std::uint32_t surface = 0; surface < 3; ++surface) {
      // Walk from the zone's first track, switch by switch.
      std::uint64_t skew = outer ? 0 : 79;
      for (std::uint32_t r = outer ? 0 : 10; r < radius; ++r) skew += outer ? 2 * 7 + 20 : 2 * 5 + 11;
      for (std::uint32_t s = 0; s < surface; ++s) skew += outer ? 7 : 5;
      const TrackShape shape = geometry.shape_of({surface, radius});
      REQUIRE(shape.sectors() == n);
      REQUIRE(shape.start == skew % n * turn / n);
    }
  }
}

TEST_CASE("a region without skew has all its tracks start at the index mark") {
  MediaConfig config = test::small_drive();
  config.track_skew = 10;
  config.cylinder_skew = 20;
  const TrackGeometry geometry(config, {test::region(RecordingFormat::conventional, 5, 10)});
  for (std::uint32_t radius = 5; radius < 15; ++radius) CHECK(geometry.shape_of({1, radius}).start == 0);
  CHECK(TrackGeometry(config, {}).shape_of({1, 5}).start != 0);
}

TEST_CASE("top tracks hold the floor of the ratio, and slipped defects shorten a track") {
  MediaConfig config = test::small_drive();
  config.slipped_defects = {{1, 11, 4}, {0, 12, 3}};
  Region interlaced = test::region(RecordingFormat::interlaced, 11, 20);
  interlaced.top_ratio = 0.999;
  const TrackGeometry geometry(config, {interlaced});
  CHECK(geometry.sectors_on({0, 11}) == 100);  // offset 0 in the region: a bottom
  CHECK(geometry.sectors_on({1, 11}) == 96);
  CHECK(geometry.sectors_on({1, 12}) == 99);  // floor(99.9)
  CHECK(geometry.sectors_on({0, 12}) == 96);
  CHECK(geometry.sectors_on({0, 31}) == 100);  // outside the region

  config.slipped_defects = {{0, 12, 100}};
  CHECK_THROWS_AS(TrackGeometry(config, {interlaced}), InputError);
}

TEST_CASE("a slipped track holds nothing") {
  MediaConfig config = test::small_drive();
  config.slipped_defects = {{0, 3, 100}, {1, 3, 4}};
  const TrackGeometry geometry(config, {});
  CHECK(geometry.sectors_on({0, 3}) == 0);
  CHECK(geometry.sectors_on({1, 3}) == 96);
  CHECK(geometry.sectors_on({0, 4}) == 100);
}

TEST_CASE("spares at a track's end pass under the head and count in skews") {
  MediaConfig config = test::small_drive();
  config.track_skew = 10;
  config.track_spares = 25;
  const TrackGeometry geometry(config, {});
  const std::uint64_t turn = geometry.revolution().value();
  const TrackShape shape = geometry.shape_of({1, 0});
  CHECK(shape.sectors() == 100);
  CHECK(shape.start == 10 * turn / 125);
  CHECK(geometry.passing(shape, 0, 100) == 100 * turn / 125);
  CHECK(geometry.passing(shape, 99, 2) == 27 * turn / 125);  // over the spares to the first sector
}

TEST_CASE("the sector under the head covers the angle, at its first and its last picosecond") {
  MediaConfig config = test::small_drive();
  config.sectors_per_track = 487;
  config.track_skew = 33;
  config.cylinder_skew = 71;
  const TrackGeometry geometry(config, {});
  const std::uint64_t turn = geometry.revolution().value();
  for (const PhysicalTrack track : {PhysicalTrack{0, 0}, PhysicalTrack{1, 3}, PhysicalTrack{0, 49}}) {
    const TrackShape shape = geometry.shape_of(track);
    for (std::uint32_t i = 0; i < 487; ++i) {
      const std::uint64_t begin = geometry.angle_of(shape, i);
      REQUIRE(geometry.sector_at(shape, begin) == i);
      REQUIRE(geometry.sector_at(shape, (begin + turn - 1) % turn) == (i + 486) % 487);
      REQUIRE(geometry.passing(shape, i, 487) == turn);
      REQUIRE(geometry.passing(shape, i, 1) + geometry.passing(shape, (i + 1) % 487, 486) == turn);
    }
  }
}

TEST_CASE("the group of a radius is found on both sides of every border") {
  MediaConfig config;
  config.zones = {{9'999, 100, 0, 0, 0, 0}, {10'000, 90, 0, 0, 0, 0}, {199'999, 80, 0, 0, 0, 0}};
  const TrackGeometry geometry(
      config, {test::region(RecordingFormat::conventional, 5, 3), test::region(RecordingFormat::interlaced, 9'000, 90'000)});
  for (const std::uint32_t radius : {0U, 4U, 5U, 7U, 8U, 8'999U, 9'000U, 9'999U, 10'000U, 10'001U, 98'999U, 99'000U, 199'999U}) {
    const TrackGroup& group = geometry.group_of(radius);
    REQUIRE(group.first_radius <= radius);
    REQUIRE(radius < group.end_radius);
    CHECK(group.bottom.sectors == (radius < 10'000 ? 100U : radius < 10'001 ? 90U : 80U));
    const bool first = radius >= 5 && radius < 8;
    const bool second = radius >= 9'000 && radius < 99'000;
    CHECK(group.region == (first ? 0U : second ? 1U : TrackGroup::no_region));
  }
}
