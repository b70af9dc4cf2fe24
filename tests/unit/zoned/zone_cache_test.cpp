// The volatile write cache at zones: what is acknowledged from it, when it is written, and what a power cut may take of it.
#include "support/cut_everywhere.hpp"
#include "support/zone_history.hpp"
#include "zoned_drive.hpp"

using namespace tessera;
using namespace tessera::test;
using namespace tessera::literals;

namespace {

/// A cache of so many sectors; a zone is due with four, a track.
ZonedSetup cached(std::uint64_t count) {
  ZonedSetup setup;
  setup.layer.write_cache = sectors(count);
  setup.layer.cache_run = sectors(4);
  setup.bench.promise = DurabilityPromise::flushed;
  return setup;
}

/// Sectors of zone 1, the first sequential one, that are on the platters.
std::uint32_t written(ZonedDrive& drive) { return drive.layer().states().peek(0).written; }

PhysicalSector place_of(ZonedDrive& drive, std::uint64_t sector, std::uint32_t zone = 1) {
  drive.bench().steps.clear();
  REQUIRE(drive.write_zone(zone, 0, 12) == Status::ok);
  REQUIRE(drive.bench().flush() == Status::ok);
  for (const auto& step : drive.bench().steps_in("bands")) {
    if (sector < step.run.count) return {step.run.track, step.run.first + static_cast<std::uint32_t>(sector)};
    sector -= step.run.count;
  }
  FAIL("the sector was not written");
  return {};
}

}  // namespace

TEST_CASE("a cached write is acknowledged before it is on the platters, and read from the cache") {
  ZonedDrive drive(cached(40));
  REQUIRE(drive.write_zone(1, 0, 3) == Status::ok);
  CHECK(written(drive) == 0);
  CHECK(drive.pointer(1) == 3);
  CHECK(drive.condition(1) == ZoneCondition::implicitly_open);
  REQUIRE(drive.read_zone(1, 0, 5) == Status::ok);
  CHECK(drive.metric("zones.cache.read_hits") == 3);
  CHECK(drive.metric("zones.zeros_read") == 2);
  drive.check_content();
}

TEST_CASE("FLUSH and FUA put cached data on the platters, with all that comes before it in its zone") {
  const bool flushes = GENERATE(true, false);
  ZonedDrive drive(cached(40));
  REQUIRE(drive.write_zone(1, 0, 3) == Status::ok);
  if (flushes)
    REQUIRE(drive.bench().flush() == Status::ok);
  else
    REQUIRE(drive.bench().write(drive.block(1, 3), 8, true) == Status::ok);
  CHECK(written(drive) == (flushes ? 3 : 4));
  drive.cut_now();
  CHECK(drive.pointer(1) == (flushes ? 3 : 4));
  drive.check_content();
}

TEST_CASE("what gathers is written in runs, what is left when the host is idle") {
  ZonedDrive drive(cached(40));
  for (std::uint32_t sector = 0; sector < 7; ++sector) REQUIRE(drive.write_zone(1, sector, 1) == Status::ok);
  CHECK(written(drive) < 7);
  drive.bench().run_until_idle(1_s);
  CHECK(written(drive) == 7);
  CHECK(drive.metric("zones.chains") < 7);
}

TEST_CASE("CLOSE ZONE begins to write what the zone has in the cache, FINISH ZONE waits for it") {
  ZonedDrive drive(cached(40));
  REQUIRE(drive.write_zone(1, 0, 2) == Status::ok);
  REQUIRE(drive.manage(HostOp::zone_close, 1) == Status::ok);
  CHECK(drive.condition(1) == ZoneCondition::closed);
  REQUIRE(drive.write_zone(1, 2, 1) == Status::ok);
  REQUIRE(drive.manage(HostOp::zone_finish, 1) == Status::ok);
  CHECK(written(drive) == 3);
  drive.cut_now();
  CHECK(drive.condition(1) == ZoneCondition::full);
  REQUIRE(drive.read_zone(1, 0, 12) == Status::ok);
  drive.check_content();
}

