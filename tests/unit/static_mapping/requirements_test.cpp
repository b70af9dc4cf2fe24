// What the static mappings ask of a drive, and what they say of one that cannot carry them.
#include "static_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using Catch::Contains;
using static_mapping::plan_static;
using static_mapping::StaticMappingConfig;

namespace {

DriveGeometry one_zone(std::uint32_t radii) {
  DriveGeometry geometry;
  geometry.zones = {{0, radii, 100, 0}};
  return geometry;
}

std::string refusal(const StaticMappingConfig& config, const DriveGeometry& geometry) {
  std::string problem;
  CHECK(plan_static(config, geometry, problem).empty());
  return problem;
}

}  // namespace

TEST_CASE("static mappings: regions of the paper's disk") {
  std::string problem;
  StaticMappingConfig config;
  config.journal_tracks = 3;
  const FormatPlan plan = plan_static(config, one_zone(3100), problem);
  REQUIRE(plan.size() == 4);
  CHECK((plan[0].name == "log" && plan[0].first == 0 && plan[0].count == 1));
  CHECK((plan[1].name == "journal" && plan[1].first == 1 && plan[1].count == 3));
  CHECK((plan[2].name == "backup" && plan[2].first == 4 && plan[2].count == 46 && !plan[2].skewed));
  CHECK((plan[3].name == "data" && plan[3].first == 100 && plan[3].count == 3000 && !plan[3].skewed));
  CHECK((plan[3].band_tracks == 4 && plan[3].guard_tracks == 1 && plan[3].head_width == 2));
}

TEST_CASE("static mappings: space gain and write amplification of a full band (equations 1 and 2)") {
  CHECK(static_mapping::space_gain(4, 2) == Approx(1.6));
  CHECK(static_mapping::space_gain(5, 3) == Approx(15.0 / 7));
  for (const auto& [tracks, width, gain] : {std::tuple(4.0, 2.0, 1.6), std::tuple(5.0, 3.0, 15.0 / 7)}) {
    BenchConfig config = small_drive();
    config.media.tracks = raz + 70;
    StaticDrive drive(Scheme::s1234, config, {{"band_tracks", tracks}, {"head_width", width}});
    CHECK(drive.metric("capacity.space_gain") == Approx(gain));
    // Of 70 tracks as wide as the head they would be conventional, W times fewer.
    CHECK(static_cast<double>(drive.firmware().user_sectors()) / track_sectors / (70 / width) == Approx(gain));
  }
}

TEST_CASE("static mappings: other bands than of four tracks are for shingled-in-place-1234 alone") {
  StaticMappingConfig config;
  config.band_tracks = 5;
  for (const Scheme scheme : {Scheme::r4123, Scheme::s124r3, Scheme::s14r23}) {
    config.scheme = scheme;
    CHECK_THAT(refusal(config, one_zone(3100)), Contains("band_tracks is 5") && Contains("shingled-in-place-1234"));
  }
}

TEST_CASE("static mappings: a random access zone that is too small or too large, a drive that is too small") {
  StaticMappingConfig config;
  CHECK_THAT(refusal(config = {.raz_tracks = 41}, one_zone(3100)),
             Contains("41 tracks has 20 to use") && Contains("raz_tracks of 42 would do"));
  config.backup_slots = 1;
  config.raz_tracks = 11;
  CHECK_THAT(refusal(config, one_zone(3100)), Contains("11 tracks has 5 to use") && Contains("raz_tracks of 12 would do"));
  config.raz_tracks = 12;
  std::string problem;
  CHECK(plan_static(config, one_zone(17), problem).size() == 3);
  CHECK(problem.empty());
  CHECK_THAT(refusal(config, one_zone(16)), Contains("16 tracks a surface") && Contains("take 17"));
  CHECK_THAT(refusal(config, one_zone(11)), Contains("outermost zone") && Contains("has 11"));
  config.crash_safe = false;
  config.raz_tracks = 0;
  CHECK(plan_static(config, one_zone(5), problem).size() == 1);
  config.journal_tracks = 2;
  CHECK_THAT(refusal(config, one_zone(100)), Contains("2 of journal_tracks"));
}

TEST_CASE("static mappings: the bits of used tracks take what they are said to take") {
  StaticDrive drive(Scheme::r4123, 12);
  CHECK(drive.metric("meta.ram_bytes") == 6);         // 48 tracks
  CHECK(drive.metric("meta.ram_bytes_actual") == 8);  // in words
}

TEST_CASE("static mappings: the record of the used tracks finds its sectors on tracks of any length, those with slipped defects too") {
  for (std::uint32_t length = 1; length <= 9; ++length)
    for (const std::uint32_t surfaces : {1U, 2U}) {
      INFO(surfaces << " surfaces, tracks of " << length);
      BenchConfig config = static_drive(12);
      config.media.sectors_per_track = length;
      config.media.surfaces = surfaces;
      config.media.spare_tracks = 0;
      config.media.tracks = 200;
      if (length > 1) config.media.slipped_defects = {{0, 0, 1}};
      StaticDrive drive(Scheme::s1234, config, {{"raz_tracks", 40}});
      for (std::uint64_t sector = 0; sector < 40 * std::uint64_t{length}; sector += 3)
        REQUIRE(drive->write(sector * blocks_per_sector, blocks_per_sector) == Status::ok);
      drive->cut_now();
      REQUIRE(drive->boot_status() == Status::ok);
      CHECK(drive.wrong_blocks() == 0);
    }
}
