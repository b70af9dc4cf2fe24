// The sector map of the conventional buffer in pages on disk: what it costs, what it saves, and what it asks of a drive.
#include "zone_drive.hpp"

#include "base/random.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Zones of 2,048 sectors, two map pages each, and a buffer of half a zone.
template <class Setup>
Setup wide_zones(MapKind kind, std::uint64_t map_pages) {
  Setup setup;
  setup.zones().zone = sectors(2048);
  setup.zones().zones = 4;
  setup.zones().buffer = sectors(1024);
  setup.zones().map.kind = kind;
  setup.zones().map.cache = sectors(map_pages);
  setup.bench.media.sectors_per_track = 512;
  return setup;
}

template <class Drive, class Setup>
std::uint64_t time_of_random_writes(const Setup& setup) {
  Drive drive(setup);
  RandomStream random(7, "map cache");
  for (int i = 0; i < 80; ++i) drive.write(random.below(8192));
  drive.check_content();
  return drive.bench().now().value();
}

template <class Drive, class Setup>
void check_times() {
  const std::uint64_t hash = time_of_random_writes<Drive>(wide_zones<Setup>(MapKind::hash, 1));
  const std::uint64_t whole = time_of_random_writes<Drive>(wide_zones<Setup>(MapKind::paged, 8));
  const std::uint64_t half = time_of_random_writes<Drive>(wide_zones<Setup>(MapKind::paged, 4));
  const std::uint64_t least = time_of_random_writes<Drive>(wide_zones<Setup>(MapKind::paged, 1));
  CHECK(whole < half);
  CHECK(half < least);
  CHECK(static_cast<double>(whole) < 1.01 * static_cast<double>(hash));  // a map that is all in DRAM waits for no disk
}

}  // namespace

TEST_CASE("a lookup, an update and a write-back bring in the map pages of their sectors and no others") {
  SkylightDrive drive(wide_zones<SkylightSetup>(MapKind::paged, 2));
  drive.write_zoned({{0, 0}, {0, 1024}});
  CHECK(drive.metric("map.misses") == 2);
  CHECK(drive.metric("map.page_reads") == 0);  // never written pages are empty
  drive.write_zoned({{0, 1}});
  drive.read(drive.at(0, 1025));
  CHECK(drive.metric("map.misses") == 2);
  drive.write_zoned({{1, 0}});  // in the place of the page used longest ago, which was changed
  CHECK(drive.metric("map.page_writes") == 1);
  drive.read(drive.at(0, 0), 2);
  CHECK(drive.metric("map.page_reads") == 1);
  CHECK(static_cast<double>(drive.bench().sectors_in("map", MediaOp::write)) == 2 * drive.metric("map.page_writes"));  // each at two places
  CHECK(static_cast<double>(drive.bench().sectors_in("map", MediaOp::read)) == drive.metric("map.page_reads"));
  drive.check_content();
}

TEST_CASE("with less of its map in DRAM a drive works, slower") {
  SECTION("skylight-disk") { check_times<SkylightDrive, SkylightSetup>(); }
  SECTION("fluid") { check_times<FluidDrive, FluidSetup>(); }
  SECTION("amphisbaena") { check_times<AmphisbaenaDrive, AmphisbaenaSetup>(); }
}

TEST_CASE("a paged map of one page takes less DRAM than an array of all sectors, and a directory of the buffer's less than either") {
  const auto taken = [](MapKind kind) {
    SkylightSetup setup = wide_zones<SkylightSetup>(kind, 1);
    SkylightDrive drive(setup);
    return drive.metric("meta.ram_bytes_actual");
  };
  CHECK(taken(MapKind::paged) + 2'000 < taken(MapKind::array));
  CHECK(taken(MapKind::hash) + 2'000 < taken(MapKind::paged));
}

TEST_CASE("what the map region holds from before a power cut counts no more") {
  FluidDrive drive(wide_zones<FluidSetup>(MapKind::paged, 1));
  drive.write_zoned({{0, 0}, {0, 1024}, {1, 0}});
  drive.trim(drive.at(0, 0));
  drive.write_zoned({{2, 0}});
  drive.cut_now();
  drive.check_content();
  drive.write_zoned({{0, 0}, {3, 5}});
  drive.check_content();
}
