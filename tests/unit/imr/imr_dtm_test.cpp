// Dynamic track mapping (Hajkazemi et al., section 2.4). With 32 tracks, 0 to 9 are data, 10 to 20 reserved, 21 to 31 data.
#include "firmware/layers/layer_factories.hpp"

#include <set>

#include "counted_heat.hpp"
#include "firmware/layers/imr_dtm/imr_dtm_swap_plan.hpp"
#include "imr_drive.hpp"

using namespace tessera;
using namespace tessera::dtm;
using namespace tessera::test;

namespace {

const Parameters short_intervals{{"update_frequency", 150}, {"log_records", 8}};

ImrDrive dtm_drive(const Parameters& more = {}, const BenchConfig& config = small_drive()) {
  return ImrDrive(make_imr_dtm_factory(), with(short_intervals, more), config);
}

PhysicalRun run(std::uint32_t track, std::uint32_t sector, std::uint32_t count) { return {{0, track}, sector, count}; }

FakeMedia shorter_tops(std::uint32_t bottoms, std::uint32_t tops) {
  FakeMedia media(bottoms);
  media.odd_sectors = tops;
  return media;
}

FormatPlan interlaced(std::uint64_t radii) { return {{.name = "data", .count = radii, .format = RecordingFormat::interlaced}}; }

}  // namespace

TEST_CASE("pseudo-tracks are pieces of the bottoms one behind the other, and of the tops") {
  const FakeMedia media = shorter_tops(1000, 900);
  const DriveGeometry geometry{.zones = {{.radii = 8, .sectors_per_track = 1000}}};
  const PseudoTracks tracks(media, geometry, interlaced(8), 256);
  REQUIRE(tracks.zones() == 1);
  CHECK(tracks.zone(0).length == 900);
  CHECK(tracks.zone(0).bottoms == 4);  // and 400 sectors that never move
  CHECK(tracks.zone(0).tops == 4);
  CHECK(tracks.piece(0, 1, 0, 900) == run(0, 900, 100));
  CHECK(tracks.piece(0, 1, 100, 800) == run(2, 0, 800));
  CHECK(tracks.piece(0, 5, 0, 900) == run(3, 0, 900));
  CHECK(tracks.home_of({{0, 2}, 799}).pseudo == 1U);
  CHECK(tracks.home_of({{0, 2}, 799}).rest == 1);
  CHECK(tracks.home_of({{0, 2}, 800}).pseudo == 2U);
  CHECK(tracks.home_of({{0, 6}, 599}).pseudo == 3U);
  CHECK_FALSE(tracks.home_of({{0, 6}, 600}).pseudo);
  CHECK(tracks.home_of({{0, 7}, 899}).pseudo == 7U);
}

TEST_CASE("a piece ends with its pseudo-track, and pseudo-tracks are as long as the shorter kind of track") {
  const DriveGeometry geometry{.zones = {{.radii = 8, .sectors_per_track = 1000}}};
  const FakeMedia media = shorter_tops(1000, 900);
  const PseudoTracks tracks(media, geometry, interlaced(8), 256);
  CHECK(tracks.piece(0, 0, 100, 1000) == run(0, 100, 800));
  const FakeMedia longer_tops = shorter_tops(900, 1000);
  CHECK(PseudoTracks(longer_tops, geometry, interlaced(8), 256).zone(0).length == 900);
}

TEST_CASE("a swap exchanges two places of a permutation, twice is none") {
  FakeMemory memory;
  const FakeMedia media = shorter_tops(1000, 900);
  const DriveGeometry geometry{.zones = {{.radii = 8, .sectors_per_track = 1000}}};
  const PseudoTracks tracks(media, geometry, interlaced(8), 256);
  Permutation map(memory, tracks);
  const MoveWords swap = Permutation::words({0, 0, 5, 0});
  map.apply(swap);
  CHECK(map.place_of(0, 0) == 5);
  CHECK(map.place_of(0, 5) == 0);
  CHECK(map.place_of(0, 1) == 1);
  map.apply(swap);
  for (std::uint32_t i = 0; i < 8; ++i) CHECK(map.place_of(0, i) == i);
}

