// Track flipping (Hajkazemi et al., section 2.2). With 32 tracks, 0 to 9 are data, 10 to 19 reserved, 20 to 31 data.
#include "firmware/layers/layer_factories.hpp"

#include "counted_heat.hpp"
#include "firmware/layers/imr_flip/flip_map.hpp"
#include "firmware/layers/imr_flip/flip_plan.hpp"
#include "imr_drive.hpp"

using namespace tessera;
using namespace tessera::flip;
using namespace tessera::test;

namespace {

constexpr std::uint64_t far = 19;  // logical track, at radius 29
const Parameters short_intervals{{"update_frequency", 150}, {"log_records", 8}};

ImrDrive flip_drive(const Parameters& more = {}, const BenchConfig& config = small_drive()) {
  return ImrDrive(make_imr_flip_factory(), with(short_intervals, more), config);
}

/// Ten tracks, bottoms of ten sectors and tops of nine, and the map of their flips.
struct Tracks {
  Tracks() { media.odd_sectors = 9; }

  FakeMedia media{10};
  FakeMemory memory;
  DriveGeometry geometry{.zones = {{.radii = 10, .sectors_per_track = 10}}};
  InterlacedTracks tracks{media, geometry, {{.name = "data", .count = 10, .format = RecordingFormat::interlaced}}};
  FlipMap map{memory, tracks};

  void set(std::uint32_t bottom, Flip flip) { map.apply(map.words({0, bottom}, flip, false)); }
  [[nodiscard]] PhysicalRun place(std::uint32_t track, std::uint32_t sector, std::uint32_t count = 1) const {
    return map.place_of({{0, track}, sector, count});
  }
};

PhysicalRun run(std::uint32_t track, std::uint32_t sector, std::uint32_t count = 1) { return {{0, track}, sector, count}; }

}  // namespace

TEST_CASE("a low flip exchanges the first sectors of a bottom with the whole top, a high flip the last") {
  Tracks t;
  for (const auto& [flip, top] : {std::pair(Flip::low_front, 3U), std::pair(Flip::low_behind, 5U)}) {
    t.set(4, flip);
    CHECK(t.place(4, 0) == run(top, 0));
    CHECK(t.place(4, 8) == run(top, 8));
    CHECK(t.place(4, 9) == run(4, 9));
    CHECK(t.place(top, 3) == run(4, 3));
  }
  for (const auto& [flip, top] : {std::pair(Flip::high_front, 3U), std::pair(Flip::high_behind, 5U)}) {
    t.set(4, flip);
    CHECK(t.place(4, 0) == run(4, 0));
    CHECK(t.place(4, 1) == run(top, 0));
    CHECK(t.place(4, 9) == run(top, 8));
    CHECK(t.place(top, 3) == run(4, 4));
  }
  CHECK(t.place(3, 0) == run(3, 0));  // of T-1 nothing has moved
}

TEST_CASE("a run that reaches over the end of what was flipped is split there") {
  Tracks t;
  t.set(4, Flip::low_behind);
  CHECK(t.place(4, 7, 3) == run(5, 7, 2));
  CHECK(t.place(4, 9, 1) == run(4, 9, 1));
  t.set(4, Flip::high_behind);
  CHECK(t.place(4, 0, 4) == run(4, 0, 1));
  CHECK(t.place(5, 2, 7) == run(4, 3, 7));
}

TEST_CASE("in every state each sector has one place of its own") {
  for (std::uint32_t a = 0; a <= 4; ++a) {
    for (std::uint32_t b = 0; b <= 4; ++b) {
      Tracks t;
      if (a >= 3 && (b == 1 || b == 2)) continue;  // both with track 5
      t.set(4, static_cast<Flip>(a));
      t.set(6, static_cast<Flip>(b));
      std::map<PhysicalSector, int> taken;
      for (std::uint32_t track = 0; track < 10; ++track)
        for (std::uint32_t sector = 0; sector < t.media.sectors_on({0, track}); ++sector) {
          const PhysicalRun place = t.place(track, sector);
          CHECK(++taken[{place.track, place.first}] == 1);
          CHECK(place.first < t.media.sectors_on(place.track));
        }
    }
  }
}

TEST_CASE("tracks of odd lengths exchange what fits both") {
  CHECK(Splice::of(Flip::low_front, 10, 9).count == 9);
  CHECK(Splice::of(Flip::high_front, 8, 9).count == 8);
  CHECK(Splice::of(Flip::high_front, 8, 9).bottom_first == 0);
  CHECK(Splice::of(Flip::high_front, 8, 9).top_first == 1);
}

namespace {

std::vector<FlipMove> plan_of(const Tracks& t, const Counts& counts, FlipLimits limits = {}) {
  return plan_flips(CountedHeat(counts).log, t.map, t.tracks, limits);
}

}  // namespace

