// What the layer asks of a drive, and what it says where it does not get it.
#include "firmware/layers/layer_factories.hpp"
#include "firmware/layout/plan_regions.hpp"
#include "unit/firmware/test_drive.hpp"
#include "zoned_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

std::string problem_of(const ZonedSetup& setup) {
  std::string problem;
  static_cast<void>(zoned::plan_zoned(setup.layer, geometry_of(setup.bench.media), problem));
  return problem;
}

}  // namespace

TEST_CASE("zones that do not fit are refused with what would fit") {
  ZonedSetup setup;
  REQUIRE(problem_of(setup).empty());
  setup.layer.zone = Bytes(12 * sector_bytes + 512);
  CHECK(problem_of(setup) == "a zone of 49664 bytes is no whole number of sectors of 4096 bytes");
  setup.layer.zone = sectors(12);
  setup.layer.zones = 15;
  CHECK(problem_of(setup) ==
        "14 bands and 0 spare bands of 12 sectors do not fit: the drive has room for 13 in all; the conventional zones take 4 of 64 tracks "
        "a surface");
  setup.layer.zones = 14;
  CHECK(problem_of(setup).empty());
  setup.layer.zones = 1;
  CHECK(problem_of(setup) == "zones 1 leaves no sequential zone in addition to 1 conventional ones");
}

TEST_CASE("limits and the log are checked against the zones") {
  ZonedSetup setup;
  setup.layer.max_active = 2;
  CHECK(problem_of(setup) == "max_active 2 is less than max_open 3, and every open zone is active");
  setup.layer.max_active = 3;
  CHECK(problem_of(setup).empty());
  setup.layer.offline_zones = 8;
  CHECK(problem_of(setup) == "read_only_zones and offline_zones are 8; the drive has 7 sequential zones");
  setup.layer.offline_zones = 7;
  CHECK(problem_of(setup).empty());
  setup.layer.log_radii = 2;
  CHECK(problem_of(setup) == "log_radii 2 give the log of the zones 8 sectors; 7 zones need at least 12");
}

TEST_CASE("a drive without a share of conventional zones has none") {
  ZonedSetup setup;
  setup.layer.conventional = 0;
  ZonedDrive drive(setup);
  CHECK(drive.zone(0).type == ZoneType::sequential_write_required);
  CHECK(drive.layer().zones() == 8);
  REQUIRE(drive.write_zone(0, 0, 1) == Status::ok);
  drive.check_content();
}

TEST_CASE("as many zones as fit are whole ones, an eighth of them conventional where that is asked") {
  ZonedSetup setup;
  setup.layer.zones = 0;
  setup.layer.conventional = 0.125;
  ZonedDrive drive(setup);
  CHECK(drive.user_sectors() % 12 == 0);
  CHECK(drive.zone(0).type == ZoneType::conventional);
  CHECK(drive.layer().zones() >= 12);
}

TEST_CASE("a layer without zones refuses commands for them") {
  TestDrive drive(make_cmr_factory(), {});
  for (const HostOp op : {HostOp::zone_report, HostOp::zone_open, HostOp::zone_close, HostOp::zone_finish, HostOp::zone_reset})
    CHECK(drive->run_until_done(drive->submit(op, 0, 1)) == Status::unsupported);
}
