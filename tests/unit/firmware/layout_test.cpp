// Layouts: every logical sector has one place and every place of the user's tracks one sector.
#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <map>
#include <set>

#include "firmware/layout/conventional_layout.hpp"
#include "firmware/layout/interlaced_layout.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using tessera::test::FakeMedia;

namespace {

DriveGeometry one_zone(std::uint32_t radii, std::uint32_t sectors, std::uint32_t surfaces = 1) {
  return {.surfaces = surfaces, .zones = {{0, radii, sectors, 0}}};
}

FormatPlan data(std::uint64_t first, std::uint64_t count) { return {{.name = "data", .first = first, .count = count}}; }

/// Walks the layout from its first sector on, piece by piece: pieces are maximal, disjoint and invert.
template <class Layout>
std::vector<PhysicalRun> walk(const Layout& layout, const MediaPort& media) {
  std::vector<PhysicalRun> pieces;
  std::set<PhysicalSector> seen;
  for (std::uint64_t at = 0; at < layout.sectors();) {
    const auto left = static_cast<std::uint32_t>(layout.sectors() - at);
    const PhysicalRun piece = layout.piece({LogicalSector(at), left});
    REQUIRE(piece.count > 0);
    REQUIRE(piece.first + piece.count <= media.sectors_on(piece.track));
    for (std::uint32_t i = 0; i < piece.count; ++i) {
      const PhysicalSector place{piece.track, piece.first + i};
      REQUIRE(seen.insert(place).second);
      REQUIRE(layout.logical(place) == LogicalSector(at + i));
      const PhysicalRun one = layout.piece({LogicalSector(at + i), 1});
      REQUIRE((one == PhysicalRun{piece.track, piece.first + i, 1}));
    }
    pieces.push_back(piece);
    at += piece.count;
  }
  return pieces;
}

}  // namespace

TEST_CASE("conventional: down the surfaces, then the next radius") {
  const FakeMedia media(10);
  const ConventionalLayout layout(one_zone(3, 10, 2), data(0, 3), media, ConventionalLayout::Reserve::as_zoned);
  CHECK(layout.sectors() == 60);
  CHECK(layout.piece({LogicalSector(0), 5}) == PhysicalRun{{0, 0}, 0, 5});
  CHECK(layout.piece({LogicalSector(8), 5}) == PhysicalRun{{0, 0}, 8, 2});
  CHECK(layout.piece({LogicalSector(10), 5}) == PhysicalRun{{1, 0}, 0, 5});
  CHECK(layout.piece({LogicalSector(20), 5}) == PhysicalRun{{0, 1}, 0, 5});
  CHECK(layout.piece({LogicalSector(59), 5}) == PhysicalRun{{1, 2}, 9, 1});
  walk(layout, media);
}

TEST_CASE("conventional: of several arms each has its share of the numbers, one behind the other") {
  const FakeMedia media(10);
  DriveGeometry geometry{.surfaces = 3, .reserved_sectors = 4, .zones = {{0, 1, 10, 3}, {1, 2, 10, 0}}, .arms = {{0, 1}, {1, 2}}};
  const ConventionalLayout layout(geometry, data(0, 3), media, ConventionalLayout::Reserve::as_zoned);
  CHECK(layout.arm_ends() == std::vector<std::uint64_t>{30 - 4 - 1, 90 - 4 - 3});
  CHECK(layout.piece({LogicalSector(0), 5}) == PhysicalRun{{0, 0}, 4, 5});
  CHECK(layout.piece({LogicalSector(24), 5}) == PhysicalRun{{0, 2}, 9, 1});  // the first arm's last
  CHECK(layout.piece({LogicalSector(25), 5}) == PhysicalRun{{1, 0}, 0, 5});
  CHECK(layout.piece({LogicalSector(35), 5}) == PhysicalRun{{2, 0}, 0, 5});
  walk(layout, media);

  geometry.exported_sectors = 60;
  const ConventionalLayout smaller(geometry, data(0, 3), media, ConventionalLayout::Reserve::as_zoned);
  CHECK(smaller.arm_ends() == std::vector<std::uint64_t>{25, 60});
}