TEST_CASE("whatever the shape of a drive, each sector has one home, and a place for each of a zone's at most 256 pseudo-tracks") {
  for (const auto& [bottom, top] : {std::pair(20U, 18U), std::pair(20U, 20U), std::pair(20U, 7U), std::pair(13U, 19U)}) {
    for (const std::uint32_t zone_tracks : {4U, 9U, 32U, 256U}) {
      FakeMedia media = shorter_tops(bottom, top);
      media.lengths[{0, 3}] = top - 2;  // slipped defects
      media.lengths[{1, 4}] = bottom - 5;
      const DriveGeometry geometry{
          .surfaces = 2, .zones = {{.radii = 40, .sectors_per_track = 20}, {.first_radius = 40, .radii = 31, .sectors_per_track = 20}}};
      const PseudoTracks tracks(media, geometry, interlaced(71), zone_tracks);
      for (std::uint32_t zone = 0; zone < tracks.zones(); ++zone) CHECK(tracks.zone(zone).count() <= zone_tracks);
      std::map<std::uint64_t, std::uint32_t> filled;
      for (std::uint32_t radius = 0; radius < 71; ++radius)
        for (std::uint32_t surface = 0; surface < 2; ++surface)
          for (std::uint32_t sector = 0; sector < media.sectors_on({surface, radius}); ++sector) {
            const PseudoTracks::Home home = tracks.home_of({{surface, radius}, sector});
            if (!home.pseudo) continue;
            const PhysicalRun back = tracks.piece(home.zone, *home.pseudo, home.offset, 1);
            REQUIRE(back == PhysicalRun{{surface, radius}, sector, 1});
            CHECK((*home.pseudo < tracks.zone(home.zone).bottoms) == (radius % 2 == 0));
            ++filled[tracks.zone(home.zone).base + *home.pseudo];
          }
      CHECK(filled.size() == tracks.count());
      for (const auto& [pseudo, sectors] : filled) CHECK(sectors == tracks.zone(tracks.zone_of(pseudo)).length);
    }
  }
}

namespace {

struct Zones {
  FakeMemory memory;
  FakeCpu cpu;
  FakeMedia media{10};
  DriveGeometry geometry{.zones = {{.radii = 16, .sectors_per_track = 10}}};
  PseudoTracks tracks{media, geometry, interlaced(16), 8};  // two zones of four bottoms and four tops
  Permutation map{memory, tracks};

  [[nodiscard]] std::vector<Permutation::Swap> plan(const Counts& counts, SwapLimits limits = {}) {
    return plan_swaps(CountedHeat(counts).log, map, tracks, limits, cpu);
  }
};

}  // namespace

TEST_CASE("the hottest bottoms of a zone are paired with its coldest tops while they are much hotter") {
  Zones z;
  const auto swaps = z.plan({{1, 300}, {2, 200}, {4, 100}, {5, 160}, {6, 30}, {7, 155}, {0, 40}});
  REQUIRE(swaps.size() == 2);
  CHECK(swaps[0].hot == 1);
  CHECK(swaps[0].cold == 6);
  CHECK(swaps[1].hot == 2);
  CHECK(swaps[1].cold == 4);
  CHECK(z.plan({{1, 50}}).empty());
  CHECK(z.plan({{1, 51}}).size() == 1);
  CHECK(z.plan({{5, 500}}).empty());
}

