// Spares of tracks, ranges of cylinders and zones, and what stands in for the sectors that were bad when the drive was made.
#include "media/sparing.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

#include "base/error.hpp"
#include "base/random.hpp"
#include "media/mechanics.hpp"
#include "small_drive.hpp"

using namespace tessera;

namespace {

/// Two zones of so many radii and sectors a track.
MediaConfig zoned(std::uint32_t surfaces, std::uint32_t radii, std::uint32_t sectors, std::uint32_t spares = 0) {
  MediaConfig config;
  config.speed = Rpm(6000);
  config.surfaces = surfaces;
  config.zones = {{double(radii) - 1, double(sectors), 0, 0, double(spares), 0},
                  {2.0 * radii - 1, double(sectors) - 1, 0, 0, double(spares), 0}};
  return config;
}

std::string first_problem(const MediaConfig& config) {
  const auto problems = config.validate();
  return problems.empty() ? "" : problems.front();
}

/// By hand: every sector that passes under a head, in the order in which a drive of one arm numbers its cylinders.
struct Slot {
  PhysicalSector at;
  std::uint32_t zone = 0;
  std::uint32_t range = 0;
  bool bad = false;
  bool of_track = false;  // one of the track's own spares
};

struct Drawn {
  MediaConfig config;
  std::uint32_t radii = 0;
  std::uint32_t sectors = 0;

  [[nodiscard]] std::vector<Slot> slots() const {
    std::vector<Slot> all;
    for (std::uint32_t radius = 0; radius < 2 * radii; ++radius)
      for (std::uint32_t turn = 0; turn < config.surfaces; ++turn) {
        const std::uint32_t zone = radius / radii;
        const std::uint32_t in_zone = radius % radii;
        const bool up = (config.track_order == TrackOrder::cylinder_serpentine && in_zone % 2 == 1) ||
                        (config.track_order == TrackOrder::cylinder_serpentine_even && radius % 2 == 1);
        const std::uint32_t surface = up ? config.surfaces - 1 - turn : turn;
        for (std::uint32_t index = 0; index < sectors - zone + config.track_spares; ++index) {
          const bool bad = std::ranges::count(config.factory_defects, NumberRow{double(surface), double(radius), double(index)}) != 0;
          all.push_back({{{surface, radius}, index}, zone, in_zone / config.spare_cylinders, bad, index >= sectors - zone});
        }
      }
    return all;
  }
  /// A range that reaches past its zone's end has no spares.
  [[nodiscard]] bool whole(std::uint32_t range) const { return (range + 1) * config.spare_cylinders <= radii; }
};

Drawn drawn(RandomStream& random, DefectScheme scheme) {
  Drawn drive;
  drive.radii = 2 + static_cast<std::uint32_t>(random.below(6));
  drive.sectors = 5 + static_cast<std::uint32_t>(random.below(8));
  const bool by_range = random.below(2) == 0;
  const bool by_track = random.below(3) == 0;
  drive.config = zoned(1 + static_cast<std::uint32_t>(random.below(4)), drive.radii, drive.sectors, by_range ? 0 : 4);
  drive.config.track_order = static_cast<TrackOrder>(random.below(3));
  drive.config.track_spares = by_track ? 1 + static_cast<std::uint32_t>(random.below(2)) : 0;
  if (by_range) {
    drive.config.spare_cylinders = 1 + static_cast<std::uint32_t>(random.below(drive.radii));
    const std::uint64_t most = std::uint64_t{drive.config.spare_cylinders} * drive.config.surfaces * (drive.sectors - 1) - 1;
    drive.config.cylinder_spares = 1 + static_cast<std::uint32_t>(random.below(most));
  }
  drive.config.defect_scheme = scheme;
  for (std::uint64_t i = random.below(6); i != 0; --i) {
    const std::uint64_t radius = random.below(2 * drive.radii);
    const NumberRow row{double(random.below(drive.config.surfaces)), double(radius), double(random.below(drive.sectors - 1))};
    if (std::ranges::count(drive.config.factory_defects, row) == 0) drive.config.factory_defects.push_back(row);
  }
  return drive;
}

}  // namespace

