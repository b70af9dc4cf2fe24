#include "media/track_switches.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace tessera;
using namespace tessera::literals;

namespace {

constexpr double turn = 4294967296.0;

/// A turn of 10 ms, tracks of 100 sectors: 5 % of a turn to the next surface, 25 % to the next radius.
MediaConfig skewed() {
  MediaConfig config;
  config.speed = Rpm(6000);
  config.surfaces = 2;
  config.tracks = 1000;
  config.sectors_per_track = 100;
  config.track_skew = 5;
  config.cylinder_skew = 25;
  config.seek_min = 2_ms;
  config.seek_full_stroke = 12_ms;
  return config;
}

}  // namespace

TEST_CASE("a drive's skews are its switches to the next surface and the next radius, rounded up") {
  const TrackSwitches switches = track_switches(skewed());
  CHECK(switches.any());
  CHECK(switches.angle(0, false) == 0);
  CHECK(switches.angle(0, true) == static_cast<std::uint32_t>(0.05 * turn) + 1);
  CHECK(switches.angle(1, false) == static_cast<std::uint32_t>(0.25 * turn));
  CHECK(switches.angle(1, true) == switches.angle(1, false));
}

TEST_CASE("a way over more radii takes as much more as its seek does, and never less than a shorter one") {
  MediaConfig config = skewed();
  const TrackSwitches switches = track_switches(config);
  // The formula's seek over 4 radii takes twice as long beyond 2 ms as that over one: 10 ms / sqrt(999) more, of a turn of 10 ms.
  CHECK(switches.angle(4, false) == Approx((0.25 + 1 / std::sqrt(999.0)) * turn).epsilon(1e-6));
  CHECK(switches.angle(3, false) == switches.angle(4, false));  // by powers of two
  CHECK(switches.angle(5, false) == switches.angle(8, false));
  config.seek_curve = {{1, 2.0}, {2, 3.0}, {4, 2.5}, {999, 12.0}};  // falls, as measured curves do
  const TrackSwitches measured = track_switches(config);
  CHECK(measured.angle(2, false) == Approx(0.35 * turn).epsilon(1e-6));
  CHECK(measured.angle(4, false) == measured.angle(2, false));
}

TEST_CASE("without a cylinder skew there is nothing to make up for, and whole turns are left out") {
  MediaConfig config = skewed();
  config.cylinder_skew = 0;
  CHECK_FALSE(track_switches(config).any());
  CHECK(track_switches(config).angle(0, true) == 0);
  config = skewed();
  config.cylinder_skew = 130;
  CHECK(track_switches(config).angle(1, false) == Approx(0.3 * turn).epsilon(1e-6));
}
