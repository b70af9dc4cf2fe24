// Selective track caching (Hajkazemi et al., section 2.3). With 32 tracks and two cached ones, radii 0 to 3 are the cache, 4 to 11 data,
// 12 to 20 reserved, 21 to 31 data.
#include "firmware/layers/layer_factories.hpp"

#include "counted_heat.hpp"
#include "firmware/layers/imr_cache/cache_area.hpp"
#include "firmware/layers/imr_cache/cache_plan.hpp"
#include "firmware/layers/imr_cache/imr_cache_swap_plan.hpp"
#include "imr_drive.hpp"

using namespace tessera;
using namespace tessera::cache;
using namespace tessera::test;

namespace {

const Parameters two_slots{{"update_frequency", 100}, {"log_records", 8}, {"cache_tracks", 2}};

ImrDrive cache_drive(const Parameters& more = {}, const BenchConfig& config = small_drive()) {
  return ImrDrive(make_imr_cache_factory(), with(two_slots, more), config);
}

/// Ten tracks and a cache of two.
struct Tracks {
  FakeMedia media{10};
  FakeMemory memory;
  DriveGeometry geometry{.zones = {{.radii = 10, .sectors_per_track = 10}}};
  InterlacedTracks tracks{media, geometry, {{.name = "data", .count = 10, .format = RecordingFormat::interlaced}}};
  CacheMap map{memory, 2};

  void promote(std::uint64_t track, Slot slot) { map.apply(CacheMap::words(CacheMap::Change::promote, track, slot)); }
  [[nodiscard]] std::vector<Swap> plan(const Counts& counts, SwapRule rule = {}) {
    return plan_swaps(CountedHeat(counts).log, map, tracks, rule);
  }
};

}  // namespace

TEST_CASE("the hottest bottoms are promoted while slots are free, then take the places of much colder ones") {
  Tracks t;
  const std::vector<Swap> first = t.plan({{2, 100}, {4, 90}, {6, 80}, {5, 300}});
  REQUIRE(first.size() == 2);
  CHECK(first[0].hot == 2);
  CHECK_FALSE(first[0].victim);
  CHECK(first[1].hot == 4);
  CHECK_FALSE(first[1].victim);

  t.promote(2, 0);
  t.promote(4, 1);
  const std::vector<Swap> second = t.plan({{6, 300}, {2, 100}});
  REQUIRE(second.size() == 1);
  CHECK(second[0].hot == 6);
  CHECK(second[0].victim == 4);
}

TEST_CASE("a track that is hardly hotter than the coldest cached one stays out, unless as the paper prints it") {
  Tracks t;
  t.promote(2, 0);
  t.promote(4, 1);
  const Counts counts{{6, 90}, {4, 40}, {2, 100}};
  CHECK(t.plan(counts).empty());
  CHECK(t.plan(counts, {49, false}).size() == 1);
  const std::vector<Swap> printed = t.plan(counts, {50, true});
  REQUIRE(printed.size() == 1);
  CHECK(printed[0].hot == 6);
  CHECK(printed[0].victim == 4);
}

TEST_CASE("no track is a victim twice") {
  Tracks t;
  t.promote(2, 0);
  t.promote(4, 1);
  const std::vector<Swap> swaps = t.plan({{0, 400}, {6, 300}, {8, 200}});
  REQUIRE(swaps.size() == 2);
  CHECK(swaps[0].victim == 2);
  CHECK(swaps[1].victim == 4);
}

TEST_CASE("slots lie on the bottoms of the cache's regions and never share a sector") {
  FakeMedia media(10);
  media.lengths[{0, 4}] = 7;  // defects
  const DriveGeometry geometry{.surfaces = 2, .zones = {{.radii = 20, .sectors_per_track = 10}}};
  const FormatPlan regions{{.name = "cache_0", .first = 2, .count = 8}, {.name = "cache_1", .first = 13, .count = 4}};
  const CacheArea area(media, geometry, regions, 10, 11);
  CHECK(area.slots() == 11);  // of 3 + 4 and 2 + 2
  std::map<PhysicalSector, int> taken;
  for (Slot slot = 0; slot < area.slots(); ++slot) {
    for (std::uint32_t first = 0; first < 10;) {
      const PhysicalRun piece = area.piece(slot, first, 10 - first);
      const std::uint32_t from = piece.track.radius < 10 ? 2 : 13;
      CHECK((piece.track.radius - from) % 2 == 0);
      CHECK(area.box(slot).overlaps(AngularBox::of(piece, media.sectors_on(piece.track))));
      for (std::uint32_t i = 0; i < piece.count; ++i) CHECK(++taken[{piece.track, piece.first + i}] == 1);
      first += piece.count;
    }
  }
  CHECK(CacheArea(media, geometry, regions, 10, 5).slots() == 5);
}

