#include "media/recording_physics.hpp"

#include <catch2/catch.hpp>
#include <set>

#include "base/random.hpp"
#include "small_drive.hpp"

using namespace tessera;

namespace {

/// Tracks that a write to `offset` of the region damages, by laying the region out track by track as docs/models/media.md states.
std::set<std::int64_t> victims_by_rule(const Region& region, std::int64_t offset) {
  enum Role { rising, falling, guard, shared_guard };
  std::vector<Role> roles;
  const auto append = [&](Role role, std::uint32_t n) { roles.insert(roles.end(), n, role); };
  while (roles.size() < region.count) {
    const Role forward = region.direction > 0 ? rising : falling;
    if (region.format == RecordingFormat::wave) {
      append(rising, region.band_tracks);
      append(shared_guard, region.guard_tracks);
      append(falling, region.band_tracks);
    } else if (region.band_tracks == 0) {
      append(forward, static_cast<std::uint32_t>(region.count));
    } else {
      append(forward, region.band_tracks);
      append(guard, region.guard_tracks);
    }
  }
  std::set<std::int64_t> victims;
  const auto add = [&](std::int64_t track) {
    if (track >= 0 && track < static_cast<std::int64_t>(region.count)) victims.insert(track);
  };
  if (region.format == RecordingFormat::interlaced && offset % 2 == 0) {
    add(offset - 1);
    add(offset + 1);
  }
  if (region.format == RecordingFormat::shingled || region.format == RecordingFormat::wave) {
    const Role role = roles[static_cast<std::size_t>(offset)];
    for (std::int64_t k = 1; k < region.head_width; ++k) {
      if (role == rising || role == shared_guard) add(offset + k);
      if (role == falling || role == shared_guard) add(offset - k);
    }
  }
  return victims;
}

void compare_reach(const Region& region) {
  const TrackGeometry geometry(test::small_drive(), {region});
  for (std::int64_t offset = 0; offset < static_cast<std::int64_t>(region.count); ++offset) {
    const auto radius = static_cast<std::uint32_t>(static_cast<std::int64_t>(region.first) + offset);
    const DamageReach reach = damage_reach(geometry, geometry.group_of(radius), radius);
    std::set<std::int64_t> victims;
    for (std::int64_t k = 1; k <= reach.below; ++k) victims.insert(offset - k);
    for (std::int64_t k = 1; k <= reach.above; ++k) victims.insert(offset + k);
    INFO("offset " << offset << " in a region of format " << static_cast<int>(region.format) << ", W " << region.head_width);
    REQUIRE(victims == victims_by_rule(region, offset));
  }
}

}  // namespace

TEST_CASE("a write damages the tracks that its format names, in every format") {
  compare_reach(test::region(RecordingFormat::conventional, 3, 20));
  compare_reach(test::region(RecordingFormat::interlaced, 3, 20));  // starts at an odd radius: offsets count, not radii
  compare_reach(test::region(RecordingFormat::interlaced, 4, 21));
  for (const std::uint32_t width : {1U, 2U, 3U, 8U}) {
    for (const std::uint32_t guard : {0U, 1U, 3U}) {
      for (const std::int32_t direction : {1, -1}) {
        Region shingled = test::region(RecordingFormat::shingled, 5, 41);
        shingled.head_width = width;
        shingled.direction = direction;
        compare_reach(shingled);
        shingled.band_tracks = 6;
        shingled.guard_tracks = guard;
        compare_reach(shingled);
      }
      Region wave = test::region(RecordingFormat::wave, 5, 41);
      wave.head_width = width;
      wave.band_tracks = 6;
      wave.guard_tracks = guard;
      compare_reach(wave);
    }
  }
}

TEST_CASE("unformatted tracks damage nothing") {
  const TrackGeometry geometry(test::small_drive(), {test::region(RecordingFormat::interlaced, 3, 20)});
  CHECK(damage_reach(geometry, geometry.group_of(2), 2).none());
  CHECK(damage_reach(geometry, geometry.group_of(23), 23).none());
}