TEST_CASE("a reset drops what the cache has of the zone, whatever is on its way") {
  ZonedDrive drive(cached(40));
  const auto count = static_cast<std::uint32_t>(GENERATE(1, 4, 9, 12));
  REQUIRE(drive.write_zone(1, 0, count) == Status::ok);
  REQUIRE(drive.manage(HostOp::zone_reset, 1) == Status::ok);
  CHECK(drive.condition(1) == ZoneCondition::empty);
  REQUIRE(drive.read_zone(1, 0, 12) == Status::ok);
  REQUIRE(drive.write_zone(1, 0, 2) == Status::ok);
  REQUIRE(drive.bench().flush() == Status::ok);
  CHECK(written(drive) == 2);
  drive.cut_now();
  CHECK(drive.pointer(1) == 2);
  drive.check_content();
}

TEST_CASE("writes larger than a tiny cache, of more zones than it has sectors, wait for room and end") {
  ZonedSetup setup = cached(2);
  setup.layer.max_open = 7;
  ZonedDrive drive(setup);
  for (const std::uint32_t zone : {1U, 2U, 3U, 4U, 5U}) drive.bench().submit(HostOp::write, drive.block(zone), 11 * 8);
  drive.bench().run_until_all_done();
  for (const std::uint32_t zone : {1U, 2U, 3U, 4U, 5U}) CHECK(drive.pointer(zone) == 11);
  CHECK(drive.metric("zones.cache.room_waits") > 0);
  REQUIRE(drive.bench().flush() == Status::ok);
  drive.cut_now();
  for (const std::uint32_t zone : {1U, 2U, 3U, 4U, 5U}) CHECK(drive.pointer(zone) == 11);
  drive.check_content();
}

TEST_CASE("one record in the log is enough for all zones that the cache begins to write") {
  ZonedSetup setup = cached(40);
  setup.layer.max_open = 7;
  ZonedDrive drive(setup);
  const double before = drive.metric("log.sectors");
  for (const std::uint32_t zone : {1U, 2U, 3U, 4U, 5U}) REQUIRE(drive.write_zone(zone, 0, 1) == Status::ok);
  REQUIRE(drive.bench().flush() == Status::ok);
  CHECK(drive.metric("log.sectors") - before == 2);  // the two copies of one
  drive.cut_now();
  for (const std::uint32_t zone : {1U, 2U, 3U, 4U, 5U}) CHECK(drive.pointer(zone) == 1);
  drive.check_content();
}

TEST_CASE("a zone that cannot be written later is read only from there on, its data stays readable, and FLUSH says so") {
  ZonedSetup setup = cached(16);
  ZonedDrive probe(setup);
  const PhysicalSector bad = place_of(probe, 6);
  setup.bench.media.write_fault_sectors = {
      {static_cast<double>(bad.track.surface), static_cast<double>(bad.track.radius), static_cast<double>(bad.index)}};
  ZonedDrive drive(setup);
  REQUIRE(drive.write_zone(1, 0, 12) == Status::ok);
  CHECK_FALSE(ok(drive.bench().flush()));
  CHECK(drive.condition(1) == ZoneCondition::read_only);
  CHECK(written(drive) == 4);  // its track has no mark
  CHECK(drive.read_zone(1, 0, 12) == Status::ok);
  CHECK_FALSE(ok(drive.bench().flush()));
  CHECK(drive.manage(HostOp::zone_reset, 1) == Status::zone_read_only);
  REQUIRE(drive.write_zone(2, 0, 12) == Status::ok);
  REQUIRE(drive.write_zone(3, 0, 12) == Status::ok);
  drive.check_content();
  drive.cut_now();
  CHECK(drive.condition(1) == ZoneCondition::read_only);
  drive.check_content();
}

