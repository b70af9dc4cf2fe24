// Staggered layouts: numbers begin where the head lands, each sector has one place, and what overlaps is found by angle.
#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <set>

#include "firmware/layers/static_mapping/static_mapping_scheme.hpp"
#include "firmware/layout/band_track_layout.hpp"
#include "firmware/layout/interlaced_layout.hpp"
#include "firmware/layout/same_angles.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using tessera::test::FakeMedia;

namespace {

constexpr std::uint64_t turn = std::uint64_t{1} << 32;

/// Ways of a head: `head` and `shortest` in hundredths of a turn, and twice the distance takes one more.
TrackSwitches switches(std::uint32_t head, std::uint32_t shortest) {
  const auto hundredths = [](std::uint64_t of) { return static_cast<std::uint32_t>(of * turn / 100); };
  TrackSwitches result;
  result.head = hundredths(head);
  for (std::uint32_t i = 0; i < TrackSwitches::distances; ++i) result.over[i] = hundredths(shortest + i);
  return result;
}

FormatPlan interlaced(std::uint64_t radii, bool staggered = true) {
  return {{.name = "data", .count = radii, .format = RecordingFormat::interlaced, .skewed = false, .staggered = staggered}};
}

FormatPlan bands(const DriveGeometry& geometry, TrackStarts starts = TrackStarts::staggered) {
  return plan_band_tracks(geometry, 0, 4, 2, starts);
}

/// A run for each track, from the layout's first sector to its last. Every place has one sector, and no other run of it.
template <class Piece>
std::vector<PhysicalRun> walk(std::uint64_t sectors, const MediaPort& media, Piece piece) {
  std::vector<PhysicalRun> runs;
  std::set<PhysicalSector> seen;
  for (std::uint64_t at = 0; at < sectors;) {
    const PhysicalRun run = piece(LogicalRun{LogicalSector(at), static_cast<std::uint32_t>(sectors - at)});
    const std::uint32_t on_track = media.sectors_on(run.track);
    REQUIRE(run.count > 0);
    REQUIRE(run.first < on_track);
    REQUIRE(run.count <= on_track);
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const PhysicalSector place{run.track, (run.first + i) % on_track};
      REQUIRE(seen.insert(place).second);
      REQUIRE((piece(LogicalRun{LogicalSector(at + i), 1}) == PhysicalRun{run.track, place.index, 1}));
    }
    runs.push_back(run);
    at += run.count;
  }
  return runs;
}

std::vector<PhysicalRun> tracks_of(const InterlacedLayout& layout, const MediaPort& media) {
  return walk(layout.sectors(), media, [&](LogicalRun run) { return layout.on_track(run); });
}
std::vector<PhysicalRun> tracks_of(const BandTrackLayout& layout, const MediaPort& media) {
  return walk(layout.sectors(), media, [&](LogicalRun run) { return layout.piece(run).run; });
}

/// How much of a turn passes between the end of one run and the begin of the next.
std::uint64_t gap(const PhysicalRun& from, const PhysicalRun& to, const MediaPort& media) {
  const auto angle = [&](const PhysicalRun& run, std::uint32_t sector) {
    return std::uint64_t{sector} * turn / media.sectors_on(run.track) % turn;
  };
  return (angle(to, to.first) + turn - angle(from, from.first + from.count)) % turn;
}

std::uint64_t way(const PhysicalRun& from, const PhysicalRun& to, const TrackSwitches& ways) {
  const std::uint32_t radii = std::max(from.track.radius, to.track.radius) - std::min(from.track.radius, to.track.radius);
  return ways.angle(radii, from.track.surface != to.track.surface);
}