TEST_CASE("a hot bottom is flipped with the colder of its tops, if it is much colder") {
  const Tracks t;
  const std::vector<FlipMove> moves = plan_of(t, {{4, 80}, {3, 10}, {5, 60}});
  REQUIRE(moves.size() == 1);
  CHECK(moves[0].bottom == PhysicalTrack{0, 4});
  CHECK(moves[0].top == PhysicalTrack{0, 3});
  CHECK(moves[0].flip == Flip::low_front);
  CHECK(plan_of(t, {{4, 80}, {3, 40}, {5, 60}}).empty());
  CHECK(plan_of(t, {{4, 51}}).size() == 1);
  CHECK(plan_of(t, {{4, 50}}).empty());
  CHECK(plan_of(t, {{5, 200}}).empty());  // a top is where it should be
}

TEST_CASE("a flip is undone when the track that it brought to the bottom is the hot one") {
  Tracks t;
  t.set(4, Flip::low_front);
  const std::vector<FlipMove> moves = plan_of(t, {{3, 90}, {4, 5}});
  REQUIRE(moves.size() == 1);
  CHECK(moves[0].bottom == PhysicalTrack{0, 4});
  CHECK(moves[0].flip == Flip::home);
  CHECK(plan_of(t, {{3, 90}, {4, 60}}).empty());
}

TEST_CASE("a track is flipped with one other at most") {
  Tracks t;
  const std::vector<FlipMove> moves = plan_of(t, {{4, 90}, {2, 80}, {5, 70}, {1, 70}});
  REQUIRE(moves.size() == 1);  // 3 goes to 4; 1 is too warm for 2
  CHECK(moves[0].top == PhysicalTrack{0, 3});
  t.set(4, Flip::high_front);
  CHECK(plan_of(t, {{2, 80}, {1, 70}}).empty());  // 3 is flipped with 4
  CHECK(plan_of(t, {{2, 80}}).size() == 1);
}

TEST_CASE("no more flips are planned than an interval may have, the hottest first") {
  const Tracks t;
  const std::vector<FlipMove> moves = plan_of(t, {{0, 60}, {4, 80}, {8, 70}}, {50, 2});
  REQUIRE(moves.size() == 2);
  CHECK(moves[0].bottom == PhysicalTrack{0, 4});
  CHECK(moves[1].bottom == PhysicalTrack{0, 8});
}

