// The mappings of He and Du, section 4, address by address.
#include <set>
#include <utility>
#include <vector>

#include "firmware/layers/layer_factories.hpp"
#include "static_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

using Table = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // LBA, PBA
constexpr Scheme every_scheme[] = {Scheme::s1234, Scheme::r4123, Scheme::s124r3, Scheme::s14r23};

void check(Scheme scheme, std::uint32_t bands, const Table& table) {
  const BareMapping mapping(scheme, bands, 100);
  for (const auto& [lba, pba] : table) {
    INFO("LBA " << lba);
    CHECK(mapping.pba(lba) == pba);
  }
}

}  // namespace

TEST_CASE("static mappings: places on the paper's 2000 bands of tracks of 100 blocks (section 3.1)") {
  check(Scheme::s1234, 2000, {{0, 0}, {399, 399}, {400, 500}, {799'999, 999'899}});
  check(Scheme::r4123, 2000, {{0, 300}, {100, 800}, {199'999, 999'899}, {200'000, 0}, {400'000, 100}, {600'000, 200}, {799'999, 999'799}});
  check(Scheme::s124r3, 2000, {{0, 0}, {100, 100}, {399, 599}, {400, 600}, {599'999, 999'899}, {600'000, 200}});
  check(Scheme::s14r23, 2000,
        {{0, 0}, {100, 300}, {399, 899}, {400, 1000}, {199'999, 499'899}, {200'000, 500'000}, {400'000, 100}, {600'000, 200}});
}

TEST_CASE("static mappings: places on three bands") {
  check(Scheme::r4123, 3, {{299, 1399}, {300, 0}, {900, 200}, {1199, 1299}});
  check(Scheme::s124r3, 3, {{899, 1399}, {900, 200}});
  check(Scheme::s14r23, 3, {{100, 300}, {399, 899}, {400, 1000}, {599, 1399}, {600, 100}, {900, 200}});
}

TEST_CASE("static mappings: the paper's disk of 3000 tracks has 600 bands and 2,400,000 user blocks behind its random access zone") {
  for (const Scheme scheme : every_scheme) {
    const BareMapping mapping(scheme, 600, 1000, 100);
    CHECK(mapping.layout().bands() == 600);
    CHECK(mapping.layout().sectors() == 2'400'000);
    CHECK(mapping.layout().tracks() == 2400);
  }
  CHECK(BareMapping(Scheme::s1234, 600, 1000, 100).pba(0) == 100'000);
}

TEST_CASE("static mappings: each is a bijection onto all tracks but the guards, and back") {
  for (const Scheme scheme : every_scheme) {
    for (const std::uint32_t bands : {1U, 2U, 3U, 7U, 10U}) {
      const BareMapping mapping(scheme, bands, 3);
      std::set<std::uint64_t> places;
      for (std::uint64_t lba = 0; lba < mapping.layout().sectors(); ++lba) {
        const std::uint64_t pba = mapping.pba(lba);
        CHECK(pba / 3 % stride != 4);
        places.insert(pba);
        const auto piece = mapping.layout().piece({LogicalSector(lba), 1});
        CHECK(piece.track == lba / 3);
        CHECK(mapping.layout().track_at(piece.band, piece.position) == piece.track);
      }
      CHECK(places.size() == bands * 12);
      CHECK(*places.rbegin() < bands * 15);
    }
  }
}

TEST_CASE("static mappings: a run is cut at the end of its track") {
  const BareMapping mapping(Scheme::s14r23, 3, 100);
  CHECK(mapping.layout().piece({LogicalSector(90), 200}).run == PhysicalRun{{0, 0}, 90, 10});
  CHECK(mapping.layout().piece({LogicalSector(100), 200}).run == PhysicalRun{{0, 3}, 0, 100});
}

TEST_CASE("static mappings: surfaces, zones and slipped defects") {
  DriveGeometry geometry;
  geometry.surfaces = 2;
  geometry.zones = {{0, 12, 10, 0}, {12, 7, 8, 0}};
  FakeMedia media(10);
  for (std::uint32_t radius = 12; radius < 19; ++radius)
    for (const std::uint32_t surface : {0U, 1U}) media.lengths[{surface, radius}] = 8;
  media.lengths[{1, 13}] = 7;  // a data track of the second zone
  media.lengths[{0, 4}] = 5;   // a guard: it does not count
  for (const Scheme scheme : every_scheme) {
    static_mapping::StaticMappingConfig config;
    config.scheme = scheme;
    config.raz_tracks = 0;
    config.crash_safe = false;
    std::string problem;
    const FormatPlan plan = static_mapping::plan_static(config, geometry, problem);
    REQUIRE(plan.size() == 2);
    const BandTrackLayout layout(geometry, plan, media, static_mapping::passes_of(scheme, 4));
    CHECK(layout.bands() == 6);
    CHECK(layout.sectors() == 4 * 4 * 10 + 2 * 4 * 7);
    std::set<PhysicalSector> places;
    std::uint64_t track = 0;
    for (std::uint64_t at = 0; at < layout.sectors();) {
      const auto piece = layout.piece({LogicalSector(at), 1000});
      CHECK(piece.track == track);
      CHECK(piece.run.first == 0);
      CHECK(piece.run.count == (piece.run.track.radius < 12 ? 10 : 7));
      CHECK(layout.track_at(piece.band, piece.position) == track);
      CHECK(layout.whole(track).run == piece.run);
      CHECK((piece.run.track.radius % 12) % stride == piece.position);
      CHECK(piece.run.track.surface == piece.band % 2);
      for (std::uint32_t i = 0; i < piece.run.count; ++i) places.insert({piece.run.track, i});
      at += piece.run.count;
      ++track;
    }
    CHECK(places.size() == layout.sectors());
    CHECK(track == layout.tracks());
  }
}

TEST_CASE("static mapping: the mapping memory that it reports as taken is what its tables take of the DRAM") {
  StaticDrive drive(Scheme::r4123, 20);
  TestDrive caches(make_cmr_factory(), {});  // what stands in front of a layer by default
  CHECK(drive.metric("meta.ram_bytes_actual") == drive->metric("metadata.bytes") - caches->metric("metadata.bytes"));
}