TEST_CASE("a part of a streamed write that waits for one in front of it fails with it, past a cache full of failures") {
  ZonedSetup setup = cached(2);
  setup.bench.host.window = sectors(static_cast<std::uint64_t>(GENERATE(4, 6, 8)));
  ZonedDrive probe(setup);
  for (const std::uint32_t zone : {1U, 2U}) {
    const PhysicalSector bad = place_of(probe, 1, zone);
    setup.bench.media.write_fault_sectors.push_back(
        {static_cast<double>(bad.track.surface), static_cast<double>(bad.track.radius), static_cast<double>(bad.index)});
  }
  ZonedDrive drive(setup);
  CHECK_FALSE(ok(drive.write_zone(1, 0, 12)));
  REQUIRE(drive.condition(1) == ZoneCondition::read_only);
  const HostRequest& streamed = drive.bench().submit(HostOp::write, drive.block(2), 12 * blocks_per_sector);
  drive.bench().run_until_all_done();
  CHECK_FALSE(ok(streamed.status));
  CHECK(drive.condition(2) == ZoneCondition::read_only);
  CHECK(drive.metric("zones.cache.past") > 0);
  REQUIRE(drive.write_zone(3, 0, 12) == Status::ok);
  drive.check_content();
}

TEST_CASE("a FLUSH that comes while the log is told of a zone that cannot be written says so") {
  ZonedSetup setup = cached(16);
  ZonedDrive probe(setup);
  const PhysicalSector bad = place_of(probe, 6);
  setup.bench.media.write_fault_sectors = {
      {static_cast<double>(bad.track.surface), static_cast<double>(bad.track.radius), static_cast<double>(bad.index)}};
  ZonedDrive drive(setup);
  REQUIRE(drive.write_zone(1, 0, 11) == Status::ok);
  while (drive.condition(1) != ZoneCondition::read_only) drive.bench().run_for(100_us);
  CHECK_FALSE(ok(drive.bench().flush()));
  drive.check_content();
}

TEST_CASE("a cut at any instant of cached writes, a FLUSH and a reset leaves what was flushed, and no hole") {
  const auto begin = [](ZonedDrive& drive) {
    REQUIRE(drive.write_zone(2, 0, 5) == Status::ok);
    REQUIRE(drive.write_zone(1, 0, 3) == Status::ok);
    REQUIRE(drive.bench().flush() == Status::ok);
    drive.bench().submit(HostOp::write, drive.block(1, 3), 6 * 8);
    drive.bench().submit(HostOp::zone_reset, drive.block(2), 0);
    drive.bench().submit(HostOp::write, drive.block(1, 9), 2 * 8);
    drive.bench().submit(HostOp::flush, 0, 0);
  };
  const auto go_on = [](ZonedDrive& drive) {
    CHECK(drive.pointer(1) >= 3);
    REQUIRE(drive.write_zone(1, drive.pointer(1), 1) == Status::ok);
    REQUIRE(drive.bench().flush() == Status::ok);
  };
  CHECK(cut_everywhere<ZonedDrive>(cached(8), begin, go_on) > 10);
}

TEST_CASE("histories with a cache keep what was flushed, and find the pointers at or after it") {
  const std::uint64_t seed = GENERATE(range(1, 25));
  constexpr std::array<std::uint64_t, 4> sizes{2, 5, 16, 60};
  ZonedSetup setup = cached(sizes[seed % sizes.size()]);
  setup.layer.max_open = 1 + static_cast<std::uint32_t>(seed / 4 % 4);
  setup.layer.cache_depth = 1 + static_cast<std::uint32_t>(seed % 3);
  ZonedDrive drive(setup);
  ZonedWorkload host(
      seed,
      {.blocks = drive.user_sectors() * blocks_per_sector, .zone_blocks = drive.layer().zone_blocks(), .largest = 64, .may_forget = true});
  play_zone_history(drive, host, RandomStream(seed, "zone cache histories"));
}
