// Where the table and the spares lie.
#include "firmware/defects/spare_layout.hpp"

#include <catch2/catch.hpp>

#include <set>

#include "firmware/defects/defect_table.hpp"
#include "unit/defects/defect_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

DriveGeometry geometry(std::uint32_t surfaces, std::uint32_t spare_radii, std::uint32_t sectors) {
  DriveGeometry result;
  result.surfaces = surfaces;
  result.zones = {{.first_radius = 0, .radii = 10, .sectors_per_track = sectors}};
  result.spare_radii = spare_radii;
  return result;
}

}  // namespace

TEST_CASE("every sector of the spare tracks is one place of the table or one spare") {
  const auto [surfaces, radii, sectors] = GENERATE(table<std::uint32_t, std::uint32_t, std::uint32_t>(
      {{1, 1, 5}, {1, 2, 16}, {1, 2, 3}, {2, 1, 40}, {4, 2, 600}, {3, 5, 17}, {1, 3, 16384}}));
  const SpareLayout layout(geometry(surfaces, radii, sectors));
  REQUIRE(layout.usable());
  std::set<std::uint64_t> seen;
  const auto take = [&](const PhysicalRun& run) {
    REQUIRE(run.track.surface < surfaces);
    REQUIRE(run.track.radius >= 10);
    REQUIRE(run.track.radius < 10 + radii);
    REQUIRE(run.first + run.count <= sectors);
    for (std::uint32_t s = run.first; s < run.first + run.count; ++s) REQUIRE(seen.insert(DefectTable::key(run.track, s)).second);
  };
  for (std::uint32_t copy = 0; copy < SpareLayout::copies; ++copy)
    for (std::uint32_t place = 0; place < SpareLayout::places; ++place) take(layout.table(copy, place));
  for (std::uint32_t spare = 0; spare < layout.spares(); ++spare) take(layout.spare(spare));
  CHECK(seen.size() == std::uint64_t{surfaces} * radii * sectors);
  if (surfaces > 1) CHECK(layout.table(0, 0).track.surface != layout.table(1, 0).track.surface);
  if (radii > 1) CHECK(layout.table(0, 0).track.radius != layout.table(1, 0).track.radius);
}

TEST_CASE("a place of the table has room for every spare and as many pending sectors, or takes an eighth of a track") {
  // 64 B, and 16 B for each of two times 49,152 sectors: 384 sectors of 4 KiB and a bit.
  CHECK(SpareLayout(geometry(1, 3, 16384)).table_sectors() == 385);
  CHECK(SpareLayout(geometry(4, 20, 160)).table_sectors() == 20);
  CHECK(SpareLayout(geometry(4, 20, 4)).table_sectors() == 1);
}

TEST_CASE("each sector of the largest drive has a number of its own, in the order of tracks") {
  constexpr std::uint32_t last_radius = (1U << 26) + 4095;
  const std::vector<std::uint64_t> ascending{DefectTable::key({0, 1}, 0),        DefectTable::key({0, 1}, 16383),
                                             DefectTable::key({1, 1}, 0),        DefectTable::key({63, 1}, 16383),
                                             DefectTable::key({0, 2}, 0),        DefectTable::key({0, 65537}, 0),
                                             DefectTable::key({0, 1U << 20}, 3), DefectTable::key({63, last_radius}, 16383)};
  for (std::size_t i = 1; i < ascending.size(); ++i) CHECK(ascending[i - 1] < ascending[i]);
}

TEST_CASE("a bad sector of a track far inside is not taken for one of another") {
  BenchConfig config = drive_with([](MediaConfig& media) {
    media.tracks = 140'000;
    media.write_fault_sectors = {{0, 65'537, 4}, {0, 131'073, 4}};
  });
  DefectDrive drive(config);
  for (const std::uint64_t radius : {1ULL, 65'537ULL, 131'073ULL}) REQUIRE(drive.write(radius * 16, 16) == Status::ok);
  CHECK(drive.defects("reallocated") == 2);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("a drive whose spare tracks hold no more than the table has no defect management") {
  CHECK_FALSE(SpareLayout(geometry(1, 0, 100)).usable());
  CHECK_FALSE(SpareLayout(geometry(1, 1, 4)).usable());
  CHECK(SpareLayout(geometry(1, 1, 5)).spares() == 1);
  CHECK_FALSE(SpareLayout(geometry(1, 2, 2)).usable());
  CHECK(SpareLayout(geometry(1, 2, 3)).spares() == 2);
}