TEST_CASE("a flip of full tracks takes three seeks and nine turns, eight with the paper's two backups (section 2.2)") {
  for (const auto& [switches, time, sectors] : {std::tuple(Parameters{}, 114_ms, 6), std::tuple(Parameters{{"paper", 1}}, 104_ms, 5),
                                                std::tuple(Parameters{{"crash_safe", 0}}, 104_ms, 5)}) {
    ImrDrive drive = flip_drive(switches, constant_seeks());
    drive.interval({{4, 80}, {3, 10}, {5, 59}});
    REQUIRE(drive.write_sector(far) == Status::ok);
    drive->steps.clear();
    drive.pause();
    CHECK(drive.metric("flip.count") == 1);
    CHECK(drive.move_time() == time);
    CHECK(drive.sectors_moved() == static_cast<std::uint64_t>(sectors) * track_sectors);
    CHECK(drive.place(4, 7) == PhysicalSector{{0, 3}, 7});
    CHECK(drive.place(3, 7) == PhysicalSector{{0, 4}, 7});
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("a flipped hot track is written directly, and flips back when its partner becomes hot") {
  ImrDrive drive = flip_drive();
  drive.interval({{4, 150}});
  drive.pause();
  CHECK(drive.metric("flip.count") == 1);
  drive->steps.clear();
  drive.write_often(4, 10);
  CHECK(drive->steps.size() == 10);
  drive.interval({{3, 140}});
  drive.pause();
  CHECK(drive.metric("unflip.count") == 1);
  CHECK(drive.place(4, 7) == PhysicalSector{{0, 4}, 7});
  CHECK(drive.metric("intervals.count") == 2);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("with shorter tops the colder end of a bottom stays where it is") {
  for (const std::uint64_t hot_sector : {0U, 15U}) {
    ImrDrive drive = flip_drive({{"top_ratio", 0.75}});
    const std::uint64_t fourth = 2 * (16 + 12) + hot_sector;  // bottoms of 16 and tops of 12 sectors
    for (int i = 0; i < 150; ++i) REQUIRE(drive->write(fourth * 8, 8) == Status::ok);
    drive.pause();
    REQUIRE(drive.metric("flip.count") == 1);
    drive->steps.clear();
    REQUIRE(drive->write(fourth * 8, 8) == Status::ok);
    CHECK(drive->steps.size() == 1);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("with shorter tops a write counts for an end of a bottom where it touches what would stay of it, and not beside that") {
  // Of 16 sectors of a bottom four stay: the first or the last. Sectors 4 and 11 lie beside them.
  for (const auto& [end, beside] : {std::pair<std::uint64_t, std::uint64_t>{12, 4}, {15, 4}, {3, 11}, {0, 11}}) {
    ImrDrive drive = flip_drive({{"top_ratio", 0.75}});
    const std::uint64_t fourth = 2 * (16 + 12);
    for (int i = 0; i < 150; ++i) REQUIRE(drive->write((fourth + (i < 20 ? end : beside)) * 8, 8) == Status::ok);
    drive.pause();
    REQUIRE(drive.metric("flip.count") == 1);
    drive->steps.clear();
    REQUIRE(drive->write((fourth + end) * 8, 8) == Status::ok);
    CHECK(drive->steps.size() == 1);  // it is on the top
  }
}

TEST_CASE("a bottom with slipped defects is flipped with a longer top, of which the rest stays where it is") {
  BenchConfig config = small_drive();
  config.media.slipped_defects = {{0, 4, 3}};
  for (const std::uint64_t hot_sector : {0U, 12U}) {
    ImrDrive drive = flip_drive({}, config);
    for (std::uint64_t sector = 0; sector < 112; sector += 16) REQUIRE(drive->write(sector * 8, 16 * 8) == Status::ok);
    for (int i = 0; i < 150; ++i) REQUIRE(drive.write_sector(4, hot_sector) == Status::ok);
    drive.pause();
    CHECK(drive.metric("flip.count") == 1);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("a flip writes all parts of a top in a zone of longer tracks, although a sector of one cannot be written") {
  for (const double bad : {0, 7, 11}) {
    INFO("sector " << bad);
    BenchConfig config = small_drive();
    config.media.spare_tracks = 0;
    config.media.tracks = config.media.sectors_per_track = 0;
    config.media.zones = {{3, 16, 0, 0, 0, 0}, {4, 12, 0, 0, 0, 0}, {31, 16, 0, 0, 0, 0}};
    config.media.write_fault_sectors = {{0, 3, bad}};
    ImrDrive drive = flip_drive({}, config);
    for (std::uint64_t sector = 0; sector < 112; sector += 4) static_cast<void>(drive->write(sector * 8, 4 * 8));
    for (int i = 0; i < 150; ++i) static_cast<void>(drive->write((4 * 16 + 2) * 8, 8));  // of radius 4
    drive.pause();
    CHECK(drive.metric("flip.count") == 1);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("a top that was empty before a flip is saved from then on") {
  TestDrive drive(make_imr_flip_factory(), with(short_intervals, {{"backup_slots", 1}}));
  for (int i = 0; i < 150; ++i) REQUIRE(drive->write(4 * 16 * 8, 16 * 8) == Status::ok);
  drive->run_for(2_s);
  CHECK(drive.metric("flip.count") == 1);  // with track 3
  REQUIRE(drive->write(2 * 16 * 8, 16 * 8) == Status::ok);
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("a map of flips takes three bits a bottom, and the log of writes three bytes a write in the paper's account") {
  ImrDrive drive = flip_drive();
  CHECK(drive.metric("meta.ram_bytes") == 5 + 3 * 150);  // 33 bits
  CHECK(drive.metric("meta.ram_bytes_actual") == 8 + 4 * 150);
  CHECK(drive.metric("dram.reserved.metadata") >= 8 + 4 * 150 + 4);
}

TEST_CASE("flips wait for the host, but not longer than five seconds") {
  ImrDrive drive = flip_drive();
  drive.interval({{4, 150}});
  const Picoseconds planned = drive->now();
  while (drive.metric("flip.count") == 0 && drive->now() < planned + 10_s) REQUIRE(drive->read(0, 8) == Status::ok);  // no pause at all
  CHECK(drive->now() - planned > 5_s);
  CHECK(drive->now() - planned < 6_s);
}

TEST_CASE("a request that needs a track of a suspended flip makes the flip finish first") {
  for (const std::uint64_t turn : {1U, 2U, 4U, 7U}) {
    ImrDrive drive = flip_drive();
    drive.interval({{4, 150}});
    drive->run_for(11_ms + 10_ms * turn);                                  // in the middle of the flip
    for (int i = 0; i < 5; ++i) REQUIRE(drive->read(0, 8) == Status::ok);  // keeps it suspended
    CHECK(drive.metric("flip.count") == 0);
    const Picoseconds asked = drive->now();
    REQUIRE(drive.write_sector(4) == Status::ok);
    CHECK(drive.metric("flip.count") == 1);
    CHECK(drive->now() - asked < 300_ms);
    CHECK(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("a read of a track of a suspended flip makes the flip finish first too") {
  ImrDrive drive = flip_drive();
  drive.interval({{4, 150}});
  drive->run_for(31_ms);
  for (int i = 0; i < 5; ++i) REQUIRE(drive->read(0, 8) == Status::ok);  // keeps it suspended
  CHECK(drive.metric("flip.count") == 0);
  const Picoseconds asked = drive->now();
  REQUIRE(drive->read(4 * track_sectors * blocks_per_sector, 8) == Status::ok);
  CHECK(drive.metric("flip.count") == 1);
  CHECK(drive->now() - asked < 300_ms);
}

TEST_CASE("flips wait until the write cache has destaged what it can") {
  FirmwareConfig firmware;
  firmware.write_cache.capacity = Bytes(128 * 4096);
  ImrDrive drive(make_imr_flip_factory(), short_intervals, small_drive(), firmware);
  while (drive.metric("intervals.count") == 0) {  // the layer sees destages only
    REQUIRE(drive.write_sector(4) == Status::ok);
    REQUIRE(drive->flush() == Status::ok);
  }
  for (std::uint64_t track = 0; track < 20; track += 2) REQUIRE(drive.write_sector(track) == Status::ok);
  drive->steps.clear();
  const auto move_has_begun = [&drive] {
    return std::ranges::any_of(drive->steps, [](const auto& step) { return step.op == MediaOp::read && step.run.count == 16; });
  };
  while (!move_has_begun()) drive->run_for(1_ms);
  const double destaged = drive.metric("cache.destaged");
  drive.pause();
  CHECK(drive.metric("cache.destaged") == destaged);
  CHECK(drive.metric("flip.count") == 1);
}

TEST_CASE("a drive without room for its reserved tracks is refused in one sentence") {
  const auto factory = make_imr_flip_factory();
  DriveGeometry geometry{.zones = {{.radii = 8, .sectors_per_track = 16}}};
  std::string problem;
  CHECK(factory->plan(geometry, problem).empty());
  CHECK(problem.find("too few tracks") != std::string::npos);
}

TEST_CASE("heat of the host counts each write as it arrives, heat of the media what the write cache lets through") {
  const bool host = GENERATE(true, false);
  FirmwareConfig firmware;
  firmware.write_cache.capacity = Bytes(128 * 4096);
  ImrDrive drive(make_imr_flip_factory(), with(short_intervals, {{"heat", host ? 1 : 0}}), small_drive(), firmware);
  // 149 of the 150 writes of an interval, 140 of them one sector at one time: the cache makes one write of most of these.
  for (int i = 0; i < 140; ++i) drive.bench().submit(HostOp::write, far * track_sectors * blocks_per_sector, 8);
  drive.bench().run_until_all_done();
  for (std::uint64_t sector = 1; sector < 10; ++sector) REQUIRE(drive.write_sector(0, sector) == Status::ok);
  drive.pause();
  CHECK(drive.metric("intervals.count") == 0);
  REQUIRE(drive.write_sector(0, 0) == Status::ok);  // the 150th
  drive.pause();
  CHECK(drive.metric("intervals.count") == (host ? 1 : 0));
  CHECK(drive.metric("heat.arrived") == 150);
  CHECK(drive.metric("heat.reached") >= 2);  // of two tracks
  CHECK(drive.metric("heat.reached") < 20);
  CHECK(drive.metric("heat.lost_in_cache") == Approx(1 - drive.metric("heat.reached") / 150));
}

TEST_CASE("without a write cache no heat is lost, and a write of two tracks is one of each") {
  ImrDrive drive(make_imr_flip_factory(), short_intervals, small_drive());
  REQUIRE(drive.write_sector(0, 0) == Status::ok);
  CHECK(drive.metric("heat.arrived") == 1);
  drive.bench().submit(HostOp::write, (track_sectors - 1) * blocks_per_sector, 2 * blocks_per_sector);
  drive.bench().run_until_all_done();
  CHECK(drive.metric("heat.arrived") == 3);
  CHECK(drive.metric("heat.reached") == 3);
  CHECK(drive.metric("heat.lost_in_cache") == 0);
}

TEST_CASE("a log of moves of which a copy cannot be read is written anew at the boot that finds it") {
  ImrDrive drive = flip_drive();
  const auto written = drive->steps_in("log");
  REQUIRE_FALSE(written.empty());
  drive->media().add_unreadable({written.back().run.track, written.back().run.first});  // of the two superblocks one
  drive->steps.clear();
  drive->cut_now();
  CHECK(drive->sectors_in("log", MediaOp::write) > 0);
}