/// No next track begins before the head has landed, nor later than rounding to sectors makes it.
void check_landings(const std::vector<PhysicalRun>& tracks, const MediaPort& media, const TrackSwitches& ways, std::uint32_t shortest) {
  for (std::size_t i = 1; i < tracks.size(); ++i) {
    const std::uint64_t needed = way(tracks[i - 1], tracks[i], ways);
    const std::uint64_t had = gap(tracks[i - 1], tracks[i], media);
    REQUIRE(had >= needed);
    REQUIRE(had < needed + 2 * turn / shortest + 2);
  }
}

}  // namespace

TEST_CASE("staggered interlaced tracks begin where the head lands, over all surfaces before the next radius") {
  FakeMedia media(100);
  media.odd_sectors = 90;
  const TrackSwitches ways = switches(13, 25);
  const DriveGeometry geometry{.surfaces = 3, .zones = {{0, 24, 100, 0}}, .switches = ways};
  for (const InterlacedOrder order : {InterlacedOrder::zig_zag, InterlacedOrder::serpentine}) {
    const InterlacedLayout layout(geometry, interlaced(24), media, 4, order);
    CHECK(layout.staggered());
    CHECK(layout.sectors() == 3 * 12 * (100 + 90));
    const std::vector<PhysicalRun> tracks = tracks_of(layout, media);
    REQUIRE(tracks.size() == 72);
    check_landings(tracks, media, ways, 90);
    CHECK(tracks[0] == PhysicalRun{{0, 0}, 0, 100});
    CHECK(tracks[1] == PhysicalRun{{1, 0}, 14, 100});  // 13 hundredths of a turn, and a sector that rounding may take
    CHECK(tracks[3].track == PhysicalTrack{0, 2});
    CHECK(tracks[12].track == PhysicalTrack{0, order == InterlacedOrder::zig_zag ? 1U : 7U});
    CHECK(tracks[24].track == PhysicalTrack{0, 8});
  }
}

TEST_CASE("staggered bands begin their tracks where the head lands, whatever the order of the passes") {
  const FakeMedia media(64);
  const TrackSwitches ways = switches(9, 17);
  const DriveGeometry geometry{.surfaces = 2, .zones = {{0, 25, 64, 0}}, .switches = ways};
  for (std::uint32_t scheme = 0; scheme < 4; ++scheme) {
    const auto passes = static_mapping::passes_of(static_cast<static_mapping::Scheme>(scheme), 4);
    const BandTrackLayout layout(geometry, bands(geometry), media, passes);
    CHECK(layout.staggered());
    REQUIRE(layout.tracks() == 2 * 5 * 4);
    const std::vector<PhysicalRun> tracks = tracks_of(layout, media);
    std::size_t at = 0;
    for (const BandPass& pass : passes) {  // from pass to pass the head comes back, once in each
      const std::size_t count = pass.size() * 10;
      check_landings({tracks.begin() + static_cast<std::ptrdiff_t>(at), tracks.begin() + static_cast<std::ptrdiff_t>(at + count)}, media,
                     ways, 64);
      at += count;
    }
    CHECK(tracks[0].track.surface == 0);
    CHECK(tracks[1].track.surface == 1);
    CHECK(tracks[0].track.radius == tracks[1].track.radius);
    for (std::uint64_t track = 0; track < layout.tracks(); ++track) {
      const BandTrackLayout::Piece whole = layout.whole(track);
      CHECK(whole.run == tracks[track]);
      CHECK(whole.track == track);
      CHECK(layout.track_at(whole.band, whole.position) == track);
    }
  }
}