TEST_CASE("what was swapped to the tops before is a candidate to go down, and zones keep to themselves") {
  Zones z;
  z.map.apply(Permutation::words({0, 1, 6, 0}));
  const auto swaps = z.plan({{6, 100}, {4, 1}, {5, 1}, {7, 1}, {9, 90}});
  REQUIRE(swaps.size() == 2);
  CHECK(swaps[0].zone == 0);
  CHECK(swaps[0].hot == 6);
  CHECK(swaps[0].cold == 1);
  CHECK(swaps[1].zone == 1);
  CHECK(swaps[1].hot == 1);
  CHECK(swaps[1].cold == 4);
  CHECK(z.plan({{0, 100}, {9, 90}, {10, 80}}, {50, 2}).size() == 2);
}

TEST_CASE("a swap of pseudo-tracks that are tracks takes five seeks and thirteen turns (section 2.4)") {
  ImrDrive drive = dtm_drive({{"paper", 1}}, constant_seeks());
  drive.interval({{6, 149}, {19, 1}});
  drive->steps.clear();
  drive.pause();
  CHECK(drive.metric("swap.count") == 1);
  CHECK(drive.move_time() == 170_ms);
  CHECK(drive.sectors_moved() == 7 * track_sectors);
  CHECK(drive.place(6, 5) == PhysicalSector{{0, 1}, 5});
  CHECK(drive.place(1, 5) == PhysicalSector{{0, 6}, 5});
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("a hot track that was swapped to a top is written directly") {
  ImrDrive drive = dtm_drive();
  drive.interval({{2, 150}});
  drive.pause();
  drive->steps.clear();
  drive.write_often(2, 5);
  CHECK(drive->steps.size() == 5);
  CHECK(drive.wrong_blocks() == 0);
  drive->cut_at(drive->now() + 1_ms);
  drive->steps.clear();
  drive.write_often(2, 5);
  CHECK(drive->steps.size() == 5);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("a swap of straddling pseudo-tracks writes all the bottoms and tops that it touches") {
  ImrDrive drive = dtm_drive({{"top_ratio", 0.75}});
  const std::uint64_t hot = 16 + 12 + 3;  // of pseudo-bottom 1: the second bottom's first sectors
  for (int i = 0; i < 150; ++i) REQUIRE(drive->write(hot * 8, 8) == Status::ok);
  drive->steps.clear();
  drive.pause();
  CHECK(drive.metric("swap.count") == 1);
  std::set<std::uint32_t> written;
  for (const auto& step : drive->steps)
    if (step.op == MediaOp::write && step.run.track.radius < 10) written.insert(step.run.track.radius);
  CHECK(written == std::set<std::uint32_t>{0, 1, 2, 3});
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("a top that was empty before a swap is saved from then on") {
  TestDrive drive(make_imr_dtm_factory(), with(short_intervals, {{"backup_slots", 1}}));
  for (int i = 0; i < 150; ++i) REQUIRE(drive->write(4 * 16 * 8, 16 * 8) == Status::ok);
  drive->run_for(2_s);
  CHECK(drive.metric("swap.count") == 1);  // with the first top
  REQUIRE(drive->write(2 * 16 * 8, 16 * 8) == Status::ok);
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("the map of pseudo-tracks takes a byte for each") {
  ImrDrive drive = dtm_drive();
  CHECK(drive.metric("meta.ram_bytes") == 20 + 3 * 150);
  CHECK(drive.metric("meta.ram_bytes_actual") == 20 + 4 * 150);
}

TEST_CASE("imr-dtm: a swap saves no top beside the hot bottom that holds no data") {
  TestDrive drive(make_imr_dtm_factory(), with({{"backup_slots", 1}}, short_intervals));
  const auto write = [&drive](std::uint64_t track) {
    REQUIRE(drive->write(track * test::track_sectors * blocks_per_sector, blocks_per_sector) == Status::ok);
  };
  for (int i = 0; i < 150; ++i) write(2);
  drive->run_for(20_s);
  CHECK(drive->sectors_in("moves", MediaOp::write) == 16);
  CHECK(drive.metric("swap.count") == 1);
}