TEST_CASE("conventional: reserved sectors and spares are not numbered, and a zone begins behind them") {
  // As on the HP C3323A: reserved sectors in front of the first zone, spares at the end of each.
  FakeMedia media(12);
  for (std::uint32_t radius = 2; radius < 4; ++radius)
    for (std::uint32_t surface = 0; surface < 2; ++surface) media.lengths[{surface, radius}] = 8;
  DriveGeometry geometry{.surfaces = 2, .reserved_sectors = 13, .zones = {{0, 2, 12, 5}, {2, 2, 8, 3}}};
  const ConventionalLayout layout(geometry, data(0, 4), media, ConventionalLayout::Reserve::as_zoned);
  CHECK(layout.sectors() == (48 - 13 - 5) + (32 - 3));
  CHECK(layout.piece({LogicalSector(0), 1}) == PhysicalRun{{1, 0}, 1, 1});
  CHECK(layout.piece({LogicalSector(29), 4}) == PhysicalRun{{1, 1}, 6, 1});  // the first zone's last
  CHECK(layout.piece({LogicalSector(30), 4}) == PhysicalRun{{0, 2}, 0, 4});  // the second one's first
  CHECK(layout.piece({LogicalSector(37), 4}) == PhysicalRun{{0, 2}, 7, 1});
  CHECK_FALSE(layout.logical({{0, 0}, 0}).has_value());
  CHECK_FALSE(layout.logical({{1, 0}, 0}).has_value());
  CHECK_FALSE(layout.logical({{1, 1}, 7}).has_value());
  CHECK_FALSE(layout.logical({{1, 3}, 5}).has_value());
  walk(layout, media);
  geometry.exported_sectors = 40;
  const ConventionalLayout exported(geometry, data(0, 4), media, ConventionalLayout::Reserve::as_zoned);
  CHECK(exported.sectors() == 40);
  CHECK(exported.logical({{1, 2}, 1}) == LogicalSector(39));
  CHECK_FALSE(exported.logical({{1, 2}, 2}).has_value());
}

TEST_CASE("conventional: a slipped track is as short as the media says, and numbering goes on behind it") {
  FakeMedia media(10);
  media.lengths[{0, 1}] = 7;
  media.lengths[{1, 1}] = 9;
  media.lengths[{0, 3}] = 1;
  const ConventionalLayout layout(one_zone(4, 10, 2), data(0, 4), media, ConventionalLayout::Reserve::as_zoned);
  CHECK(layout.sectors() == 80 - 3 - 1 - 9);
  CHECK(layout.piece({LogicalSector(20), 99}) == PhysicalRun{{0, 1}, 0, 7});
  CHECK(layout.piece({LogicalSector(27), 99}) == PhysicalRun{{1, 1}, 0, 9});
  CHECK(layout.piece({LogicalSector(36), 99}) == PhysicalRun{{0, 2}, 0, 10});
  walk(layout, media);
}

TEST_CASE("interlaced: with groups of one, logical track k is physical track k") {
  FakeMedia media(10);
  media.odd_sectors = 9;
  const InterlacedLayout layout(one_zone(7, 10), data(0, 7), media, 1, InterlacedOrder::zig_zag);
  CHECK(layout.sectors() == 4 * 10 + 3 * 9);
  const std::vector<PhysicalRun> pieces = walk(layout, media);
  REQUIRE(pieces.size() == 7);
  for (std::uint32_t k = 0; k < 7; ++k) CHECK(pieces[k] == PhysicalRun{{0, k}, 0, k % 2 == 0 ? 10U : 9U});
}

