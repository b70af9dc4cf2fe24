// Where tracks begin in other orders than by cylinder, zones of single surfaces, and heads that are not all alike.
#include <catch2/catch.hpp>

#include "media/mechanics.hpp"
#include "small_drive.hpp"

using namespace tessera;

namespace {

/// 100 sectors of 100 us; 6 radii on 2 surfaces.
MediaConfig ordered(TrackOrder order, std::uint32_t serpent = 0) {
  MediaConfig config = test::small_drive();
  config.tracks = 6;
  config.track_skew = 7;
  config.cylinder_skew = 20;
  config.track_order = order;
  config.serpent_tracks = serpent;
  config.serpent_skew = Picoseconds(3'010'000'000);  // 30.1 sectors: 31
  return config;
}

/// In sectors, by order of the tracks.
std::vector<std::uint64_t> starts(const MediaConfig& config, const std::vector<PhysicalTrack>& tracks) {
  const TrackGeometry geometry(config, {});
  std::vector<std::uint64_t> found;
  for (const PhysicalTrack track : tracks) found.push_back(geometry.shape_of(track).start / 100'000'000);
  return found;
}

std::string first_problem(const MediaConfig& config) {
  const auto problems = config.validate();
  return problems.empty() ? "" : problems.front();
}

}  // namespace

TEST_CASE("every way between two tracks adds its skew, in the order of the tracks") {
  using Starts = std::vector<std::uint64_t>;
  CHECK(starts(ordered(TrackOrder::cylinder), {{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}}) == Starts{0, 7, 27, 34, 54});
  CHECK(starts(ordered(TrackOrder::cylinder_serpentine), {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}}) == Starts{0, 7, 27, 34, 54});
  CHECK(starts(ordered(TrackOrder::surface), {{0, 0}, {0, 1}, {0, 5}, {1, 0}, {1, 1}}) == Starts{0, 20, 0, 31, 51});
  CHECK(starts(ordered(TrackOrder::serpentine), {{0, 0}, {0, 5}, {1, 5}, {1, 4}, {1, 0}}) == Starts{0, 0, 7, 27, 7});
  CHECK(starts(ordered(TrackOrder::serpentine, 2), {{0, 0}, {0, 1}, {1, 1}, {1, 0}, {0, 2}, {0, 3}}) == Starts{0, 20, 27, 47, 78, 98});
}

