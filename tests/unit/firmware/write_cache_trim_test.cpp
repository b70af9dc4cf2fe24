// TRIM and the write cache in front of the conventional layer.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "unit/firmware/test_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

TEST_CASE("write cache: a TRIM uncovers nothing that the layer holds") {
  const CacheDurability durability = GENERATE(CacheDurability::plp, CacheDurability::journal, CacheDurability::volatile_memory);
  const EdgeReads edges = GENERATE(EdgeReads::before, EdgeReads::behind);
  BenchConfig bench = small_drive();
  if (durability == CacheDurability::volatile_memory) bench.promise = DurabilityPromise::flushed;
  FirmwareConfig config;
  config.write_cache.capacity = Bytes(64 * 4096);
  config.write_cache.durability = durability;
  config.write_cache.edges = edges;
  TestDrive drive(make_cmr_factory(), {{"journal_tracks", 4}}, bench, config);
  REQUIRE(drive->write(0, 4 * blocks_per_sector) == Status::ok);
  REQUIRE(drive->flush() == Status::ok);
  REQUIRE(drive->write(0, 2 * blocks_per_sector + 3) == Status::ok);  // the last sector in part
  REQUIRE(drive->trim(0, 4 * blocks_per_sector) == Status::ok);
  const double hits = drive.metric("cache.hit.read");
  REQUIRE(drive->read(0, 4 * blocks_per_sector) == Status::ok);
  CHECK(drive.metric("cache.hit.read") > hits);
  CHECK(drive.wrong_blocks() == 0);
  if (GENERATE(false, true)) REQUIRE(drive->flush() == Status::ok);
  drive->cut_now();
  REQUIRE(drive->read(0, 4 * blocks_per_sector) == Status::ok);
  CHECK(drive.wrong_blocks() == 0);
}