TEST_CASE("interlaced: bottoms of a group first, then its tops, forwards or backwards") {
  FakeMedia media(10);
  media.odd_sectors = 9;
  const auto radii = [&media](InterlacedOrder order) {
    std::vector<std::uint32_t> order_of_radii;
    for (const PhysicalRun& piece : walk(InterlacedLayout(one_zone(11, 10), data(0, 11), media, 3, order), media))
      order_of_radii.push_back(piece.track.radius);
    return order_of_radii;
  };
  CHECK(radii(InterlacedOrder::zig_zag) == std::vector<std::uint32_t>{0, 2, 4, 1, 3, 5, 6, 8, 10, 7, 9});
  CHECK(radii(InterlacedOrder::serpentine) == std::vector<std::uint32_t>{0, 2, 4, 5, 3, 1, 6, 8, 10, 9, 7});
}

TEST_CASE("interlaced: surfaces, zones, short tracks and any group size give a bijection") {
  CHECK(rc::check(
      [](std::uint8_t group, bool serpentine, std::uint8_t surfaces, std::uint8_t first_zone, const std::vector<std::uint8_t>& slips) {
        const std::uint32_t heads = surfaces % 3 + 1;
        const std::uint32_t split = first_zone % 10 + 1;
        FakeMedia media(12);
        media.odd_sectors = 11;
        for (std::uint32_t radius = split; radius < 16; ++radius)
          for (std::uint32_t surface = 0; surface < heads; ++surface) media.lengths[{surface, radius}] = radius % 2 == 0 ? 8 : 7;
        std::uint64_t lost = 0;
        for (const std::uint8_t slip : slips) {
          const PhysicalTrack track{slip % heads, slip % 16U};
          const std::uint32_t length = media.sectors_on(track);
          if (length < 4) continue;
          media.lengths[track] = length - 1;
          ++lost;
        }
        const DriveGeometry geometry{.surfaces = heads, .zones = {{0, split, 12, 0}, {split, 16 - split, 8, 0}}};
        const InterlacedLayout layout(geometry, data(0, 16), media, group % 9U + 1,
                                      serpentine ? InterlacedOrder::serpentine : InterlacedOrder::zig_zag);
        std::uint64_t expected = 0;
        for (std::uint32_t radius = 0; radius < 16; ++radius)
          for (std::uint32_t surface = 0; surface < heads; ++surface) expected += media.sectors_on({surface, radius});
        RC_ASSERT(layout.sectors() == expected);
        walk(layout, media);
      }));
}