TEST_CASE("sparing: the last sectors of each range of cylinders are spares, over as many tracks as they take") {
  MediaConfig config = zoned(2, 5, 10);
  config.cylinder_spares = 13;
  config.spare_cylinders = 2;
  REQUIRE(first_problem(config).empty());
  const auto held = [&] {
    const TrackGeometry geometry(config, {});
    std::vector<std::uint32_t> sectors;
    for (std::uint32_t radius = 0; radius < 10; ++radius)
      for (std::uint32_t surface = 0; surface < 2; ++surface) sectors.push_back(geometry.sectors_on({surface, radius}));
    return sectors;
  };
  using Held = std::vector<std::uint32_t>;
  CHECK(held() == Held{10, 10, 7, 0, 10, 10, 7, 0, 10, 10, 9, 9, 5, 0, 9, 9, 5, 0, 9, 9});  // the fifth of a zone is in no range
  config.track_order = TrackOrder::cylinder_serpentine;
  CHECK(held() == Held{10, 10, 0, 7, 10, 10, 0, 7, 10, 10, 9, 9, 0, 5, 9, 9, 0, 5, 9, 9});
  const TrackGeometry geometry(config, {});
  CHECK(geometry.shape_of({1, 1}).density.sectors == 10);  // they pass under the head
}

TEST_CASE("sparing: numbers go on behind slipped sectors up to the spares, as a walk over all sectors has it") {
  RandomStream random(1, "slips");
  for (int i = 0; i < 2'000; ++i) {
    const Drawn drive = drawn(random, DefectScheme::slip);
    INFO("drive " << i);
    REQUIRE(first_problem(drive.config).empty());
    const TrackGeometry geometry(drive.config, {});
    const DriveGeometry layers = geometry_of(drive.config);
    CHECK(layers.remaps.empty());
    // Of each track the good sectors, at most as many as its zone says; of these the first of each range.
    std::map<PhysicalTrack, std::uint32_t> expected;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> of_range;
    std::map<std::uint32_t, std::uint32_t> of_zone;
    for (const Slot& slot : drive.slots()) {
      const std::uint32_t nominal = drive.sectors - slot.zone;
      const std::uint32_t range_data = drive.config.spare_cylinders * drive.config.surfaces * nominal - drive.config.cylinder_spares;
      std::uint32_t& on_track = expected[slot.at.track];
      if (slot.bad || on_track == nominal) continue;
      std::uint32_t& in_range = of_range[{slot.zone, slot.range}];
      if (drive.config.cylinder_spares != 0 && drive.whole(slot.range) && in_range == range_data) continue;
      ++in_range;
      ++on_track;
      ++of_zone[slot.zone];
    }
    for (const auto& [track, sectors] : expected) REQUIRE(geometry.sectors_on(track) == sectors);
    if (drive.config.cylinder_spares != 0) continue;
    // What the zone numbers stays the same until its spares are used up.
    for (std::uint32_t zone = 0; zone < 2; ++zone) {
      const std::uint32_t all = drive.radii * drive.config.surfaces * (drive.sectors - zone);
      CHECK(of_zone[zone] - layers.zones[zone].spare_sectors == std::min(all - 4, of_zone[zone]));
    }
  }
}

TEST_CASE("sparing: each bad sector lies on the first spare that is left, in the order of the sectors") {
  RandomStream random(2, "remaps");
  std::uint64_t moved = 0;
  for (int i = 0; i < 2'000; ++i) {
    const Drawn drive = drawn(random, DefectScheme::remap);
    const std::vector<Slot> slots = drive.slots();
    INFO("drive " << i);
    // Spares by track, range and zone.
    std::map<PhysicalTrack, std::vector<Slot>> of_track;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Slot>> of_range;
    std::map<std::uint32_t, std::vector<Slot>> of_zone;
    for (const Slot& slot : slots) {
      if (slot.of_track) {
        of_track[slot.at.track].push_back(slot);
      } else {
        of_range[{slot.zone, slot.range}].push_back(slot);
        of_zone[slot.zone].push_back(slot);
      }
    }
    const auto keep_last = [](std::vector<Slot>& all, std::size_t count) {
      all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(count));
    };
    for (auto& [range, all] : of_range) keep_last(all, drive.whole(range.second) ? drive.config.cylinder_spares : 0);
    for (auto& [zone, all] : of_zone) keep_last(all, drive.config.cylinder_spares == 0 ? 4 : 0);
    std::set<PhysicalSector> spare;
    for (const auto& pool : of_range)
      for (const Slot& slot : pool.second) spare.insert(slot.at);
    for (const auto& pool : of_zone)
      for (const Slot& slot : pool.second) spare.insert(slot.at);
    std::vector<RemappedSector> expected;
    std::set<PhysicalSector> taken;
    bool short_of_spares = false;
    for (const NumberRow& row : drive.config.factory_defects) {
      const PhysicalSector bad{{std::uint32_t(row[0]), std::uint32_t(row[1])}, std::uint32_t(row[2])};
      if (spare.contains(bad)) {
        if (taken.contains(bad)) short_of_spares = true;  // it was given to a defect in front of it in the list
        taken.insert(bad);
        continue;
      }
      const auto at = std::ranges::find_if(slots, [&](const Slot& slot) { return slot.at == bad; });
      bool found = false;
      for (const auto& pool : {of_track[bad.track], of_range[{at->zone, at->range}], of_zone[at->zone]})
        for (const Slot& slot : pool)
          if (!found && taken.insert(slot.at).second) {
            found = true;
            expected.push_back({bad, slot.at});
          }
      short_of_spares = short_of_spares || !found;
    }
    if (short_of_spares) continue;
    REQUIRE(first_problem(drive.config).empty());
    std::ranges::sort(expected, {},
                      [](const RemappedSector& m) { return std::tuple(m.from.track.radius, m.from.track.surface, m.from.index); });
    CHECK(geometry_of(drive.config).remaps == expected);
    moved += expected.size();
  }
  CHECK(moved > 1'000);
}

