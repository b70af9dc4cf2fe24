// Sectors that the factory moved: what the drive does to reach them, and what it does when they go bad where they lie.
#include <catch2/catch.hpp>

#include <set>

#include "base/random.hpp"
#include "unit/defects/defect_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// The last of 32 tracks is spare: sector 4 of radius 1 lies on its sector 3.
void moved(MediaConfig& media) {
  media.zones = {{31, 16, 0, 0, 16, 0}};
  media.tracks = 0;
  media.sectors_per_track = 0;
  media.remapped_sectors = {{0, 1, 4, 0, 31, 3}};
}

}  // namespace

TEST_CASE("factory remaps: a sector that was moved is written and read where it lies, at the price of the way") {
  DefectDrive drive(moved);
  DefectDrive plain([](MediaConfig& media) {
    moved(media);
    media.remapped_sectors.clear();
  });
  for (DefectDrive* each : {&drive, &plain}) REQUIRE(each->write(16, 16) == Status::ok);
  REQUIRE(drive->steps.size() == 3);  // no table is looked for
  CHECK(drive->steps[0].run == PhysicalRun{{0, 1}, 0, 4});
  CHECK(drive->steps[1].run == PhysicalRun{{0, 31}, 3, 1});
  CHECK(drive->steps[2].run == PhysicalRun{{0, 1}, 5, 11});
  const Picoseconds there = plain->media().seek_curve().time(30);
  CHECK(drive->now() - plain->now() == (there + Picoseconds(5'000'000'000)) * 2);  // two ways and two halves of a turn
  drive->steps.clear();
  REQUIRE(drive.read(5, 20) == Status::ok);
  CHECK(drive->steps.size() == 4);
  drive->steps.clear();
  REQUIRE(drive.read(21, 3) == Status::ok);  // behind it
  CHECK(drive->steps.size() == 1);
  CHECK(drive.defects("reallocated") == 0);
  drive->cut_now();
  CHECK(drive.wrong_blocks() == 0);
  drive->steps.clear();
  REQUIRE(drive.read(20) == Status::ok);
  CHECK(drive->steps.size() == 1);
  CHECK(drive->steps[0].run == PhysicalRun{{0, 31}, 3, 1});
}

TEST_CASE("factory remaps: a moved sector that cannot be read there is pending, and its next write takes a spare") {
  DefectDrive drive([](MediaConfig& media) {
    moved(media);
    media.unreadable_sectors = {{0, 31, 3}};
  });
  REQUIRE(drive.read(16, 16) == Status::media_error);
  CHECK(drive.defects("pending") == 1);
  drive->cut_now();
  CHECK(drive.defects("pending") == 1);
  REQUIRE(drive.write(16, 16) == Status::ok);
  CHECK(drive.defects("reallocated") == 1);
  CHECK(drive.defects("pending") == 0);
  drive->steps.clear();
  REQUIRE(drive.read(20) == Status::ok);
  REQUIRE(drive->steps.size() == 1);
  CHECK(drive->steps[0].run.track.radius == first_spare_radius);
  drive->cut_now();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("factory remaps: a bad sector in front of a moved one and one behind it keep to themselves") {
  DefectDrive drive([](MediaConfig& media) {
    moved(media);
    media.write_fault_sectors = {{0, 1, 3}, {0, 1, 5}};
  });
  REQUIRE(drive.write(16, 16) == Status::ok);
  CHECK(drive.defects("reallocated") == 2);
  drive->steps.clear();
  REQUIRE(drive.read(16, 16) == Status::ok);
  REQUIRE(drive->steps.size() == 5);
  CHECK(drive->steps[2].run == PhysicalRun{{0, 31}, 3, 1});
  drive->cut_now();
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("factory remaps: of a track that wraps the moved sector is found on either side") {
  for (const double index : {0.0, 15.0}) {
    DefectDrive drive([&](MediaConfig& media) {
      moved(media);
      media.remapped_sectors = {{0, 1, index, 0, 31, 15}};
    });
    REQUIRE(drive.write(30, 4) == Status::ok);
    REQUIRE(drive.write(15, 2) == Status::ok);
    drive->cut_now();
    CHECK(drive.wrong_blocks() == 0);
    CHECK(drive.defects("reallocated") == 0);
  }
}

TEST_CASE("factory remaps: any history keeps its data while other sectors go bad, through power cuts") {
  RandomStream random(1, "factory remaps");
  std::uint32_t relocated = 0;
  for (int i = 0; i < 40; ++i) {
    std::set<std::uint64_t> from;
    DefectDrive drive([&](MediaConfig& media) {
      moved(media);
      media.remapped_sectors.clear();
      while (from.size() < 1 + random.below(12)) from.insert(random.below(31 * 16 - 1));
      double to = 0;
      for (const std::uint64_t sector : from) media.remapped_sectors.push_back({0, double(sector / 16), double(sector % 16), 0, 31, to++});
      for (int bad = 0; bad < 3; ++bad) {
        media.write_fault_sectors.push_back({0, double(random.below(32)), double(random.below(16))});
        media.transient_sectors.push_back({0, double(random.below(32)), double(random.below(16)), 5});
      }
    });
    for (int step = 0; step < 40; ++step) {
      const auto count = 1 + static_cast<std::uint32_t>(random.below(40));
      const std::uint64_t sector = random.below(31 * 16 - count + 1);
      switch (random.below(5)) {
        case 0: drive->cut_now(); break;
        case 1: REQUIRE(drive.read(sector, count) == Status::ok); break;
        default: REQUIRE(drive.write(sector, count) == Status::ok); break;
      }
    }
    drive->cut_now();
    CHECK(drive.wrong_blocks() == 0);
    relocated += static_cast<std::uint32_t>(drive.defects("reallocated"));
  }
  CHECK(relocated > 20);
}