TEST_CASE("without skew, or where nobody asks for it, numbers begin at sector 0 and surfaces follow one another") {
  const FakeMedia media(20);
  DriveGeometry geometry{.surfaces = 2, .zones = {{0, 10, 20, 0}}, .switches = switches(10, 20)};
  const auto check_plain = [&](bool staggered) {
    const InterlacedLayout layout(geometry, interlaced(10, staggered), media, 5, InterlacedOrder::zig_zag);
    CHECK_FALSE(layout.staggered());
    const std::vector<PhysicalRun> tracks = tracks_of(layout, media);
    CHECK(std::all_of(tracks.begin(), tracks.end(), [](const PhysicalRun& run) { return run.first == 0; }));
    CHECK(tracks[1].track == PhysicalTrack{0, 2});
    const BandTrackLayout mapping(geometry, bands(geometry, staggered ? TrackStarts::staggered : TrackStarts::aligned), media,
                                  tracks_in_order(4));
    CHECK_FALSE(mapping.staggered());
    CHECK(mapping.whole(1).run == PhysicalRun{{0, 1}, 0, 20});
  };
  check_plain(false);
  geometry.switches = {};
  check_plain(true);
}

TEST_CASE("staggered: surfaces, zones, short tracks, any way of the head and any group size give a bijection") {
  CHECK(rc::check([](std::uint8_t group, bool serpentine, std::uint8_t surfaces, std::uint8_t first_zone, std::uint8_t head,
                     std::uint8_t shortest, const std::vector<std::uint8_t>& slips) {
    const std::uint32_t heads = surfaces % 3 + 1;
    const std::uint32_t split = first_zone % 10 + 1;
    FakeMedia media(12);
    media.odd_sectors = 11;
    for (std::uint32_t radius = split; radius < 16; ++radius)
      for (std::uint32_t surface = 0; surface < heads; ++surface) media.lengths[{surface, radius}] = radius % 2 == 0 ? 8 : 7;
    for (const std::uint8_t slip : slips) {
      const PhysicalTrack track{slip % heads, slip % 16U};
      const std::uint32_t length = media.sectors_on(track);
      if (length >= 4) media.lengths[track] = length - 1;
    }
    const DriveGeometry geometry{
        .surfaces = heads, .zones = {{0, split, 12, 0}, {split, 16 - split, 8, 0}}, .switches = switches(head, shortest + 1U)};
    const InterlacedLayout layout(geometry, interlaced(16), media, group % 9U + 1,
                                  serpentine ? InterlacedOrder::serpentine : InterlacedOrder::zig_zag);
    std::uint64_t expected = 0;
    for (std::uint32_t radius = 0; radius < 16; ++radius)
      for (std::uint32_t surface = 0; surface < heads; ++surface) expected += media.sectors_on({surface, radius});
    RC_ASSERT(layout.sectors() == expected);
    tracks_of(layout, media);
    for (std::uint64_t at = 0; at < expected; ++at) {
      const PhysicalRun piece = layout.piece({LogicalSector(at), 99});
      RC_ASSERT(piece.first + piece.count <= media.sectors_on(piece.track));
      RC_ASSERT(layout.logical({piece.track, piece.first}) == LogicalSector(at));
    }
    tracks_of(BandTrackLayout(geometry, bands(geometry), media, tracks_in_order(4)), media);
  }));
}

TEST_CASE("the sectors at the angles of a run are found where it wraps, too, and on tracks of another length") {
  for (const std::uint32_t top : {12U, 11U, 7U, 13U}) {
    FakeMedia media(12);
    media.lengths[{0, 1}] = top;
    for (std::uint32_t first = 0; first < 12; ++first) {
      for (std::uint32_t count = 1; count <= 12; ++count) {
        const PhysicalRun found = covering({{0, 0}, first, count}, {0, 1}, media, 0);
        REQUIRE(found.first < top);
        for (std::uint32_t sector = 0; sector < top; ++sector) {
          // In units of 1 / (12 * top) turns: whether a sector of the run reaches into this one.
          bool shared = false;
          for (std::uint32_t i = 0; i < count; ++i) {
            const std::uint32_t begin = (first + i) % 12 * top;
            shared = shared || (begin < (sector + 1) * 12 && sector * 12 < begin + top);
          }
          const bool is_in = (sector + top - found.first) % top < found.count;
          REQUIRE((is_in || !shared));
          REQUIRE((!is_in || shared));
        }
      }
    }
  }
}