TEST_CASE("sparing: a slipped track holds nothing and the spares of its zone stand in for it") {
  MediaConfig config = zoned(2, 5, 10, 15);
  config.factory_defects = {{1, 2, 3}, {1, 2, 4}, {0, 3, 0}, {0, 7, 8}};
  config.defect_scheme = DefectScheme::slip_track;
  REQUIRE(first_problem(config).empty());
  const TrackGeometry geometry(config, {});
  CHECK(geometry.sectors_on({1, 2}) == 0);
  CHECK(geometry.sectors_on({0, 3}) == 0);
  CHECK(geometry.sectors_on({0, 2}) == 10);
  CHECK(geometry.sectors_on({0, 7}) == 0);
  const DriveGeometry layers = geometry_of(config);
  CHECK(layers.zones[0].spare_sectors == 0);  // 15 of 20
  CHECK(layers.zones[1].spare_sectors == 6);
}

TEST_CASE("sparing: a spare behind a track's data is reached where the factory uses it, and only there") {
  MediaConfig config = test::small_drive();
  config.track_spares = 25;
  const auto status = [&](std::uint32_t first, std::uint32_t count) {
    MediaDevice device(config, {}, ContentMode::none, 1);
    Picoseconds now;
    return test::perform(device, test::read_step({{1, 3}, first, count}), now);
  };
  CHECK(status(99, 1) == Status::ok);
  CHECK(status(100, 1) == Status::rule_violation);
  config.remapped_sectors = {{1, 3, 7, 1, 3, 124}};
  REQUIRE(first_problem(config).empty());
  CHECK(status(100, 1) == Status::ok);
  CHECK(status(124, 1) == Status::ok);
  CHECK(status(125, 1) == Status::rule_violation);
  CHECK(status(123, 3) == Status::rule_violation);
  MediaDevice device(config, {}, ContentMode::tags, 1);
  Picoseconds now;
  DataBuffer written = test::tagged(1, 700);
  REQUIRE(test::perform(device, test::write_step({{1, 3}, 124, 1}, written.all()), now) == Status::ok);
  DataBuffer read = test::tagged(2, 0);
  REQUIRE(test::perform(device, test::read_step({{1, 3}, 124, 1}, read.all().part(0, 1)), now) == Status::ok);
  REQUIRE(test::perform(device, test::read_step({{1, 4}, 0, 1}, read.all().part(1, 1)), now) == Status::ok);
  CHECK(test::tag_of(read, 0) == 700);
  CHECK(test::tag_of(read, 1) == never_written);
  // It passes under the head in the last 125th of a turn.
  const TrackGeometry geometry(config, {});
  Mechanics mechanics(config, geometry);
  TrackShape shape = geometry.shape_of({0, 0});
  shape.missing = 0;
  const MediaStep step = test::read_step({{0, 0}, 124, 1});
  CHECK(mechanics.plan(step, shape, Picoseconds(0)).rotation == Picoseconds(124 * 80'000'000ULL));
  CHECK(mechanics.plan(step, shape, Picoseconds(0)).transfer == Picoseconds(80'000'000));
}

