// The smallest cache of guards under every tag.
#include <catch2/catch.hpp>

#include "support/crowd.hpp"
#include "unit/vguard/vguard_drive.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("liveness: a guard cache of the fewest tracks, of which every write needs one") {
  VguardDrive drive(2, cache_tracks, 1'000);
  withstand(drive, {.longest = 40});
  withstand(drive, {.sectors = band_tracks * 16, .longest = 64}, 2);
}
