// The paged sector map: what stays in DRAM, what it costs to bring the rest, and that it forgets nothing.
#include "flash_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Bands of 2,048 sectors, two map pages each; a large cache, so that nothing is cleaned.
SkylightSetup paged(std::uint64_t map_pages) {
  SkylightSetup setup;
  setup.cache().band_sectors = 2048;
  setup.cache().map.kind = MapKind::paged;
  setup.cache().map.cache = sectors(map_pages);
  setup.layer.cache_zones = 1;
  setup.bench.media.sectors_per_track = 512;
  setup.bench.nand->blocks = 40;
  return setup;
}

}  // namespace

TEST_CASE("a map page that was never stored costs no read, one that was costs a read, a changed one a write") {
  SkylightDrive drive(paged(2));
  drive.write(0);
  drive.write(1024);
  CHECK(drive.metric("map.misses") == 2);
  drive.write(1);
  CHECK(drive.metric("map.hits") == 1);
  CHECK(drive.metric("map.page_writes") == 0);
  drive.write(2048);  // the page of sector 1024 was used longest ago
  CHECK(drive.metric("map.page_writes") == 1);
  CHECK(drive.metric("map.page_reads") == 0);
  drive.read(2);
  CHECK(drive.metric("map.page_reads") == 0);
  drive.read(1025);
  CHECK(drive.metric("map.page_reads") == 1);
  CHECK(drive.metric("map.page_writes") == 2);
  drive.read(2049);  // both pages in DRAM: 1024 unchanged since it was read
  CHECK(drive.metric("map.page_reads") == 2);
  CHECK(drive.metric("map.page_writes") == 3);
  CHECK(drive.bench().sectors_in("map", MediaOp::write) == 6);  // each at two places
  CHECK(drive.bench().sectors_in("map", MediaOp::read) == 2);
  drive.check_content();
}

TEST_CASE("a map that fits the cache is never read nor written, a smaller cache makes the drive slower") {
  std::vector<std::uint64_t> times;
  for (const std::uint64_t pages : {8U, 4U, 1U}) {
    SkylightSetup setup = paged(pages);
    SkylightDrive drive(setup);
    RandomStream random(7, "map cache");
    for (int i = 0; i < 60; ++i) drive.write(random.below(8192));
    drive.check_content();
    times.push_back(drive.bench().now().value());
    if (pages == 8) {
      CHECK(drive.metric("map.page_reads") + drive.metric("map.page_writes") == 0);
    } else {
      CHECK(drive.metric("map.time") > 0);
    }
  }
  CHECK(times[0] < times[1]);
  CHECK(times[1] < times[2]);
}

TEST_CASE("what the map region holds from before a power cut is void") {
  SkylightDrive drive(paged(1));
  drive.write(0);
  drive.write(1024);
  drive.trim(0);
  drive.write(2048);
  drive.cut_now();
  CHECK(drive.metric("map.page_reads") == 0);
  drive.check_content();
  drive.write(0);
  drive.check_content();
}

TEST_CASE("requests that want the same map page wait for one read of it") {
  SkylightDrive drive(paged(1));
  drive.write(0, 4);
  drive.write(1024);
  const double before = drive.metric("map.page_reads");
  for (std::uint64_t sector = 0; sector < 4; ++sector) drive.bench().submit(HostOp::read, sector * 8, 8);
  drive.bench().run_until_all_done();
  CHECK(drive.metric("map.page_reads") == before + 1);
  drive.check_content();
}

TEST_CASE("a paged map takes its cache and a number for each page in it") {
  SkylightDrive drive(paged(3));
  CHECK(drive.metric("meta.ram_bytes") == 3 * (4096 + 4));
  CHECK(drive.metric("meta.ram_bytes_actual") > 3 * (4096 + 4));
}
