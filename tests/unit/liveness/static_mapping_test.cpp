// Bands updated in place under every tag.
#include <catch2/catch.hpp>

#include "support/crowd.hpp"
#include "unit/static_mapping/static_drive.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("liveness: bands updated in place by every tag, writes that cross their borders") {
  for (const Scheme scheme : {Scheme::s1234, Scheme::r4123, Scheme::s124r3, Scheme::s14r23}) {
    CAPTURE(static_cast<int>(scheme));
    StaticDrive drive(scheme, 2, {}, 1'000);
    withstand(drive, {.longest = 70});
    withstand(drive, {.sectors = 4 * 16, .longest = 64}, 2);
  }
}
