// What the family asks of a drive, and what it says where it does not get it.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/pore/pore_config.hpp"
#include "flash_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using Catch::Contains;

namespace {

DriveGeometry drive(std::uint32_t radii, std::uint32_t sectors_per_track) {
  DriveGeometry geometry;
  geometry.zones = {{0, radii, sectors_per_track, 0}};
  return geometry;
}

}  // namespace

TEST_CASE("both layers need flash and are named as in the papers") {
  const auto skylight = make_skylight_flash_factory();
  const auto pore = make_pore_factory();
  CHECK(skylight->name() == "skylight-flash");
  CHECK(pore->name() == "pore");
  CHECK(skylight->needs_flash());
  CHECK(pore->needs_flash());
}

TEST_CASE("a cached page needs room for its tag in the out-of-band area") {
  const auto layer = make_skylight_flash_factory();
  CHECK(layer->check_flash({640, 32, 24}).empty());
  CHECK_THAT(layer->check_flash({640, 32, 23}), Contains("takes 24 bytes") && Contains("a page has 23"));
}

TEST_CASE("a cache that is too small is refused") {
  const auto pore = make_pore_factory();
  CHECK(pore->check_flash({3, 32, 64}).empty());
  CHECK_THAT(pore->check_flash({2, 32, 64}), Contains("at least 3 flash blocks") && Contains("there are 2"));
  const auto skylight = make_skylight_flash_factory();
  CHECK(skylight->check_flash({1, 32, 64}).empty());
}

TEST_CASE("a paged map gets conventional tracks beside the merge log") {
  FlashCacheConfig config;
  config.bands = 4;
  config.map.kind = MapKind::paged;
  std::string problem;
  const FormatPlan plan = config.plan(drive(200, 512), problem);
  REQUIRE(problem.empty());
  std::uint64_t map_radii = 0;
  for (const Region& region : plan)
    if (region.name == "map") map_radii += region.count;
  CHECK(map_radii == 1);  // 40 map pages of 1,024 entries
  config.map.cache = Bytes(4095);
  CHECK(config.plan(drive(200, 512), problem).empty());
  CHECK_THAT(problem, Contains("holds no map page of 4096 bytes"));
}

TEST_CASE("a paged map has the pages of as many bands as the drive is told to have") {
  FlashCacheConfig config;
  config.band_sectors = 2048;
  config.bands = 20;
  config.map.kind = MapKind::paged;
  std::string problem;
  const FormatPlan plan = config.plan(drive(4000, 16), problem);
  REQUIRE(problem.empty());
  const auto map = std::ranges::find(plan, "map", &Region::name);
  REQUIRE(map != plan.end());
  CHECK(map->count == 5);  // 40 map pages, twice, on tracks of 16 sectors
}

TEST_CASE("by default pore cleans a quarter of its flash, and a page at the least") {
  const pore::PoreConfig config;
  CHECK(config.period_pages({.blocks = 16, .pages_per_block = 32, .oob_bytes = 64}) == 128);
  CHECK(config.period_pages({.blocks = 1, .pages_per_block = 2, .oob_bytes = 64}) == 1);
}

TEST_CASE("merging in place needs a buffer of a whole band") {
  FlashCacheConfig config;
  config.paper = true;
  config.merge_buffer = Bytes((40ULL << 20) - 4096);
  std::string problem;
  CHECK(config.plan(drive(200, 512), problem).empty());
  CHECK_THAT(problem, Contains("41943040 bytes"));
}

namespace {

template <class Drive, class Setup>
void check_table_memory() {
  for (const MapKind kind : {MapKind::array, MapKind::hash, MapKind::paged})
    for (const bool checkpoints : {false, true}) {
      Setup setup;
      setup.cache().map.kind = kind;
      if (checkpoints) {
        setup.cache().checkpoint.region = Bytes(16 * 4096);
        setup.cache().checkpoint.every = 6;
      }
      Drive drive(setup);
      CHECK(drive.metric("meta.ram_bytes_actual") == drive.bench().metric("metadata.bytes"));
    }
}

}  // namespace

TEST_CASE("flash caches: the mapping memory that it reports as taken is what its tables take of the DRAM") {
  check_table_memory<SkylightDrive, SkylightSetup>();
  check_table_memory<PoreDrive, PoreSetup>();
}

TEST_CASE("flash whose pages are paired is warned of where all of them are programmed, with what mends it") {
  FlashShape shape{640, 32, 64};
  CHECK(paired_pages_warnings(shape, PairedPages::unsafe, false).empty());
  shape.paired_pages = true;
  CHECK(paired_pages_warnings(shape, PairedPages::lower_only, false).empty());
  REQUIRE(paired_pages_warnings(shape, PairedPages::unsafe, false).size() == 1);
  CHECK_THAT(paired_pages_warnings(shape, PairedPages::unsafe, false).front(), Contains("lower_only") && !Contains("paper = false"));
  CHECK_THAT(paired_pages_warnings(shape, PairedPages::unsafe, true).front(), Contains("paper = false with paired_pages"));
}
