// Layers that dump tables alone: what they acknowledged is on the platters, and a dump that fails takes nothing of it.
#include "support/cut_everywhere.hpp"
#include "unit/dumps/torn_dumps.hpp"
#include "unit/vguard/vguard_drive.hpp"
#include "unit/zones/zone_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

template <class Drive>
void random_histories(const std::function<std::unique_ptr<Drive>()>& make, const char* stream) {
  double torn = 0;
  for (std::uint64_t run = 0; run < 60; ++run) {
    INFO("run " << run);
    RandomStream random(run, stream);
    const auto drive = make();
    history_with_torn_dumps(*drive, random);
    torn += drive->bench().metric("recovery.dumps_torn");
    CHECK(drive->bench().scoreboard().lost_in_dumps() == 0);
    CHECK_FALSE(
        drive->bench().scoreboard().exempted({HostBlock(0), static_cast<std::uint32_t>(drive->user_sectors() * blocks_per_sector)}));
  }
  CHECK(torn > 200);
}

template <class Drive, class Setup>
std::unique_ptr<Drive> with_room(Setup setup = Setup()) {
  setup.zones().buffer = sectors(32);
  setup.zones().log_radii = 12;
  setup.bench.media.tracks = 96;
  return std::make_unique<Drive>(setup);
}

}  // namespace

TEST_CASE("tables: zone buffers find their slots by the records on the platters where the dump failed") {
  SECTION("skylight-disk") {
    random_histories<SkylightDrive>(
        [] {
          SkylightSetup setup;
          setup.layer.buffer_zone = sectors(8);
          return with_room<SkylightDrive>(setup);
        },
        "torn dumps of skylight-disk");
  }
  SECTION("fluid") {
    random_histories<FluidDrive>([] { return with_room<FluidDrive, FluidSetup>(); }, "torn dumps of fluid");
  }
  SECTION("fluid-loop") {
    random_histories<FluidDrive>(
        [] {
          FluidSetup setup;
          setup.layer.loop = true;
          return with_room<FluidDrive>(setup);
        },
        "torn dumps of fluid-loop");
  }
  SECTION("amphisbaena") {
    random_histories<AmphisbaenaDrive>([] { return with_room<AmphisbaenaDrive, AmphisbaenaSetup>(); }, "torn dumps of amphisbaena");
  }
}

TEST_CASE("tables: Virtual Guard finds its slots by the records on the platters where the dump failed") {
  random_histories<VguardDrive>([] { return std::make_unique<VguardDrive>(3, 5); }, "torn dumps of vguard");
}

TEST_CASE("tables: half a table of slots is no table") {
  // 4,800 slots of 8 bits are two pieces: the first would come back as it was, the second as noise.
  FluidSetup setup;
  setup.zones().buffer = sectors(4800);
  setup.zones().log_radii = 40;
  setup.bench.media.tracks = 2000;
  FluidDrive drive(setup);
  drive.bench().fail_dumps([](std::uint64_t all) {
    CHECK(all == 2);
    return std::uint64_t{1};
  });
  drive.write_zoned({{0, 1}, {1, 3}, {0, 5}, {2, 0}});
  drive.cut_now();
  drive.check_content();
  for (const auto& [zone, offset] : {std::pair{0U, 1U}, {1U, 3U}, {0U, 5U}, {2U, 0U}}) CHECK(drive.slot(zone, offset) != SlotOwners::none);
}
