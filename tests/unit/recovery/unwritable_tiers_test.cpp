// Metadata on platters that cannot be written, of the layers with a buffer and flash in front.
#include "unit/tiers/interlaced_tiers_drive.hpp"
#include "unit/tiers/tiers_drive.hpp"
#include "unwritable_sectors.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("tessera: places, map and merge area that cannot be written lose nothing, with flash and without") {
  TiersSetup setup;
  if (GENERATE(true, false)) setup.use_flash();
  for (const char* const region : {"places", "map", "merge"}) {
    CAPTURE(region);
    CHECK(faulty_histories_of<TiersDrive>(setup, region, 300) > 10);
  }
}

TEST_CASE("tessera-imr: backups and logs of moves that cannot be written lose nothing, whatever moves") {
  InterlacedTiersSetup setup;
  setup.layer.moves = GENERATE(tiers::Moves::flip, tiers::Moves::cache, tiers::Moves::dtm);
  if (GENERATE(true, false)) setup.use_flash();
  for (const char* const region : {"backup", "moves", "log"}) {
    CAPTURE(region);
    CHECK(faulty_histories_of<InterlacedTiersDrive>(setup, region, 100) > 0);
  }
}
