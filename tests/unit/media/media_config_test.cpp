#include "media/media_config.hpp"

#include <catch2/catch.hpp>

#include "base/error.hpp"
#include "small_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using Catch::Contains;

namespace {

std::string problems_of(const MediaConfig& config) {
  std::string all;
  for (const std::string& problem : config.validate()) all += problem + "\n";
  return all;
}

MediaConfig zoned() {
  MediaConfig config;
  config.surfaces = 3;
  config.zones = {{9, 100, 10, 20, 50, 0}, {24, 90, 9, 18, 40, 7}, {29, 80, 8, 16, 0, 0}};
  return config;
}

}  // namespace

TEST_CASE("the first track of each zone follows the last of the zone before") {
  const DriveGeometry geometry = geometry_of(zoned());
  REQUIRE(geometry.zones.size() == 3);
  CHECK(geometry.zones[0].first_radius == 0);
  CHECK(geometry.zones[0].radii == 10);
  CHECK(geometry.zones[1].first_radius == 10);
  CHECK(geometry.zones[1].radii == 15);
  CHECK(geometry.zones[2].first_radius == 25);
  CHECK(geometry.zones[2].radii == 5);
  CHECK(geometry.radii() == 30);
  CHECK(geometry.zone_of(9).sectors_per_track == 100);
  CHECK(geometry.zone_of(10).sectors_per_track == 90);
  CHECK(geometry.zone_of(24).sectors_per_track == 90);
  CHECK(geometry.zone_of(25).sectors_per_track == 80);
  CHECK(geometry.zones[1].spare_sectors == 40);
  CHECK(geometry.physical_sectors() == 3 * (10 * 100 + 15 * 90 + 5 * 80));
}

TEST_CASE("the uniform form stands for a table of one zone") {
  const DriveGeometry geometry = geometry_of(test::small_drive());
  REQUIRE(geometry.zones.size() == 1);
  CHECK(geometry.radii() == 50);
  CHECK(geometry.zones[0].sectors_per_track == 100);
  CHECK(geometry.surfaces == 2);
  CHECK(geometry.sector_bytes == 4096);
}

TEST_CASE("a description that cannot be built says why") {
  MediaConfig config = test::small_drive();
  CHECK(problems_of(config).empty());

  config.tracks = 0;
  CHECK_THAT(problems_of(config), Contains("the geometry is missing"));
  CHECK_THROWS_AS(geometry_of(config), InputError);

  config = test::small_drive();
  config.zones = {{9, 100, 0, 0, 0, 0}};
  CHECK_THAT(problems_of(config), Contains("exclude each other"));

  config = zoned();
  config.zones[2][0] = 24;
  CHECK_THAT(problems_of(config), Contains("row 3 does not end beyond the row before it"));
  config = zoned();
  config.zones[1] = {24, 90, 9.5, 18, 40, 7};
  CHECK_THAT(problems_of(config), Contains("zones: row 2 is not 6 whole numbers"));
  config = zoned();
  config.zones[1].pop_back();
  CHECK_THAT(problems_of(config), Contains("zones: row 2 is not 6 whole numbers"));

  config = test::small_drive();
  config.sectors_per_track = 16385;
  CHECK_THAT(problems_of(config), Contains("more than 16384 sectors a track"));
  config = test::small_drive();
  config.sector_size = 1024_B;
  CHECK_THAT(problems_of(config), Contains("sector_size is neither 512 B nor 4096 B"));
  config = test::small_drive();
  config.seek_curve = {{5, 1.0}, {5, 2.0}};
  CHECK_THAT(problems_of(config), Contains("seek_curve: row 2 does not lie beyond"));
  config.seek_curve = {{5, 2.0}, {6, 1.0}};
  CHECK_THAT(problems_of(config), Contains("the last slope falls"));
  config.write_settles = {{0, 1.0}};
  CHECK_THAT(problems_of(config), Contains("write_settles: row 1 does not lie beyond"));
  config.write_settles = {{5, 1.0}, {6, 1001}};
  CHECK_THAT(problems_of(config), Contains("write_settles: row 2 is not a whole distance and a time of at most 1000 ms"));
  config.write_settles.clear();
  config.seek_curve.clear();
  config.seek_full_stroke = 1_ms;
  CHECK_THAT(problems_of(config), Contains("seek_full_stroke is shorter than seek_min"));
}

