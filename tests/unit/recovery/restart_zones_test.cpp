// Restarts of the firmware of layers with a conventional buffer in front of zones.
#include <catch2/catch.hpp>

#include "random_restarts.hpp"
#include "unit/zones/zone_drive.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("restart: layers with a conventional buffer lose nothing") {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    CAPTURE(seed);
    SkylightDrive skylight{SkylightSetup()};
    random_restarts(skylight, seed);
    FluidDrive fluid{FluidSetup()};
    random_restarts(fluid, seed);
    AmphisbaenaDrive amphisbaena{AmphisbaenaSetup()};
    random_restarts(amphisbaena, seed);
  }
}