TEST_CASE("where all tracks are as their zones say none is asked for, and layouts are the same") {
  const std::uint32_t radii = 100'000;
  const DriveGeometry geometry{.surfaces = 3, .zones = {{0, 60'001, 12, 0}, {60'001, radii - 60'001, 8, 0}}};
  const auto media_of = [&](bool known) {
    FakeMedia media(12);
    media.is_uniform = known;
    return media;
  };
  const auto places = [](const auto& layout) {
    std::vector<PhysicalRun> found;
    for (std::uint64_t at = 0; at < layout.sectors(); at += 997) found.push_back(layout.piece({LogicalSector(at), 50}));
    return found;
  };
  const DriveGeometry one{.surfaces = 3, .zones = {{0, radii, 12, 0}}};
  for (const InterlacedOrder order : {InterlacedOrder::zig_zag, InterlacedOrder::serpentine}) {
    FakeMedia known = media_of(true);
    FakeMedia asked = media_of(false);
    known.odd_sectors = asked.odd_sectors = 9;
    const InterlacedLayout quick(one, data(0, radii), known, 4, order);
    const InterlacedLayout slow(one, data(0, radii), asked, 4, order);
    CHECK(known.asked <= 32);
    CHECK(asked.asked >= radii * 3);
    CHECK(quick.sectors() == slow.sectors());
    CHECK(places(quick) == places(slow));
  }
  const FakeMedia known = media_of(true);
  FakeMedia asked = media_of(false);
  for (std::uint32_t radius = 60'001; radius < radii; ++radius)
    for (std::uint32_t surface = 0; surface < 3; ++surface) asked.lengths[{surface, radius}] = 8;
  const ConventionalLayout quick(geometry, data(0, radii), known, ConventionalLayout::Reserve::as_zoned);
  const ConventionalLayout slow(geometry, data(0, radii), asked, ConventionalLayout::Reserve::as_zoned);
  CHECK(known.asked == 0);
  CHECK(asked.asked >= radii * 3);
  CHECK(quick.sectors() == slow.sectors());
  CHECK(places(quick) == places(slow));
}

TEST_CASE("interlaced: the radii that a run begins with whole are those of its pieces") {
  CHECK(rc::check([](std::uint8_t group, bool serpentine, std::uint8_t surfaces, std::uint8_t first_zone, std::uint16_t from,
                     std::uint16_t length, const std::vector<std::uint8_t>& slips) {
    const std::uint32_t heads = surfaces % 3 + 1;
    const std::uint32_t split = first_zone % 10 + 1;
    FakeMedia media(12);
    media.odd_sectors = 11;
    for (std::uint32_t radius = split; radius < 16; ++radius)
      for (std::uint32_t surface = 0; surface < heads; ++surface) media.lengths[{surface, radius}] = radius % 2 == 0 ? 8 : 7;
    for (const std::uint8_t slip : slips)
      if (slip < 100) --media.lengths.try_emplace({slip % heads, slip % 16U}, media.sectors_on({slip % heads, slip % 16U})).first->second;
    for (const auto& [track, sectors] : media.lengths) RC_PRE(sectors > 3);
    const DriveGeometry geometry{.surfaces = heads, .zones = {{0, split, 12, 0}, {split, 16 - split, 8, 0}}};
    const InterlacedLayout layout(geometry, data(0, 16), media, group % 9U + 1,
                                  serpentine ? InterlacedOrder::serpentine : InterlacedOrder::zig_zag);
    std::uint64_t at = from % layout.sectors();
    const std::uint64_t count = length % (layout.sectors() - at) + 1;
    bool any = false;
    for (std::uint64_t tries = 0; tries < 2; ++tries, at = 0) {  // and from where a group begins
      const std::uint64_t asked = std::min(count, layout.sectors() - at);
      const auto whole = layout.whole_radii(LogicalSector(at), asked);
      RC_ASSERT(whole.sectors <= asked);
      any = any || whole.sectors != 0;
      std::map<PhysicalTrack, std::uint32_t> found;
      for (std::uint64_t done = 0; done < whole.sectors;) {
        const PhysicalRun piece = layout.piece({LogicalSector(at + done), static_cast<std::uint32_t>(whole.sectors - done)});
        found[piece.track] += piece.count;
        done += piece.count;
      }
      RC_ASSERT(found.size() == std::uint64_t{whole.end - whole.first} * heads);
      for (const auto& [track, sectors] : found) {
        RC_ASSERT(track.radius >= whole.first);
        RC_ASSERT(track.radius < whole.end);
        RC_ASSERT(sectors == media.sectors_on(track));
      }
    }
    RC_CLASSIFY(any, "some");
  }));
}

TEST_CASE("a plan around reserved regions covers every radius once, with an even number of data radii in front") {
  const Region user{.name = "data"};
  for (const std::uint64_t radii : {5U, 6U, 9U, 64U, 101U}) {
    for (const ReservedPlace place : {ReservedPlace::inner, ReservedPlace::middle, ReservedPlace::outer}) {
      const FormatPlan plan = plan_around(radii, user, {{.name = "backup", .count = 3}, {.name = "journal", .count = 1}}, place);
      std::uint64_t next = 0;
      for (const Region& region : plan) {
        CHECK(region.first == next);
        next += region.count;
      }
      CHECK(next == radii);
      CHECK(regions_named(plan, "backup").front().count == 3);
      if (place == ReservedPlace::middle) CHECK(regions_named(plan, "backup").front().first % 2 == 0);
    }
  }
  CHECK(plan_around(4, user, {{.name = "backup", .count = 4}}, ReservedPlace::inner).empty());
  for (const ReservedPlace place : {ReservedPlace::inner, ReservedPlace::middle, ReservedPlace::outer}) {
    const FormatPlan undivided = plan_around(100, user, {}, place);
    REQUIRE(undivided.size() == 1);
    CHECK((undivided.front().name == "data" && undivided.front().count == 100));
  }
}