TEST_CASE("a drive exports what its zones hold beside reserved and spare sectors, and no more") {
  MediaConfig config = zoned();
  config.reserved_sectors = 30;
  const std::uint64_t held = 3 * (10 * 100 + 15 * 90 + 5 * 80) - 50 - 40 - 30;
  config.exported_sectors = held;
  CHECK(problems_of(config).empty());
  config.exported_sectors = held + 1;
  CHECK_THAT(problems_of(config),
             Contains("exported_sectors: " + std::to_string(held + 1) + ", but the zones hold " + std::to_string(held)));
}

TEST_CASE("a zone's tracks start within a turn of the index mark") {
  MediaConfig config = zoned();
  config.zones[1][5] = 89;
  CHECK(problems_of(config).empty());
  config.zones[1][5] = 90;
  CHECK_THAT(problems_of(config), Contains("the start angle of 90 sectors is a whole turn or more"));
}

TEST_CASE("defects must lie on the drive") {
  MediaConfig config = zoned();
  config.slipped_defects = {{2, 24, 89}};
  config.unreadable_sectors = {{0, 25, 79}};
  CHECK(problems_of(config).empty());
  config.unreadable_sectors = {{0, 25, 80}};
  CHECK_THAT(problems_of(config), Contains("unreadable_sectors: row 1"));
  config.unreadable_sectors = {{3, 0, 0}};
  CHECK_THAT(problems_of(config), Contains("unreadable_sectors: row 1"));
  config.unreadable_sectors = {{0, 31, 79}};  // the last sector of the two spare tracks
  CHECK(config.validate().empty());
  config.unreadable_sectors = {{0, 32, 0}};
  CHECK_THAT(problems_of(config), Contains("unreadable_sectors: row 1"));
  config.unreadable_sectors.clear();
  config.slipped_defects = {{0, 30, 1}};  // spare tracks are all of one length
  CHECK_THAT(problems_of(config), Contains("slipped_defects: row 1"));
  config.slipped_defects.clear();
  config.transient_sectors = {{0, 25, 79, 2}};
  config.grown_defects = {{0, 25, 79, 1000}};
  config.write_fault_sectors = {{0, 25, 79}};
  CHECK(config.validate().empty());
  config.transient_sectors = {{0, 25, 79}};
  CHECK_THAT(problems_of(config), Contains("transient_sectors: row 1 is not 4 whole numbers"));
  config.transient_sectors = {{0, 25, 80, 1}};
  CHECK_THAT(problems_of(config), Contains("transient_sectors: row 1 names"));
  config.transient_sectors.clear();
  config.grown_defects = {{0, 25, 80, 1000}};
  CHECK_THAT(problems_of(config), Contains("grown_defects: row 1 names"));
  config.grown_defects.clear();
  config.write_fault_sectors = {{0, 25, 80}};
  CHECK_THAT(problems_of(config), Contains("write_fault_sectors: row 1 names"));
}

TEST_CASE("a plan that does not fit the drive says why") {
  const DriveGeometry geometry = geometry_of(test::small_drive());
  const auto problem = [&](const FormatPlan& plan) {
    std::string all;
    for (const std::string& sentence : check_plan(geometry, plan)) all += sentence;
    return all;
  };
  const auto make = [](RecordingFormat format, std::uint64_t first, std::uint64_t count) { return test::region(format, first, count); };
  CHECK(problem({make(RecordingFormat::conventional, 0, 10), make(RecordingFormat::interlaced, 10, 40)}).empty());
  CHECK_THAT(problem({make(RecordingFormat::conventional, 0, 51)}), Contains("tracks 0 to 50 of a drive that has 50 a surface"));
  CHECK_THAT(problem({make(RecordingFormat::conventional, 0, 11), make(RecordingFormat::interlaced, 10, 40)}), Contains("overlaps"));
  CHECK_THAT(problem({make(RecordingFormat::conventional, 3, 0)}), Contains("has no tracks"));
  Region wave = make(RecordingFormat::wave, 0, 50);
  CHECK_THAT(problem({wave}), Contains("needs band_tracks"));
  Region tops = make(RecordingFormat::interlaced, 0, 50);
  tops.top_ratio = 0.005;
  CHECK_THAT(problem({tops}), Contains("a top track would hold no sector"));
  Region shingled = make(RecordingFormat::shingled, 0, 50);
  shingled.direction = 0;
  CHECK_THAT(problem({shingled}), Contains("direction is neither 1 nor -1"));
  CHECK_THROWS_AS(MediaDevice(test::small_drive(), {make(RecordingFormat::conventional, 0, 51)}, ContentMode::none, 1), InputError);
}
