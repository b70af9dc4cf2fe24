// Refresh under a host-aware disk: what its rewrite had destroyed when a dump failed held data, and must not read as a zone's empty
// sectors.
#include "host_aware_drive.hpp"

using namespace tessera;
using namespace tessera::literals;
using namespace tessera::test;

namespace {

/// Tracks are refreshed after eight writes next to them.
struct RefreshedDrive : DriveWithFirmware {
  RefreshedDrive() : DriveWithFirmware(firmware()) {}

  static FirmwareConfig firmware() {
    FirmwareConfig firmware;
    firmware.refresh.threshold = 8;
    return firmware;
  }
  /// Reads everything back: sectors that cannot be read. None may hold anything but what was written last, or was never.
  std::uint64_t unreadable() {
    std::uint64_t count = 0;
    for (std::uint64_t at = 0; at < user_sectors(); ++at) count += ok(bench().read(at * blocks_per_sector, blocks_per_sector)) ? 0 : 1;
    CHECK(bench().scoreboard().errors() == 0);
    return count;
  }
};

}  // namespace

TEST_CASE("what a forgotten rewrite had destroyed is an error until its zone is reset, and what was never written reads as nothing") {
  std::uint64_t instants_with_errors = 0;
  for (std::uint64_t actions = 0;; ++actions) {
    RefreshedDrive drive;
    for (std::uint32_t zone = 1; zone < 4; ++zone) drive.write(zone, 0, zone == 2 ? 12 : DriveWithFirmware::zone_sectors);
    drive->run_until_idle(1000_ms);
    drive.write(2, 12, 16);
    int dumps = 0;
    drive->fail_dumps([&dumps](std::uint64_t pieces) { return ++dumps == 1 ? std::uint64_t{0} : pieces; });
    drive->submit(HostOp::write, RefreshedDrive::block(2, 16), blocks_per_sector);
    const bool cut = drive->cut_after_actions(actions);
    INFO("cut after " << actions << " actions");
    REQUIRE(drive->boot_status() == Status::ok);
    const std::uint64_t lost = drive.unreadable();
    instants_with_errors += lost != 0 ? 1 : 0;
    drive->cut_now();
    REQUIRE(drive->boot_status() == Status::ok);
    CHECK(drive.unreadable() == lost);
    drive.write(2, 17, 18);  // where the zone has all of it but the refresh, at its pointer: with a record of its own
    drive->cut_now();
    REQUIRE(drive->boot_status() == Status::ok);
    CHECK(drive.unreadable() == lost);
    for (std::uint32_t zone = 1; zone < 4; ++zone) REQUIRE(drive.manage(HostOp::zone_reset, zone) == Status::ok);
    CHECK(drive.unreadable() == 0);
    if (!cut) break;
  }
  CHECK(instants_with_errors > 3);
}
