// The newest packet of tessera's log of which one boot can read no header, and a later one can.
#include "support/missed_packets.hpp"
#include "tiers_drive.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

/// A map that is written down only where something asks for it.
TiersSetup rarely_written_down() {
  TiersSetup setup;
  setup.layer.checkpoint_every = 100;
  return setup;
}

}  // namespace

TEST_CASE("tessera: a packet that one boot missed does not come back at the next, over what was written since") {
  missed_once<TiersDrive>(rarely_written_down(), GENERATE(1U, 2U, 3U, 4U, 5U));
}

TEST_CASE("tessera: a packet that one boot missed does not come back where a sector of it cannot be written again") {
  const std::uint32_t count = GENERATE(2U, 5U);
  CHECK(missed_once_unwritable<TiersDrive>(rarely_written_down(), count) > 1);
}

TEST_CASE("tessera: a packet that one boot missed does not come back, wherever a cut ends the first write after that boot") {
  CHECK(missed_once_and_cut<TiersDrive>(rarely_written_down(), GENERATE(2U, 5U)) > 4);
}
