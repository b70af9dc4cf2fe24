// skylight-disk: which buffer zone, when it is cleaned, and what that costs.
#include "zone_drive.hpp"

#include "base/random.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// Two buffer zones of four slots, hashed by modulo.
SkylightSetup two_buffer_zones() {
  SkylightSetup setup;
  setup.zones().buffer = sectors(8);
  setup.layer.buffer_zone = sectors(4);
  setup.layer.hash = ZoneHash::modulo;
  return setup;
}

}  // namespace

TEST_CASE("a full buffer zone is written back with one write-back for each zone in it") {
  SkylightDrive drive(two_buffer_zones());
  drive.write_zoned({{0, 1}, {2, 0}, {0, 1}, {4, 2}});
  CHECK(drive.metric("cleaning.count") == 0);
  drive.write_zoned({{2, 3}});
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("rmw_free.count") == 3);
  CHECK(drive.metric("rmw.count") == 0);
  CHECK(drive.metric("hit.write") == Approx(1.0 / 5));
  CHECK(drive.metric("pad.sectors") == 1 + 0 + 2);
  CHECK(drive.metric("victim.sectors_mean") == 1);
  CHECK(drive.metric("cleaning.dirty_zones_mean") == 3);
  CHECK(drive.metric("buffer.used") == 1);
  CHECK(drive.slot(2, 3) == 0);
  CHECK(drive.write_pointer(0) == 2);
  CHECK(drive.write_pointer(2) == 1);
  CHECK(drive.write_pointer(4) == 3);
  drive.check_content();
  // Zone 2 is dirty from the write that the cleaning was for. Two sectors of zone 0 make it one dirty zone, and zone 4 is the third.
  drive.write_zoned({{0, 0}, {0, 2}, {4, 0}, {2, 1}});
  CHECK(drive.metric("cleaning.count") == 2);
  CHECK(drive.metric("cleaning.dirty_zones_mean") == 3);
}

TEST_CASE("an update takes a new slot of the buffer zone") {
  SkylightDrive drive(two_buffer_zones());
  drive.write_zoned({{0, 1}, {0, 1}, {0, 1}});
  CHECK(drive.slot(0, 1) == 2);
  CHECK(drive.metric("buffer.used") == 1);
  CHECK(drive.metric("hit.write") == Approx(2.0 / 3));
}

TEST_CASE("zones of different buffer zones do not clean each other") {
  SkylightDrive drive(two_buffer_zones());
  drive.write_zoned({{0, 0}, {0, 1}, {0, 2}, {0, 3}, {1, 0}, {3, 0}, {5, 0}, {1, 1}});
  CHECK(drive.metric("cleaning.count") == 0);
  drive.write_zoned({{3, 1}});
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.slot(0, 0) == 0);
  CHECK(drive.slot(1, 0) == SlotOwners::none);
  drive.check_content();
}

TEST_CASE("a write behind the write pointer is merged into its zone") {
  SkylightDrive drive(two_buffer_zones());
  drive.write_zoned({{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 2}, {0, 7}, {2, 0}, {2, 1}, {2, 2}});
  CHECK(drive.metric("cleaning.count") == 2);
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.metric("rmw_free.count") == 2);
  CHECK(drive.metric("pad.sectors") == 3);  // sectors 4 to 6 of zone 0
  CHECK(drive.write_pointer(0) == 8);
  drive.check_content();
}

TEST_CASE("a request longer than a buffer zone fills it, cleans it and goes on") {
  SkylightDrive drive(two_buffer_zones());
  drive.write(0, 8);
  CHECK(drive.metric("cleaning.count") == 1);
  CHECK(drive.metric("rmw_free.count") == 1);
  drive.check_content();
}

TEST_CASE("the default is eight buffer zones of at least 1 MiB, in paper mode zones of the zones' size") {
  SkylightDiskConfig config;
  CHECK(config.buffer_zone_sectors(89088, 4096) == 11136);  // 348 MiB: web_0
  CHECK(config.buffer_zone_sectors(1024, 4096) == 256);
  CHECK(config.buffer_zone_sectors(100, 4096) == 100);
  config.zones.paper = true;
  CHECK(config.buffer_zone_sectors(89088, 4096) == 65536);
}

TEST_CASE("the paper's memory is 8 bytes a buffered sector, and the tables are what is reserved") {
  SkylightDrive drive(two_buffer_zones());
  CHECK(drive.metric("meta.ram_bytes") == 64);
  CHECK(drive.bench().metric("dram.reserved.metadata") >= drive.metric("meta.ram_bytes_actual"));
  CHECK(drive.bench().metric("dram.reserved.metadata") < drive.metric("meta.ram_bytes_actual") + 12 * 64);
}

TEST_CASE("what was trimmed in a zone before is no padding of what is appended to it") {
  SkylightSetup setup;
  setup.prefilled = 4;
  SkylightDrive drive(setup);
  drive.trim(drive.at(0, 0), 2);
  drive.write_zoned({{0, 4}, {1, 0}, {2, 0}, {3, 0}});
  drive.write_zoned({{4, 0}});
  CHECK(drive.metric("rmw_free.count") == 4);
  CHECK(drive.metric("pad.sectors") == 0);
  drive.check_content();
}

TEST_CASE("a write-back of a zone of many tracks reads and writes each of its sectors once") {
  SkylightSetup setup;
  setup.zones().zone = sectors(80);  // twenty tracks: more than one chain of media steps carries
  setup.zones().zones = 2;
  setup.bench.media.tracks = 160;
  setup.prefilled = 80;
  SkylightDrive drive(setup);
  drive.write_zoned({{0, 5}, {0, 9}, {0, 40}, {0, 70}});
  drive.bench().steps.clear();
  drive.write_zoned({{0, 71}});
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.bench().sectors_in("bands", MediaOp::read) == 80);
  CHECK(drive.bench().sectors_in("bands", MediaOp::write) == 80);
  drive.check_content();
}

TEST_CASE("a write-back in rounds reads no further than the zone holds data") {
  SkylightSetup setup;
  setup.zones().zone = sectors(16);
  setup.zones().merge_buffer = sectors(4);
  setup.bench.media.tracks = 160;
  setup.prefilled = 6;
  SkylightDrive drive(setup);
  drive.write_zoned({{0, 0}, {0, 1}, {0, 2}, {0, 12}});
  drive.bench().steps.clear();
  drive.write_zoned({{1, 0}});
  CHECK(drive.metric("rmw.count") == 1);
  CHECK(drive.bench().sectors_in("bands", MediaOp::read) == 6);
  CHECK(drive.bench().sectors_in("bands", MediaOp::write) == 13);
  drive.check_content();
}

TEST_CASE("sectors of the log of the zones are counted as they are written, checkpoints included") {
  SkylightDrive drive(SkylightSetup{});
  const double before = drive.metric("log.sectors");
  drive.bench().steps.clear();
  RandomStream random(1, "sectors of a log");
  for (int i = 0; i < 200; ++i) drive.write(random.below(drive.user_sectors()));
  CHECK(drive.metric("log.sectors") > before + 50);
  CHECK(drive.metric("log.sectors") - before == static_cast<double>(drive.bench().sectors_in("log", MediaOp::write)));
}
