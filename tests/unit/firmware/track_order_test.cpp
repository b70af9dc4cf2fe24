// Orders of tracks: small drives by hand, and any drive next to a walk that goes over its tracks one by one.
#include <rapidcheck.h>
#include <catch2/catch.hpp>

#include <set>

#include "firmware/layout/conventional_layout.hpp"
#include "unit/firmware/fake_ports.hpp"

using namespace tessera;
using tessera::test::FakeMedia;

namespace {

FormatPlan data(std::uint64_t first, std::uint64_t count) { return {{.name = "data", .first = first, .count = count}}; }

DriveGeometry drive(TrackOrder order, std::uint32_t surfaces, std::uint32_t radii, std::uint32_t serpent = 0) {
  return {.surfaces = surfaces, .zones = {{0, radii, 10, 0}}, .track_order = order, .serpent_radii = serpent};
}

std::vector<PhysicalTrack> order_of(const ConventionalLayout& layout) {
  std::vector<PhysicalTrack> tracks;
  for (std::uint64_t at = 0; at < layout.sectors();) {
    const PhysicalRun piece = layout.piece({LogicalSector(at), 1000});
    tracks.push_back(piece.track);
    at += piece.count;
  }
  return tracks;
}

std::vector<PhysicalTrack> order_of(const DriveGeometry& geometry) {
  return order_of(ConventionalLayout(geometry, data(0, geometry.radii()), FakeMedia(10), ConventionalLayout::Reserve::as_zoned));
}

/// Track by track, with nothing but loops.
std::vector<PhysicalTrack> walked(const DriveGeometry& geometry, std::uint32_t first, std::uint32_t end) {
  std::vector<PhysicalTrack> all;
  for (const GeometryZone& zone : geometry.zones) {
    const std::uint32_t zone_end = zone.first_radius + zone.radii;
    std::uint32_t length = 1;
    if (geometry.track_order == TrackOrder::surface) length = zone.radii;
    if (geometry.track_order == TrackOrder::serpentine) length = geometry.serpent_radii == 0 ? zone.radii : geometry.serpent_radii;
    bool up = false;
    for (std::uint32_t from = zone.first_radius; from < zone_end; from += length) {
      if (geometry.track_order == TrackOrder::cylinder_serpentine_even) up = from % 2 == 1;
      const std::uint32_t to = std::min(zone_end, from + length);
      for (std::uint32_t i = 0; i < geometry.surfaces; ++i) {
        const std::uint32_t surface = up ? geometry.surfaces - 1 - i : i;
        const bool outwards = geometry.track_order == TrackOrder::serpentine && surface % 2 == 1;
        for (std::uint32_t r = from; r < to; ++r) all.push_back({surface, outwards ? to - 1 - (r - from) : r});
      }
      if (geometry.track_order == TrackOrder::cylinder_serpentine) up = !up;
    }
  }
  std::erase_if(all, [&](const PhysicalTrack& track) { return track.radius < first || track.radius >= end; });
  return all;
}

}  // namespace

TEST_CASE("order of tracks: five orders by hand") {
  using Tracks = std::vector<PhysicalTrack>;
  CHECK(order_of(drive(TrackOrder::cylinder, 2, 3)) == Tracks{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {0, 2}, {1, 2}});
  CHECK(order_of(drive(TrackOrder::cylinder_serpentine, 2, 3)) == Tracks{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {1, 2}});
  CHECK(order_of(drive(TrackOrder::surface, 2, 3)) == Tracks{{0, 0}, {0, 1}, {0, 2}, {1, 0}, {1, 1}, {1, 2}});
  CHECK(order_of(drive(TrackOrder::serpentine, 2, 3)) == Tracks{{0, 0}, {0, 1}, {0, 2}, {1, 2}, {1, 1}, {1, 0}});
  CHECK(order_of(drive(TrackOrder::serpentine, 3, 4, 2)) ==
        Tracks{{0, 0}, {0, 1}, {1, 1}, {1, 0}, {2, 0}, {2, 1}, {0, 2}, {0, 3}, {1, 3}, {1, 2}, {2, 2}, {2, 3}});
  DriveGeometry zones{.surfaces = 2, .zones = {{0, 1, 10, 0}, {1, 2, 10, 0}}, .track_order = TrackOrder::cylinder_serpentine};
  CHECK(order_of(zones) == Tracks{{0, 0}, {1, 0}, {0, 1}, {1, 1}, {1, 2}, {0, 2}});
  zones.track_order = TrackOrder::cylinder_serpentine_even;
  CHECK(order_of(zones) == Tracks{{0, 0}, {1, 0}, {1, 1}, {0, 1}, {0, 2}, {1, 2}});
}