TEST_CASE("a swap in the cache takes six seeks and ten turns (section 2.3, by its own steps)") {
  ImrDrive drive = cache_drive({{"evict_clean_free", 0}}, constant_seeks());
  drive.interval({{2, 60}, {4, 40}});
  drive.pause();
  CHECK(drive.metric("cache.promote") == 2);
  CHECK(drive.place(2, 5) == PhysicalSector{{0, 2}, 5});  // the nearest slot
  CHECK(drive.place(4, 5) == PhysicalSector{{0, 0}, 5});
  drive.interval({{2, 29}, {16, 70}, {17, 1}});  // logical 16 is the bottom at radius 29
  drive->steps.clear();
  drive.pause();
  CHECK(drive.metric("cache.evict") == 1);
  CHECK(drive.metric("cache.promote") == 3);
  CHECK(drive.move_time() == 148_ms);
  CHECK(drive.sectors_moved() == 6 * track_sectors);
  CHECK(drive.place(4, 5) == PhysicalSector{{0, 8}, 5});
  CHECK(drive.place(16, 5) == PhysicalSector{{0, 0}, 5});
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("a promotion takes two seeks and two turns, and an eviction of what was not written since takes none") {
  ImrDrive drive = cache_drive({}, constant_seeks());
  drive.interval({{4, 99}, {17, 1}});
  drive->steps.clear();
  drive.pause();
  CHECK(drive.move_time() == 36_ms);
  drive.interval({{2, 1}, {6, 99}});  // fills the other slot
  drive.pause();
  drive.interval({{16, 98}, {1, 2}});
  drive->steps.clear();
  drive.pause();
  CHECK(drive.metric("cache.evict") == 1);
  CHECK(drive.move_time() == 36_ms);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("a write of a cached track is one write, and it outlives the eviction") {
  ImrDrive drive = cache_drive();
  drive.interval({{4, 100}});
  drive.pause();
  drive->steps.clear();
  drive.write_often(4, 3);
  CHECK(drive->steps.size() == 3);
  CHECK(drive.metric("cache.hit") == 3);
  drive.interval({{2, 97}});
  drive.pause();
  drive.interval({{6, 100}});
  drive.pause();
  CHECK(drive.metric("cache.evict") == 1);
  CHECK(drive.wrong_blocks() == 0);
  drive->cut_at(drive->now() + 1_ms);
  CHECK(drive.wrong_blocks() == 0);
}

TEST_CASE("a spread cache has its slots in groups all over the disk, and a track goes to the nearest") {
  ImrDrive drive = cache_drive({{"cache_location", 1}, {"cache_groups", 2}});
  std::vector<std::uint64_t> groups;
  for (const Region& region : drive.plan())
    if (region.name.starts_with("cache")) groups.push_back(region.first);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0] < 10);
  CHECK(groups[1] > 20);
  drive.interval({{0, 60}, {16, 40}});
  drive.pause();
  CHECK(drive.place(0, 1) == PhysicalSector{{0, static_cast<std::uint32_t>(groups[0])}, 1});
  CHECK(drive.place(16, 1) == PhysicalSector{{0, static_cast<std::uint32_t>(groups[1])}, 1});
}

TEST_CASE("the map of a track cache takes twelve bytes a slot in the paper's account") {
  ImrDrive drive = cache_drive();
  CHECK(drive.metric("meta.ram_bytes") == 2 * 12 + 3 * 100);
  CHECK(drive.metric("meta.ram_bytes_actual") == 2 * 16 + 4 * 16 + 4 * 100);
}

TEST_CASE("a drive with less room than the cache is refused in one sentence") {
  const auto factory = make_imr_cache_factory();
  const DriveGeometry geometry{.zones = {{.radii = 60, .sectors_per_track = 16}}};
  std::string problem;
  CHECK(factory->plan(geometry, problem).empty());
  CHECK(problem.find("100 cached tracks") != std::string::npos);
}

TEST_CASE("the slots of the cache are shared out among the surfaces") {
  ImrCacheConfig config;
  config.cache_tracks = 6;
  config.place = CachePlace::od;
  std::string problem;
  const DriveGeometry geometry{.surfaces = 4, .zones = {{.radii = 400, .sectors_per_track = 16}}};
  const FormatPlan plan = plan_with_cache(config, geometry, problem);
  REQUIRE(problem.empty());
  CHECK((plan.front().name.starts_with("cache") && plan.front().count == 4));  // two tracks a surface, each with an unused top
}