TEST_CASE("in the order of a serpentine drive a transfer loses the skews and nothing else") {
  MediaConfig config = ordered(TrackOrder::serpentine, 3);
  config.head_switch = Picoseconds(600'000'000);
  const TrackGeometry geometry(config, {});
  Mechanics mechanics(config, geometry);
  Picoseconds now;
  for (const PhysicalTrack track :
       std::vector<PhysicalTrack>{{0, 0}, {0, 1}, {0, 2}, {1, 2}, {1, 1}, {1, 0}, {0, 3}, {0, 4}, {0, 5}, {1, 5}, {1, 4}, {1, 3}})
    for (const std::uint32_t half : {0U, 50U}) {
      const MediaStep step = test::read_step({track, half, 50});
      now += mechanics.plan(step, geometry.shape_of(track), now).total();
      mechanics.moved(step, 100);
    }
  CHECK(now == Picoseconds(12 * 10'000'000'000 + std::uint64_t{8 * 20 + 2 * 7 + 31} * 100'000'000));
}

TEST_CASE("a surface has zones of its own, and skews go on over their borders") {
  MediaConfig config = ordered(TrackOrder::cylinder);
  config.surface_zones = {{1, 2, 90}, {1, 5, 80}};
  REQUIRE(config.validate().empty());
  const TrackGeometry geometry(config, {});
  for (std::uint32_t radius = 0; radius < 6; ++radius) {
    CHECK(geometry.sectors_on({0, radius}) == 100);
    CHECK(geometry.sectors_on({1, radius}) == (radius < 3 ? 90 : 80));
    CHECK(geometry.shape_of({1, radius}).start / 100'000'000 == (27 * radius + 7) % 100);
  }
  const DriveGeometry drive = geometry_of(config);
  CHECK(drive.zones.size() == 2);
  CHECK(drive.physical_sectors() == 3 * 190 + 3 * 180);
  config.track_order = TrackOrder::serpentine;
  config.serpent_tracks = 3;
  const TrackGeometry serpents(config, {});
  CHECK(serpents.shape_of({0, 3}).start / 100'000'000 == (4 * 20 + 7 + 31) % 100);
}

TEST_CASE("a head that is off its arm's position moves the arm, settles and begins its tracks later") {
  MediaConfig config = test::small_drive();
  config.head_switch = Picoseconds(500'000'000);
  config.head_tolerances = {{1, -3, 0.2, 36}};
  REQUIRE(config.validate().empty());
  const TrackGeometry geometry(config, {});
  CHECK(geometry.shape_of({1, 0}).start == 1'000'000'000);
  CHECK(geometry.shape_of({0, 0}).start == 0);
  Mechanics mechanics(config, geometry);
  mechanics.moved(test::read_step({{0, 10}, 0, 1}), 100);
  CHECK(mechanics.seek_time({1, 10}, false) == Picoseconds(1'030'000'000 + 200'000'000));
  CHECK(mechanics.seek_time({1, 7}, false) == Picoseconds(500'000'000 + 200'000'000));  // the arm stays: a head switch
  CHECK(mechanics.seek_time({0, 13}, false) == Picoseconds(1'030'000'000));
  CHECK(mechanics.least_positioning(5) <= mechanics.seek_time({1, 5}, false));
}

TEST_CASE("an arm whose heads are far apart moves further than the drive has tracks, and takes as long as that far") {
  for (const bool measured : {false, true}) {
    MediaConfig config = test::small_drive();
    const std::uint32_t radii = geometry_of(config).radii();
    const std::uint32_t most = radii - 1;
    config.head_tolerances = {{1, -double{1} * most, 0, 0}};
    config.seek_curve.clear();
    if (measured) config.seek_curve = {{1, 1}, {2, 1.5}};
    REQUIRE(config.validate().empty());
    const TrackGeometry geometry(config, {});
    Mechanics mechanics(config, geometry);
    mechanics.moved(test::read_step({{0, 0}, 0, 1}), 100);
    const Picoseconds time = mechanics.seek_time({1, most}, false);
    if (measured)
      CHECK(time == Picoseconds(500'000'000) * (2 * most + 1));
    else
      CHECK(time == SeekCurve::formula(config.seek_min, config.seek_full_stroke, radii, 2 * most));
    CHECK(mechanics.least_positioning(most) <= time);
    config.head_tolerances = {{1, double{1} * radii, 0, 0}};
    CHECK(first_problem(config) == "head_tolerances: row 1 sets the head " + std::to_string(radii) + " tracks off, on a drive with " +
                                       std::to_string(radii) + " tracks per surface; expected fewer than it has");
  }
}

TEST_CASE("zones that end beyond any drive are named") {
  MediaConfig config = ordered(TrackOrder::cylinder);
  config.tracks = config.sectors_per_track = config.track_skew = config.cylinder_skew = 0;
  config.zones = {{4294967295.0, 100, 0, 0, 0, 0}};
  CHECK(first_problem(config) == "zones: row 1 ends at radius 4294967295; expected at most 16777215");
}

TEST_CASE("orders, zones of surfaces and tolerances that cannot be are named") {
  CHECK(first_problem(ordered(TrackOrder::serpentine, 4)) ==
        "serpent_tracks: 4 does not divide the 6 tracks of the zone of radius 0; expected whole serpents, with the rest as a zone of its "
        "own");
  CHECK(first_problem(ordered(TrackOrder::serpentine, 3)).empty());
  CHECK(first_problem(ordered(TrackOrder::serpentine, 7)).empty());  // shorter than a serpent
  MediaConfig config = ordered(TrackOrder::cylinder);
  const auto zones = [&config](std::vector<NumberRow> rows) {
    config.surface_zones = std::move(rows);
    return first_problem(config);
  };
  CHECK(zones({{1, 2, 90}}) == "surface_zones: those of surface 1 end at radius 2; expected the drive's last, 5");
  CHECK(zones({{1, 5, 101}}) ==
        "surface_zones: row 1 has 101 sectors per track, but the zone of radius 0 has 100; expected at most as many");
  CHECK(zones({{1, 3, 90}, {1, 3, 80}}) ==
        "surface_zones: row 2 ends at radius 3, inside the zone before it on surface 1; expected 4 or more");
  CHECK(zones({{2, 5, 90}}) == "surface_zones: row 1 names a surface or radius that the drive does not have, or no sectors");
  CHECK(zones({{1, 5, 50}, {0, 5, 50}}).empty());
  config.exported_sectors = 601;
  CHECK(first_problem(config) == "exported_sectors: 601, but the zones hold 600 beside reserved and spare sectors");
  config = ordered(TrackOrder::cylinder);
  config.head_tolerances = {{1, 0, 0, 0}, {1, 0, 0, 0}};
  CHECK(first_problem(config) == "head_tolerances: row 2 names surface 1 again");
  config.head_tolerances = {{1, 0, 0, 360}};
  CHECK(first_problem(config).starts_with("head_tolerances: row 1 settles for 0.000000 ms at 360.000000 degrees"));
}