TEST_CASE("sparing: lists and spares that cannot be are named") {
  MediaConfig config = zoned(2, 5, 10, 4);
  const auto remapped = [&](std::vector<NumberRow> rows) {
    config.remapped_sectors = std::move(rows);
    return first_problem(config);
  };
  CHECK(remapped({{0, 0, 3, 1, 4, 6}}).empty());  // the first of four
  CHECK(remapped({{0, 0, 3, 1, 4, 5}}) ==
        "remapped_sectors: row 1 moves to sector 5 of surface 1, radius 4, which is no spare; expected one of track_spares, "
        "cylinder_spares or its zone's");
  CHECK(remapped({{0, 0, 3, 1, 4, 9}, {0, 0, 4, 1, 4, 9}}) ==
        "remapped_sectors: row 2 moves to sector 9 of surface 1, radius 4, as a row before it does");
  CHECK(remapped({{0, 0, 3, 1, 4, 9}, {0, 0, 3, 1, 4, 8}}) == "remapped_sectors: row 2 names sector 3 of surface 0, radius 0 again");
  CHECK(remapped({{0, 0, 9, 1, 4, 9}}).empty());
  CHECK(remapped({{0, 0, 10, 1, 4, 9}}) == "remapped_sectors: row 1 names a surface, radius or sector that the drive does not have");
  CHECK(remapped({{0, 0, 3, 2, 4, 9}}) == "remapped_sectors: row 1 names a surface, radius or sector that the drive does not have");
  CHECK(remapped({{0, 0, 3, 1, 10, 8}}) == "remapped_sectors: row 1 names a surface, radius or sector that the drive does not have");
  CHECK(remapped({{0, 0, 3, 1, 4}}) == "remapped_sectors: row 1 is not 6 whole numbers");
  config.spare_tracks = 0;
  CHECK(remapped({{0, 0, 3, 1, 4, 9}}) == "spare_tracks is 0, so that nothing looks after remapped sectors; expected 1 or more");
  config = zoned(1, 5, 10, 2);
  config.defect_scheme = DefectScheme::remap;
  config.factory_defects = {{0, 0, 1}, {0, 1, 1}};
  CHECK(first_problem(config).empty());
  config.factory_defects = {{0, 0, 1}, {0, 1, 1}, {0, 2, 1}};
  CHECK(first_problem(config) ==
        "factory_defects: row 3 finds no spare left for sector 1 of surface 0, radius 2; expected more track_spares, cylinder_spares or "
        "spare_sectors");
  config.factory_defects = {{0, 0, 1}, {0, 0, 1}};
  CHECK(first_problem(config) == "factory_defects: row 2 names sector 1 of surface 0, radius 0 again");
  config = zoned(2, 5, 10);
  config.cylinder_spares = 17;
  CHECK(first_problem(config).empty());
  config.exported_sectors = 5 * 20 + 5 * 18 - 10 * 17;
  CHECK(first_problem(config).empty());
  ++config.exported_sectors;
  CHECK(first_problem(config) == "exported_sectors: 21, but the zones hold 20 apart from reserved and spare sectors");
  config.cylinder_spares = 18;
  CHECK(first_problem(config) == "cylinder_spares: 18 leave nothing of the 18 sectors that share them at radius 5");
  config.cylinder_spares = 1;
  config.spare_cylinders = 6;
  CHECK(first_problem(config) == "spare_cylinders: 6, but no zone has more than 5 cylinders");
  config.spare_cylinders = 5;
  config.track_order = TrackOrder::surface;
  CHECK(first_problem(config) == "cylinder_spares: track_order is not by cylinder; expected spares of tracks or zones");
}

TEST_CASE("an arm of its own pace moves and settles so much longer, and no other does") {
  MediaConfig config = test::small_drive();
  config.actuators = 2;
  config.arm_tolerances = {{1, 10, 0.25}};
  REQUIRE(first_problem(config).empty());
  const TrackGeometry geometry(config, {});
  const Mechanics first(config, geometry, 0);
  const Mechanics second(config, geometry, 1);
  CHECK(first.seek_time({0, 20}, false) == Picoseconds(1'200'000'000));
  CHECK(second.seek_time({1, 20}, false) == Picoseconds(1'320'000'000 + 250'000'000));
  CHECK(second.seek_time({1, 0}, false) == Picoseconds(0));
  CHECK(second.least_positioning(20) <= second.seek_time({1, 20}, false));
  CHECK(second.least_positioning(20) > first.least_positioning(20));
  config.arm_tolerances = {{1, -20, 0}};
  const Mechanics faster(config, geometry, 1);
  CHECK(faster.seek_time({1, 20}, false) == Picoseconds(960'000'000));
  CHECK(faster.least_positioning(20) == Picoseconds(960'000'000));
  config.arm_tolerances = {{2, 0, 0}};
  CHECK(first_problem(config) == "arm_tolerances: row 1 is not an arm of the drive, percent and ms");
  config.arm_tolerances = {{1, 100, 1000}};
  CHECK(first_problem(config).empty());
  config.arm_tolerances = {{1, 101, 0}};
  CHECK(first_problem(config).starts_with("arm_tolerances: row 1 moves 101.000000 % longer and settles for 0.000000 ms"));
  config.arm_tolerances = {{1, -51, 0}};
  CHECK(first_problem(config).starts_with("arm_tolerances: row 1 moves -51"));
  config.arm_tolerances = {{1, 1, 0}, {1, 2, 0}};
  CHECK(first_problem(config) == "arm_tolerances: row 2 names arm 1 again");
}
