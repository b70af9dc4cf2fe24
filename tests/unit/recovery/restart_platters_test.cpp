// Restarts of the firmware of layers that write tracks in place, and of the write cache.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "random_restarts.hpp"
#include "unit/static_mapping/static_drive.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("restart: the step that the media has begun ends, and what was not acknowledged may be there or not") {
  TestDrive drive(make_cmr_factory(), {});
  REQUIRE(drive->write(0, 8) == Status::ok);
  for (std::uint64_t actions = 0;; ++actions) {
    drive->submit(HostOp::write, 0, 64);
    drive->submit(HostOp::write, 256, 64);
    if (!drive->restart_after_actions(actions)) break;
    REQUIRE(drive->boot_status() == Status::ok);
    REQUIRE(drive.wrong_blocks() == 0);
    REQUIRE(drive->controller().idle());
  }
}

TEST_CASE("restart: no sector is torn where the power stays on, whatever a cut leaves of a sector under the head") {
  BenchConfig config = small_drive();
  config.media.powerfail_sector = PowerfailSector::corrupt;
  TestDrive drive(make_cmr_factory(), {}, config);
  REQUIRE(drive->write(0, 512) == Status::ok);
  for (std::uint64_t actions = 0;; ++actions) {
    drive->submit(HostOp::write, 0, 512);
    if (!drive->restart_after_actions(actions)) break;
    REQUIRE(drive.wrong_blocks() == 0);
  }
}

TEST_CASE("restart: a write cache keeps what it acknowledged, in each durability that promises it") {
  for (const CacheDurability durability : {CacheDurability::plp, CacheDurability::journal}) {
    CAPTURE(static_cast<int>(durability));
    FirmwareConfig config;
    config.write_cache.capacity = Bytes(24 * 4096);
    config.write_cache.durability = durability;
    TestDrive drive(make_cmr_factory(), {{"journal_tracks", durability == CacheDurability::journal ? 2 : 0}}, small_drive(), config);
    for (std::uint64_t seed = 1; seed <= 6; ++seed) random_restarts(drive, seed);
  }
}

TEST_CASE("restart: interlaced layers and vguard lose nothing") {
  const std::map<std::string, double> restless{{"update_frequency", 5}, {"log_records", 2}};
  TestDrive rmw(make_imr_rmw_factory(), {}, small_drive(), {}, 1'000'000);
  random_restarts(rmw, 1);
  TestDrive flip(make_imr_flip_factory(), restless, small_drive(), {}, 1'000'000);
  random_restarts(flip, 2);
  TestDrive dtm(make_imr_dtm_factory(), restless, small_drive(), {}, 1'000'000);
  random_restarts(dtm, 3);
  auto cached = restless;
  cached["cache_tracks"] = 2;
  TestDrive cache(make_imr_cache_factory(), cached, small_drive(), {}, 1'000'000);
  random_restarts(cache, 4);
  BenchConfig config = small_drive();
  config.media.tracks = 3 + 2 * 6;
  TestDrive vguard(make_vguard_factory(), {{"band_tracks", 5}, {"cache_tracks", 3}}, config, {}, 1'000'000);
  random_restarts(vguard, 5);
}

TEST_CASE("restart: static mappings lose nothing") {
  for (const Scheme scheme : {Scheme::s1234, Scheme::r4123, Scheme::s124r3, Scheme::s14r23}) {
    CAPTURE(static_cast<int>(scheme));
    StaticDrive drive(scheme, 2, {}, 1'000);
    random_restarts(drive, 1);
  }
}
