// Virtual Guard (Shafaei and Desnoyers 2017): what is moved when, and what a cut leaves.
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/vguard/vguard_layer.hpp"
#include "vguard_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;
using Catch::Contains;

namespace {

std::string refusal(std::uint32_t radii, double cache) {
  const std::unique_ptr<LayerFactory> factory = make_vguard_factory();
  Setter setter({{"cache_tracks", cache}});
  factory->describe(setter);
  DriveGeometry geometry;
  geometry.zones = {{0, radii, 100, 0}};
  std::string problem;
  CHECK(factory->plan(geometry, problem).empty());
  return problem;
}

}  // namespace

TEST_CASE("vguard: a band that is written for the first time in order needs no guard") {
  VguardDrive drive;
  drive.fill(15);
  CHECK(drive.metric("guard.count") == 0);
  CHECK(drive.sectors_written() == 15 * track_sectors);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("vguard: the track behind an update moves to the cache, once, and the update goes in place") {
  VguardDrive drive;
  drive.fill(5);
  drive->steps.clear();
  REQUIRE(drive.write_sectors(1, 3, 2) == Status::ok);
  const auto& steps = drive->steps;
  REQUIRE(steps.size() == 5);
  CHECK((steps[0].op == MediaOp::read && steps[0].run == PhysicalRun{{0, cache_tracks + 2}, 0, track_sectors}));
  CHECK((steps[1].op == MediaOp::write && steps[1].run == PhysicalRun{{0, 0}, 0, track_sectors}));
  CHECK((steps[2].op == MediaOp::write && steps[2].run == PhysicalRun{{0, 1}, 0, 1}));  // the record, twice
  CHECK((steps[3].op == MediaOp::write && steps[3].run == PhysicalRun{{0, 1}, 1, 1}));
  CHECK((steps[4].op == MediaOp::write && steps[4].run == PhysicalRun{{0, cache_tracks + 1}, 3, 2}));
  CHECK(drive.metric("guard.count") == 1);

  drive->steps.clear();
  REQUIRE(drive.write_sectors(1, 7, 2) == Status::ok);
  CHECK(drive->steps.size() == 1);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("vguard: a cached track is written and read in the cache, and what lies behind its old place is safe") {
  VguardDrive drive;
  drive.fill(5);
  REQUIRE(drive.write_sectors(1, 3, 2) == Status::ok);
  drive->steps.clear();
  REQUIRE(drive.write_sectors(2, 4, 5) == Status::ok);
  REQUIRE(drive->read(VguardDrive::block(2, 4), 8) == Status::ok);
  REQUIRE(drive->steps.size() == 2);
  CHECK((drive->steps[0].run == PhysicalRun{{0, 0}, 4, 5}));
  CHECK((drive->steps[1].run == PhysicalRun{{0, 0}, 4, 1}));
  CHECK(drive.metric("hit.write.cache") == 5);
  CHECK(drive.metric("hit.read.cache") == 1);
  CHECK(drive.metric("guard.count") == 1);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("vguard: the last track of a band and a track before an unwritten one need no guard") {
  VguardDrive drive;
  drive.fill(3);
  REQUIRE(drive.write_sectors(2, 0, 1) == Status::ok);
  drive.fill(10);
  const double before = drive.metric("guard.count");
  REQUIRE(drive.write_sectors(9, 0, 1) == Status::ok);
  CHECK(drive.metric("guard.count") == before);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("vguard: a full cache puts the tracks of the band that was cached first back, guarding each step") {
  VguardDrive drive(3, cache_tracks);  // two slots, one of them kept for cleaning
  drive.fill(15);
  REQUIRE(drive.write_sectors(0, 0, 1) == Status::ok);
  CHECK(drive.metric("guard.count") == 1);
  CHECK(drive.metric("cleaning.count") == 0);
  REQUIRE(drive.write_sectors(6, 0, 1) == Status::ok);
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("guard.put_back") == 4);       // tracks 1 to 4
  CHECK(drive.metric("guard.count") == 1 + 3 + 1);  // 1; 2, 3 and 4 on the way; then 7
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("vguard: the bytes of its tables are those reserved") {
  VguardDrive drive(3, cache_tracks);
  // A word of bits for 15 tracks; two slots: a hash table of 4 cells of 16 bytes, 2 track numbers and a mark, links of 2 slots and 2 lists.
  CHECK(drive.metric("meta.ram_bytes_actual") == 8 + 4 * 16 + 3 * 16 + 4 * 8);
}

TEST_CASE("vguard: which drives it refuses") {
  CHECK_THAT(refusal(1000, 2), Contains("cache of 2 tracks is too small") && Contains("take 3"));
  CHECK_THAT(refusal(20, 0), Contains("20 tracks a surface") && Contains("band of 20"));
}

TEST_CASE("vguard: a cut at any instant of an update, with its guard, loses nothing that was acknowledged") {
  for (const PowerfailSector sector : {PowerfailSector::atomic_old, PowerfailSector::atomic_new, PowerfailSector::corrupt}) {
    for (std::uint64_t actions = 0;; ++actions) {
      BenchConfig config = vguard_drive(2, 4);
      config.media.powerfail_sector = sector;
      VguardDrive drive(config, 4);
      drive.fill(5);
      REQUIRE(drive.write_sectors(2, 0, 3) == Status::ok);  // track 3 is cached
      REQUIRE(drive.write_sectors(3, 12, 4) == Status::ok);
      drive->submit(HostOp::write, VguardDrive::block(0, 4), 6 * blocks_per_sector);
      const bool cut = drive->cut_after_actions(actions);
      CHECK(drive.wrong_blocks() == 0);
      REQUIRE(drive.write_sectors(3, 2, 3) == Status::ok);
      CHECK(drive.wrong_blocks() == 0);
      if (!cut) break;
    }
  }
}

TEST_CASE("vguard: a cut at any instant of a cleaning loses nothing, and the next cleaning goes on") {
  for (const PowerfailSector sector : {PowerfailSector::atomic_old, PowerfailSector::atomic_new, PowerfailSector::corrupt}) {
    for (std::uint64_t actions = 0;; ++actions) {
      BenchConfig config = vguard_drive(3);
      config.media.powerfail_sector = sector;
      VguardDrive drive(config, cache_tracks);
      drive.fill(15);
      REQUIRE(drive.write_sectors(0, 0, 1) == Status::ok);
      REQUIRE(drive.write_sectors(1, 5, 6) == Status::ok);
      drive->submit(HostOp::write, VguardDrive::block(6, 4), 6 * blocks_per_sector);
      const bool cut = drive->cut_after_actions(actions);
      CHECK(drive.wrong_blocks() == 0);
      REQUIRE(drive.write_sectors(11, 0, 1) == Status::ok);
      REQUIRE(drive.write_sectors(1, 0, 2) == Status::ok);
      CHECK(drive.wrong_blocks() == 0);
      if (!cut) break;
    }
  }
}

TEST_CASE("vguard: after a cut the cached tracks are found, and the cut may hit the boot") {
  for (const Picoseconds boot_cut : {1_ms, 20_ms, 200_ms}) {
    VguardDrive drive(3, 6);
    drive.fill(15);
    for (const std::uint64_t track : {0, 3, 7}) REQUIRE(drive.write_sectors(track, 2, 2) == Status::ok);
    REQUIRE(drive.write_sectors(4, 1, 3) == Status::ok);  // in the cache
    drive->cut_at(drive->now() + 1_ms);
    drive->cut_at(drive->now() + boot_cut);
    drive->steps.clear();
    REQUIRE(drive.write_sectors(3, 2, 2) == Status::ok);  // its guard still stands
    CHECK(drive->steps.size() == 1);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("vguard: the mapping memory that it reports as taken is what its tables take of the DRAM") {
  VguardDrive drive(4, 7);
  TestDrive caches(make_cmr_factory(), {});  // what stands in front of a layer by default
  CHECK(drive.metric("meta.ram_bytes_actual") == drive->metric("metadata.bytes") - caches->metric("metadata.bytes"));
}

TEST_CASE("vguard: the last prefilled track holds data that has to be guarded, the one behind it does not") {
  for (const std::uint64_t track : {1, 2}) {
    VguardDrive drive(3, cache_tracks, 3);
    REQUIRE(drive.write_sectors(track, 0, 1) == Status::ok);
    CHECK(drive.metric("guard.count") == (track == 1 ? 1 : 0));
  }
}

TEST_CASE("without a size the cache of vguard is one percent of the tracks, and three at the least") {
  DriveGeometry geometry;
  geometry.zones = {{0, 20'000, 16, 0}};
  CHECK(VguardConfig{}.cache_radii(geometry) == 200);
  geometry.zones = {{0, 399, 16, 0}};
  CHECK(VguardConfig{}.cache_radii(geometry) == 3);
}
