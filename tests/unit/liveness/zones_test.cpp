// Zones behind a conventional buffer: every slot hot, and a buffer so small that every write cleans.
#include <catch2/catch.hpp>

#include "support/crowd.hpp"
#include "unit/zones/zone_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

template <class Drive, class Setup>
void withstand_in_zones(Setup setup) {
  for (const std::uint64_t prefilled : {std::uint64_t{0}, std::uint64_t{48}}) {
    setup.prefilled = prefilled;
    CAPTURE(prefilled);
    Drive everywhere(setup);
    withstand(everywhere, {.longest = 24});
    Drive hot(setup);
    withstand(hot, {.sectors = 9, .longest = 9});
  }
}

}  // namespace

TEST_CASE("liveness: two slots in front of zones, writes across their borders from every tag") {
  SkylightSetup skylight;
  skylight.zones().buffer = sectors(2);
  skylight.layer.buffer_zone = sectors(1);
  withstand_in_zones<SkylightDrive>(skylight);
  FluidSetup fluid;
  fluid.zones().buffer = sectors(2);
  withstand_in_zones<FluidDrive>(fluid);
}

TEST_CASE("liveness: a buffer of two chunks that are both hot") {
  AmphisbaenaSetup setup;
  setup.zones().buffer = sectors(2 * 4);
  withstand_in_zones<AmphisbaenaDrive>(setup);
}