TEST_CASE("order of tracks: surfaces that hold different numbers of sectors") {
  DriveGeometry geometry{.surfaces = 2, .zones = {{0, 2, 10, 3, {10, 7}}, {2, 1, 10, 0, {8, 10}}}};
  FakeMedia media(10);
  media.lengths = {{{1, 0}, 7}, {{1, 1}, 6}, {{0, 2}, 8}};  // one sector slipped on {1, 1}
  const ConventionalLayout layout(geometry, data(0, 3), media, ConventionalLayout::Reserve::as_zoned);
  CHECK(layout.sectors() == 10 + 7 + 10 + 6 - 3 + 8 + 10);
  CHECK(layout.piece({LogicalSector(10), 99}) == PhysicalRun{{1, 0}, 0, 7});
  CHECK(layout.piece({LogicalSector(17), 99}) == PhysicalRun{{0, 1}, 0, 10});
  CHECK(layout.piece({LogicalSector(27), 99}) == PhysicalRun{{1, 1}, 0, 3});  // without the zone's spares
  CHECK(layout.piece({LogicalSector(30), 99}) == PhysicalRun{{0, 2}, 0, 8});
  geometry.track_order = TrackOrder::serpentine;
  const ConventionalLayout serpent(geometry, data(0, 3), media, ConventionalLayout::Reserve::as_zoned);
  CHECK(serpent.piece({LogicalSector(10), 99}) == PhysicalRun{{0, 1}, 0, 10});
  CHECK(serpent.piece({LogicalSector(20), 99}) == PhysicalRun{{1, 1}, 0, 6});
  CHECK(serpent.piece({LogicalSector(26), 99}) == PhysicalRun{{1, 0}, 0, 4});
}

TEST_CASE("order of tracks: any drive is numbered as a walk over its tracks, both ways") {
  CHECK(rc::check([](std::uint8_t order, std::uint8_t heads, std::uint8_t serpent, std::uint8_t split, std::uint8_t from, std::uint8_t to,
                     bool own, const std::vector<std::uint8_t>& slips) {
    DriveGeometry geometry{.surfaces = heads % 4U + 1, .zones = {}};
    geometry.track_order = static_cast<TrackOrder>(order % 5);
    geometry.serpent_radii = serpent % 5U;
    const std::uint32_t border = split % 10U + 1;
    geometry.zones = {{0, border, 12, 0}, {border, 16 - border, 9, 0}};
    FakeMedia media(12);
    for (GeometryZone& zone : geometry.zones)
      for (std::uint32_t surface = 0; surface < geometry.surfaces; ++surface) {
        if (own) zone.surface_sectors.push_back(zone.sectors_per_track - surface);
        for (std::uint32_t r = zone.first_radius; r < zone.first_radius + zone.radii; ++r)
          media.lengths[{surface, r}] = zone.sectors_on(surface);
      }
    for (const std::uint8_t slip : slips) {
      std::uint32_t& length = media.lengths[{slip % geometry.surfaces, slip / 4U % 16U}];
      length -= length > 1 ? 1 : 0;
    }
    const std::uint32_t first = from % 16U;
    const std::uint32_t end = first + to % (16U - first) + 1;
    const ConventionalLayout layout(geometry, data(first, end - first), media, ConventionalLayout::Reserve::none);
    std::uint64_t number = 0;
    for (const PhysicalTrack track : walked(geometry, first, end)) {
      const std::uint32_t sectors = media.sectors_on(track);
      RC_ASSERT((layout.piece({LogicalSector(number), 1000}) == PhysicalRun{track, 0, sectors}));
      for (std::uint32_t i = 0; i < sectors; ++i, ++number) {
        RC_ASSERT((layout.piece({LogicalSector(number), 1}) == PhysicalRun{track, i, 1}));
        RC_ASSERT(layout.logical({track, i}) == LogicalSector(number));
      }
    }
    RC_ASSERT(layout.sectors() == number);
  }));
}
