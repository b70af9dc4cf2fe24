// What MU-RMW refuses, on both sides of each bound, and that the message says what would fit.
#include <catch2/catch.hpp>

#include "firmware/layers/layer_factories.hpp"
#include "firmware/layers/mu_rmw/mu_rmw_requirements.hpp"

using namespace tessera;
using namespace tessera::mu_rmw;
using Catch::Contains;
using Catch::EndsWith;

TEST_CASE("a sub-table with header and error correction must fit the out-of-band area") {
  MuRmwConfig config;
  const std::uint32_t needed = 64 * 4 + 24 + 104;
  CHECK(check_flash(config, {640, 32, needed}).empty());
  CHECK_THAT(check_flash(config, {640, 32, needed - 1}),
             Contains("takes 384 bytes") && Contains("a page has 383") && EndsWith("leaves error correction out)"));
  config.paper = true;
  CHECK(check_flash(config, {640, 32, 64 * 4 + 24}).empty());
  CHECK_THAT(check_flash(config, {640, 32, 64 * 4 + 23}), Contains("takes 280 bytes") && EndsWith("slot_bytes 2)"));
}

TEST_CASE("the flash chip that the paper cites has no room for its sub-tables") {
  MuRmwConfig config;  // K9G4G08: 64 B spare a 2 KiB page, 128 B a 4 KiB sector
  CHECK_FALSE(check_flash(config, {640, 32, 128}).empty());
}

TEST_CASE("the space for checkpoints must hold two of them") {
  MuRmwConfig config;  // tags of 20,480 pages: 80 sectors; the superblocks and two halves with a change, all of it there twice
  config.checkpoint.region = Bytes((4 + 2 * 162) * 4096);
  CHECK(check_flash(config, {640, 32, 512}).empty());
  config.checkpoint.region = Bytes((4 + 2 * 162) * 4096 - 1);
  CHECK_THAT(check_flash(config, {640, 32, 512}), Contains("20480 flash pages") && Contains("1343488 bytes"));
}

TEST_CASE("slots of two bytes name fewer than 65535 pages") {
  MuRmwConfig config;
  config.slot_bytes = 2;
  CHECK(check_flash(config, {2047, 32, 512}).empty());
  CHECK_THAT(check_flash(config, {2048, 32, 512}), Contains("65535"));
  CHECK(check_flash(config, {65534, 1, 512}).empty());
  CHECK_THAT(check_flash(config, {65535, 1, 512}), Contains("65535"));
  config.slot_bytes = 3;
  CHECK_THAT(check_flash(config, {640, 32, 512}), Contains("slot_bytes must be 2 or 4"));
}

TEST_CASE("merging in place needs a buffer of a whole band") {
  DriveGeometry geometry;
  geometry.zones = {{0, 300, 512, 0}};
  MuRmwConfig config;
  config.crash_safe = false;
  std::string problem;
  config.merge_buffer = Bytes(40ULL << 20);
  CHECK_FALSE(plan_drive(config, geometry, problem).empty());
  CHECK(problem.empty());
  config.merge_buffer = Bytes((40ULL << 20) - 4096);
  CHECK(plan_drive(config, geometry, problem).empty());
  CHECK_THAT(problem, Contains("41943040 bytes"));
  config.crash_safe = true;
  problem.clear();
  CHECK_FALSE(plan_drive(config, geometry, problem).empty());
  CHECK(problem.empty());
}

TEST_CASE("the merge log must hold a checkpoint of the band table in each half") {
  DriveGeometry geometry;
  geometry.zones = {{0, 100, 5, 0}};
  MuRmwConfig config;
  config.band_sectors = 8;
  std::string problem;
  config.log_radii = 1;
  CHECK(plan_drive(config, geometry, problem).empty());
  CHECK_THAT(problem, Contains("log_radii 1") && Contains("at least 12"));
  config.log_radii = 3;
  problem.clear();
  CHECK_FALSE(plan_drive(config, geometry, problem).empty());
  CHECK(problem.empty());
}

TEST_CASE("the factory names the layer and needs flash") {
  const auto factory = make_mu_rmw_factory();
  CHECK(factory->name() == "mu-rmw");
  CHECK(factory->needs_flash());
}

TEST_CASE("slots of four bytes name all pages but the two numbers that stand for none") {
  MuRmwConfig config;
  config.checkpoint.region = Bytes(0);
  CHECK(check_flash(config, {0xffff'fffdU, 1, 512}).empty());
  CHECK_THAT(check_flash(config, {0xffff'fffeU, 1, 512}), Contains("cannot name 4294967294 sectors in flash"));
}