TEST_CASE("a write damages exactly the sectors that share an angle with it, also over skewed and unequal tracks, and tracks with spares") {
  MediaConfig config = test::small_drive();
  config.track_spares = GENERATE(0U, 3U, 40U);
  config.sectors_per_track = 37;
  config.track_skew = 5;
  config.cylinder_skew = 11;
  config.slipped_defects = {{0, 3, 7}, {0, 4, 36}, {1, 4, 35}};
  Region skewed = test::region(RecordingFormat::interlaced, 0, 50);
  skewed.skewed = true;
  skewed.top_ratio = 0.9;
  const TrackGeometry geometry(config, {skewed});
  const std::uint64_t turn = geometry.revolution().value();
  RandomStream random(11, "arcs");
  for (int i = 0; i < 5'000; ++i) {
    const PhysicalTrack written{static_cast<std::uint32_t>(random.below(2)), static_cast<std::uint32_t>(1 + random.below(8))};
    const PhysicalTrack other{written.surface, random.below(2) == 0 ? written.radius - 1 : written.radius + 1};
    const TrackShape writer = geometry.shape_of(written);
    const TrackShape victim = geometry.shape_of(other);
    const auto first = static_cast<std::uint32_t>(random.below(writer.sectors()));
    const auto count = static_cast<std::uint32_t>(1 + random.below(writer.sectors()));
    std::set<std::uint32_t> overlapped;  // two arcs overlap where the beginning of either lies in the other
    const std::uint64_t begin = geometry.angle_of(writer, first);
    std::uint64_t length = 0;
    for (std::uint32_t k = 0; k < count; ++k) length += geometry.passing(writer, (first + k) % writer.sectors(), 1);
    if (first + count > writer.sectors()) length += turn - writer.density.offset(writer.sectors());  // over the spares
    for (std::uint32_t s = 0; s < victim.sectors(); ++s) {
      const std::uint64_t start = geometry.angle_of(victim, s);
      if ((start + turn - begin) % turn < length || (begin + turn - start) % turn < geometry.passing(victim, s, 1)) overlapped.insert(s);
    }
    const SectorArc arc = overlapped_arc(geometry, writer, first, count, victim);
    std::set<std::uint32_t> found;
    for (std::uint32_t k = 0; k < arc.count; ++k) found.insert((arc.first + k) % victim.sectors());
    REQUIRE(found.size() == arc.count);
    REQUIRE(found == overlapped);
  }
}

TEST_CASE("on aligned equal tracks a write damages the same sectors, and on skewed ones others") {
  MediaConfig config = test::small_drive();
  config.cylinder_skew = 10;
  Region tracks = test::region(RecordingFormat::interlaced, 0, 50);
  const TrackGeometry aligned(config, {tracks});
  CHECK(overlapped_arc(aligned, aligned.shape_of({0, 4}), 20, 5, aligned.shape_of({0, 5})) == SectorArc{20, 5});
  CHECK(overlapped_arc(aligned, aligned.shape_of({0, 4}), 98, 5, aligned.shape_of({0, 5})) == SectorArc{98, 5});
  CHECK(overlapped_arc(aligned, aligned.shape_of({0, 4}), 7, 100, aligned.shape_of({0, 5})) == SectorArc{0, 100});
  tracks.skewed = true;
  const TrackGeometry skewed(config, {tracks});
  CHECK(overlapped_arc(skewed, skewed.shape_of({0, 4}), 20, 5, skewed.shape_of({0, 5})) == SectorArc{10, 5});
}

TEST_CASE("what is heated wider than the pitch destroys conventional tracks next to it, and no spare tracks") {
  const auto reach = [](std::uint32_t write_width, std::uint32_t read_width, std::uint32_t radius) {
    MediaConfig config = test::small_drive();
    config.heat.write_width = write_width;
    config.heat.read_width = read_width;
    config.spare_tracks = 2;
    const TrackGeometry geometry(config, {});
    return damage_reach(geometry, geometry.group_of(radius), radius);
  };
  CHECK(reach(0, 50, 10).none());
  CHECK(reach(200, 50, 10).none());  // half of each neighbour is left
  CHECK(reach(201, 50, 10) == DamageReach{1, 1});
  CHECK(reach(400, 50, 10) == DamageReach{1, 1});
  CHECK(reach(401, 50, 10) == DamageReach{2, 2});
  CHECK(reach(100, 100, 10).none());
  CHECK(reach(101, 100, 10) == DamageReach{1, 1});
  CHECK(reach(401, 50, 1) == DamageReach{1, 2});
  const std::uint32_t spare = TrackGeometry(test::small_drive(), {}).radii();
  CHECK(reach(401, 50, spare - 1) == DamageReach{2, 0});
  CHECK(reach(401, 50, spare).none());
}
